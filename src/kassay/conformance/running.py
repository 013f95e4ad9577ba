"""A run of the fixtures: an assignor's answers to all cases, or a coordinator's, held against what is known to fail.

Known failures: a file of lines ``ASSIGNOR CASE CHECK`` that may fail, and must be deleted once they pass.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any, TypeAlias

from kassay.conformance.case import Case, Fixtures
from kassay.conformance.form import Declared
from kassay.conformance.group import Chosen
from kassay.conformance.judge import Judge
from kassay.conformance.known_defects import KnownDefects
from kassay.engine.verdict import KNOWN_DEFECT, LIMIT
from kassay.errors import InputError, SkippedError
from kassay.files.texts import read_text
from kassay.shape import Assign

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


KEPT, KNOWN, FAILED, PASSES = "kept", "known failure", "fails", "passes now"
"""What becomes of a check; the last is that of one which is listed as a known failure."""
OUTCOMES = (KEPT, KNOWN, FAILED, PASSES, KNOWN_DEFECT, LIMIT)
"""All outcomes of a check: the last two are failures that the assignor's own promises except."""


@dataclass(frozen=True, slots=True)
class Checked:
    """What became of one check of one case, and what is wrong, "" where nothing is."""

    case: Case | Chosen
    check: str
    outcome: str
    wrong: str = ""


@dataclass(frozen=True, slots=True)
class Run:
    """What became of all checks; cases that were `skipped`, each with the reason; lines of known failures that were never checked."""

    assignor: str
    checked: tuple[Checked, ...]
    skipped: tuple[tuple[Case | Chosen, str], ...]
    unchecked: tuple[str, ...]
    strict: bool = False
    """A known defect fails the run."""

    def of(self, outcome: str) -> list[Checked]:
        """Return the checks with this outcome."""
        return [one for one in self.checked if one.outcome == outcome]

    @property
    def status(self) -> int:
        """The exit status: 1 where anything is not as it is known, or `strict` and a known defect; 3 where nothing was checked."""
        if self.of(FAILED) or self.of(PASSES) or self.unchecked or (self.strict and self.of(KNOWN_DEFECT)):
            return 1
        return 0 if self.checked else 3


@dataclass(frozen=True, slots=True)
class Runner:
    """Who is asked, and how: what the call of the assignor can say (`can`), what it aims at, what is known to fail."""

    name: str
    assign: Assign
    declared: Declared
    exact: str = ""
    can: Collection[str] | None = None
    """The needs that its call meets, None where all."""
    known: KnownFailures = field(default_factory=lambda: KnownFailures(""))
    cases: Collection[str] = ()
    """Patterns of the ids to take, none for all."""
    defects: KnownDefects | None = None
    """The exceptions of the assignor's own promises, None if it promises nothing."""
    strict: bool = False
    """A known defect fails the run."""


Found: TypeAlias = Iterable[tuple[Case | Chosen, Mapping[str, str] | str, Mapping[str, str]]]
"""Of each case: by check what is wrong, or why it was not asked; and the outcomes of the failed checks that are excused."""


def run(fixtures: Fixtures, runner: Runner) -> Run:
    """Ask an assignor about the cases, in their order; raises TargetGoneError where it is gone."""
    asked: list[Any] = []

    def assign(group: Any) -> Any:
        asked.append(group)
        return runner.assign(group)

    judge = Judge(fixtures.form, assign, runner.declared, runner.exact)

    def found() -> Iterator[tuple[Case, Mapping[str, str] | str, Mapping[str, str]]]:
        for case in fixtures.cases:
            if why := _not_asked(case, runner):
                yield case, why, {}
                continue
            asked.clear()
            try:
                checks = judge.judge(case)
            except SkippedError as declined:
                yield case, str(declined), {}
                continue
            failed = [check for check, wrong in checks.items() if wrong]
            excused = {}
            if failed and runner.defects is not None:
                excused = runner.defects.find_outcomes(case, failed, asked, judge.get_first_answer(case))
            yield case, checks, excused

    return compare_with_known(runner.name, runner.known, found(), strict=runner.strict)


def compare_with_known(name: str, known: KnownFailures, found: Found, *, strict: bool = False) -> Run:
    """Hold the checks of each case against what is known to fail."""
    left = set(known.of(name))
    checked: list[Checked] = []
    skipped = []
    for case, checks, excused in found:
        if isinstance(checks, str):
            skipped.append((case, checks))
            left -= {line for line in left if line[0] == case.id}
            continue
        for check, wrong in checks.items():
            outcome = _outcome((name, case.id, check), wrong, known)
            if outcome == FAILED:
                outcome = excused.get(check, FAILED)
            checked.append(Checked(case, check, outcome, wrong))
            left.discard((case.id, check))
    flaky = {(case, check) for of, case, check in known.flaky if of == name}
    unchecked = tuple(f"{name} {case} {check}" for case, check in sorted(left - flaky))
    return Run(name, tuple(checked), tuple(skipped), unchecked, strict)


def _not_asked(case: Case, runner: Runner) -> str:
    """Say why a case is left out, "" where it is not."""
    if runner.cases and not any(fnmatchcase(case.id, pattern) for pattern in runner.cases):
        return "not chosen"
    lacking = [need for need in case.needs if runner.can is not None and need not in runner.can]
    return f"needs {', '.join(lacking)}" if lacking else ""


def _outcome(line: tuple[str, str, str], wrong: str, known: KnownFailures) -> str:
    listed = line in known.lines
    if wrong:
        return KNOWN if listed else FAILED
    return PASSES if listed and line not in known.flaky else KEPT
