"""The cases of the recorded set: read from the TOML files next to this module, one file for each theme.

A case has a name and one or more command lines, which run one after another in one empty folder. A case with
``each`` stands for several: one for each combination of its values, which replace ``{key}`` in name and commands.
"""

import fnmatch
import itertools
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
REPOSITORY = HERE.parents[1]
LISTED = HERE / "cases"
"""The folder of the TOML files."""
COMMAND = re.compile(r"(?<![\w./'-])kassay +((?:fixtures +)?-*[a-z][a-z-]*)")
"""A call of kassay within a shell line; the group is its subcommand or its first option."""
KEYS = frozenset({"name", "run", "each"})


@dataclass(frozen=True, slots=True)
class Case:
    """Command lines that share a folder."""

    name: str
    """A path-like name, which is unique, such as ``check/consumer``."""
    lines: tuple[str, ...]
    """Shell lines; each calls kassay at least once."""

    @property
    def subcommands(self) -> tuple[str, ...]:
        """The subcommand of each call of kassay, in order."""
        return tuple(found for line in self.lines for found in COMMAND.findall(line))


def read_cases(folder: Path = LISTED) -> tuple[Case, ...]:
    """Return all cases, in the order of file names and of the lines in each file."""
    files = sorted(folder.glob("*.toml"))
    return tuple(case for file in files for case in parse_cases(tomllib.loads(file.read_text()), file.stem))


def parse_cases(content: Mapping[str, list[Mapping[str, object]]], theme: str) -> Iterable[Case]:
    """Yield the cases of one file; its theme is the first part of their names."""
    for table in content["case"]:
        if unknown := table.keys() - KEYS:
            raise ValueError(f"{theme}.toml: unknown keys {sorted(unknown)}. Use {sorted(KEYS)}.")
        yield from expand_case(f"{theme}/{table['name']}", str(table["run"]), table.get("each", {}))


def expand_case(name: str, run: str, each: object) -> Iterable[Case]:
    """Yield one case for each combination of the values in ``each``."""
    values: Mapping[str, list[str]] = dict(each) if isinstance(each, dict) else {}
    for combination in itertools.product(*values.values()):
        chosen = dict(zip(values, combination, strict=True))
        lines = replace_keys(run, chosen).strip().splitlines()
        yield Case(clean_name(replace_keys(name, chosen)), tuple(line for line in lines if line))


def replace_keys(text: str, chosen: Mapping[str, str]) -> str:
    """Return the text with the chosen value for each ``{key}``."""
    for key, value in chosen.items():
        text = text.replace(f"{{{key}}}", value)
    return text


def clean_name(name: str) -> str:
    """Return the name with a hyphen for each run of characters that do not fit a file name."""
    return re.sub(r"[^\w./@=+-]+", "-", name).strip("-./")


def select_cases(cases: Iterable[Case], patterns: Iterable[str]) -> tuple[Case, ...]:
    """Return the cases whose names match one of the patterns, or all cases if there is no pattern."""
    wanted = tuple(patterns) or ("*",)
    return tuple(case for case in cases if any(fnmatch.fnmatch(case.name, each) for each in wanted))


def find_inputs(case: Case) -> dict[str, Path]:
    """Return the files and folders that the command lines name: each path in the case's folder and its source.

    A path starts at the root of this repository, or it starts with ``inputs/``, which is the folder next to this module.
    """
    words = {word for line in case.lines for word in re.findall(r"[\w.@/-]+/[\w.@/-]+", line)}
    inside = (word for word in sorted(words) if not word.startswith(("/", ".")))
    places = ((word, (HERE if word.startswith("inputs/") else REPOSITORY) / word) for word in inside)
    return {word: path for word, path in places if path.exists()}
