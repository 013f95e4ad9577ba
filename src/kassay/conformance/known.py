"""Known failures: a file of lines ``ASSIGNOR CASE CHECK`` that may fail, and must be deleted once they pass."""

import re
from dataclasses import dataclass

from kassay.errors import InputError
from kassay.files.texts import read_text

_LINE = re.compile(r"(~?)(\S+) (\S+) (\S+)")


@dataclass(frozen=True, slots=True)
class KnownFailures:
    """The lines of a file of known failures by assignor, case and check; those that are `flaky` may pass, too."""

    file: str
    lines: frozenset[tuple[str, str, str]] = frozenset()
    flaky: frozenset[tuple[str, str, str]] = frozenset()

    def of(self, assignor: str) -> frozenset[tuple[str, str]]:
        """Return case and check of an assignor's lines."""
        return frozenset((case, check) for name, case, check in self.lines if name == assignor)


def read_known(path: str) -> KnownFailures:
    """Read a file of known failures; what follows # is a remark. Raises InputError naming file and line."""
    lines: dict[tuple[str, str, str], bool] = {}
    for number, line in enumerate(read_text(path).splitlines(), 1):
        said = " ".join(line.partition("#")[0].split())
        if not said:
            continue
        found = _LINE.fullmatch(said)
        if found is None:
            raise InputError(
                f"{path}, line {number}: is {said!r}; write ASSIGNOR CASE CHECK, with ~ before it where it may pass, too"
            )
        name, case, check = found.group(2, 3, 4)
        if (name, case, check) in lines:
            raise InputError(f"{path}, line {number}: {said} stands twice; delete one of them")
        lines[name, case, check] = bool(found[1])
    flaky = frozenset(line for line, may_pass in lines.items() if may_pass)
    return KnownFailures(path, frozenset(lines), flaky)
