"""Grid files in TOML: the groups that a sweep generates and the targets that assign them, validated before anything starts."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from hashlib import sha256
from itertools import product
from pathlib import Path
from typing import Any

import msgspec

from kassay.errors import InputError
from kassay.families import family
from kassay.families.family import Family
from kassay.files.reading import read_listed_groups
from kassay.files.texts import decode_toml
from kassay.files.writing import refuse_code, refuse_unregistered
from kassay.model.json_text import convert_json
from kassay.output.telling import tell
from kassay.reports.sweep.manifest import Cell, Sample
from kassay.targets import expand

_RANGE = re.compile(r"(\d{1,9})\.\.(\d{1,9})")
_COMMON = {"name", "groups", "situations"}
FILES = ("*.json", "*.jsonl", "*.txt")
"""Patterns of the files of a folder that are read if a cell names none: groups as JSON, and listings."""


class _GivenCell(msgspec.Struct, forbid_unknown_fields=True):
    """The keys of a cell of given groups."""

    name: str
    folder: str
    files: tuple[str, ...] = FILES


def read_cell(table: Mapping[str, Any], place: str, family_: Family, beside: Path) -> Cell:
    """Return the cell of all groups in a folder, whose path is relative to `beside`, in the order of the names of files.

    Raises InputError that begins with the place, the cell's name or the file. Assumptions about a listing go to standard error.
    """
    try:
        known = convert_json(table, _GivenCell)
    except InputError as wrong:
        raise InputError(f"{place}: {wrong}") from None
    place, folder = f"cell {known.name!r}", beside / known.folder
    if not folder.is_dir():
        raise InputError(
            f"{place}: folder: {folder} is no folder. Give its path from the folder of the grid."
        )
    given = []
    for path in sorted(folder.iterdir()):
        if not any(fnmatchcase(path.name, pattern) for pattern in known.files):
            continue
        for read in read_listed_groups([str(path)], family_.name):
            for said in read.warnings:
                tell(f"{place}: {path.name}: {said}")
            given.append(msgspec.json.encode(family_.shape.write_group(read.value), order="sorted").decode())
    if not given:
        raise InputError(
            f'{place}: {folder} has no such files. Name some in files, as in files = ["*.json"].'
        )
    return Cell(known.name, len(given), {}, {}, (), tuple(given))


def build_cells(table: Mapping[str, Any], place: str, family_: Family) -> Iterator[Cell]:
    """Yield the cells of a table: one for each combination of the keys that list several ranges.

    Raises InputError that begins with the place, or the cell's name.
    """
    sampler = family_.shape.sampler
    assert sampler is not None
    known = [*_COMMON, *sampler.usual, *sampler.kinds]
    for key in table:
        if key not in known:
            raise InputError(f"{place}: there is no key {key!r}. Known are {', '.join(sorted(known))}.")
    name, groups = table.get("name"), table.get("groups")
    if not isinstance(name, str) or not name:
        raise InputError(f"{place}.name: is missing or empty. Give the cell a name.")
    place = f"cell {name!r}"
    if type(groups) is not int or not 0 <= groups < 2**40:
        raise InputError(
            f"{place}: groups: is missing or not a whole number. Give the number of groups for each seed."
        )
    situations = table.get("situations", [])
    if not isinstance(situations, list):
        raise InputError(f'{place}: situations: is not a list. Give a list, as in ["racks"].')
    for situation in situations:
        if situation not in family_.situations:
            raise InputError(f"{place}: situations: there is no {situation!r}. `kassay list` shows all.")
    mixes = {
        kind: _read_mix(table[kind], f"{place}: {kind}", kinds)
        for kind, kinds in sampler.kinds.items()
        if kind in table
    }
    numbers = {
        key: _read_ranges(table[key], f"{place}: {key}", *sampler.numbers[key])
        for key in sampler.usual
        if key in table
    }
    several = [key for key, ranges in numbers.items() if len(ranges) > 1]
    for combination in product(*numbers.values()):
        ranges = dict(sampler.usual) | dict(zip(numbers, combination, strict=True))
        marks = [
            f"{key}={low}" if low == high else f"{key}={low}..{high}"
            for key, (low, high) in ((key, ranges[key]) for key in several)
        ]
        yield Cell(" ".join([name, *marks]), groups, ranges, mixes, tuple(situations))


def _read_mix(value: Any, place: str, kinds: Sequence[str]) -> dict[str, int]:
    weights = {value: 1} if isinstance(value, str) else value
    if not isinstance(weights, dict):
        raise InputError(
            f"{place}: is neither a name nor a table. Give one of {', '.join(kinds)}, or weights such as {{ {kinds[0]} = 3, {kinds[-1]} = 1 }}."
        )
    for kind, weight in weights.items():
        if kind not in kinds:
            raise InputError(f"{place}: there is no {kind!r}. Known are {', '.join(kinds)}.")
        if type(weight) is not int or not 0 <= weight < 2**31:
            raise InputError(f"{place}: {kind} has weight {weight!r}. Give a whole number from 0.")
    if not any(weights.values()):
        raise InputError(f"{place}: no weight is above 0. Give one of {', '.join(kinds)} such a weight.")
    return dict(weights)


def _read_ranges(value: Any, place: str, least: int, greatest: int) -> list[tuple[int, int]]:
    values = value if isinstance(value, list) else [value]
    if not values:
        raise InputError(f'{place}: the list is empty. Give a number, or a range such as "1..6".')
    found = []
    for one in values:
        matched = _RANGE.fullmatch(one) if isinstance(one, str) else None
        if type(one) is int:
            low = high = one
        elif matched:
            low, high = int(matched[1]), int(matched[2])
        else:
            raise InputError(
                f'{place}: {one!r} is neither a number nor a range. Write 6, "1..6" or a list of such.'
            )
        if low > high:
            raise InputError(f"{place}: {one!r} is empty. Write the smaller number first.")
        if low < least or high > greatest:
            raise InputError(f"{place}: {one!r} is out of range. Give {least} to {greatest}")
        found.append((low, high))
    return found


ALL = ("*",)
"""The pattern of all names, if a grid names none."""
GREATEST_SEED = 2**53
"""The largest seed of a run: every JSON reader represents whole numbers up to it exactly."""


class _File(msgspec.Struct, forbid_unknown_fields=True):
    """The keys of a grid file outside its cells."""

    cells: list[dict[str, Any]]
    targets: list[str] = []
    family: str = "consumer"
    seeds: tuple[int, ...] = (0,)
    measures: tuple[str, ...] = ("*",)
    optima: tuple[str, ...] = ALL
    wave: int = 20_000
    timeout_s: float = 5.0
    memory_mb: int = 4096
    sample: Sample = Sample()


@dataclass(frozen=True, slots=True)
class Grid:
    """The contents of a grid file; `wave` is the number of groups in a wave."""

    text: str
    family: str
    targets: tuple[str, ...]
    measures: tuple[str, ...]
    levels: tuple[str, ...]
    cells: tuple[Cell, ...]
    seeds: tuple[int, ...]
    sample: Sample
    wave: int
    timeout_s: float
    memory_mb: int

    @property
    def groups(self) -> int:
        """The total number of groups."""
        return len(self.seeds) * sum(cell.groups for cell in self.cells)


def read_grid(path: Path, targets: Sequence[str] = (), *, trust: bool = False) -> Grid:
    """Read a grid file; raises InputError with the file, the key and the fix.

    `targets`, if given, replace the file's own, which are not run if they are code, unless `trust`.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as wrong:
        raise InputError(f"{path}: cannot be read ({wrong.strerror}). Name a grid file.") from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: is not UTF-8. Save it as UTF-8.") from None
    try:
        return parse_grid(text, targets, trust=trust, beside=path.parent)
    except InputError as wrong:
        raise InputError(f"{path}: {wrong}") from None


def parse_grid(text: str, targets: Sequence[str] = (), *, trust: bool = False, beside: Path = Path()) -> Grid:
    """Parse a grid, as :func:`read_grid` does; raises InputError. Paths of folders are relative to `beside`."""
    file = convert_json(decode_toml(text), _File)
    refuse_unregistered("family", file.family, trust=trust)
    family_ = family(file.family)
    if family_.shape.sampler is None:
        raise InputError(
            f"family: groups of {file.family!r} cannot be generated from seeds yet. Sweep another family."
        )
    _refuse_wrong_numbers(file)
    if not targets:
        refuse_code("targets", file.targets, trust=trust, instead="--target TARGET")
    named = tuple(expand(list(targets or file.targets)))
    if not named:
        raise InputError('targets: the list is empty. Give some, as in targets = ["consumer/*"].')
    if targets:
        text += f"\n# instead of its targets: {', '.join(map(repr, targets))}\n"
    cells = tuple(
        cell
        for at, table in enumerate(file.cells)
        for cell in (
            [read_cell(table, f"cells[{at}]", family_, beside)]
            if "folder" in table
            else build_cells(table, f"cells[{at}]", family_)
        )
    )
    names = [cell.name for cell in cells]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"cells: two of them have the name {name!r}. Rename one.")
    text += _note_given(cells, file.seeds)
    if not sum(cell.groups for cell in cells):
        raise InputError("cells: they have no groups. Give some cells with groups = 1 or more.")
    levels = tuple(family_.oracles.levels) if family_.oracles else ()
    if (
        file.optima != ALL and family_.oracles
    ):  # objectives with weights are compared only if a grid names them
        levels += family_.oracles.weights
    return Grid(
        text, file.family, named,
        _select_names("measures", file.measures, list(family_.measures)),
        _select_names("optima", file.optima, levels),
        cells, file.seeds, file.sample, file.wave, file.timeout_s, file.memory_mb,
    )  # fmt: skip


def _note_given(cells: Sequence[Cell], seeds: Sequence[int]) -> str:
    """Return lines with the hash of the groups of each cell, so that a sweep of other groups is another run."""
    given = [cell for cell in cells if cell.given]
    if given and len(seeds) > 1:
        raise InputError(
            f"seeds: the groups of cell {given[0].name!r} are the same for each seed. Give one seed."
        )
    hashes = [sha256("".join(cell.given).encode()).hexdigest() for cell in given]
    return "".join(f"\n# the groups of {cell.name!r}: {of}\n" for cell, of in zip(given, hashes, strict=True))


def _refuse_wrong_numbers(file: _File) -> None:
    for key in ("wave", "timeout_s", "memory_mb"):
        if not 0 < getattr(file, key) < 2**31:
            raise InputError(f"{key}: is {getattr(file, key)}. Give a number above 0.")
    for key in Sample.__struct_fields__:
        if getattr(file.sample, key) < 0:
            raise InputError(
                f"sample.{key}: is below 0. Give 20 to sample one group of 20, or 0 for no group."
            )
    if (
        not file.seeds
        or len(set(file.seeds)) < len(file.seeds)
        or not all(0 <= s <= GREATEST_SEED for s in file.seeds)
    ):
        raise InputError(
            f"seeds: are missing, repeated or out of range. Give different whole numbers from 0 to {GREATEST_SEED}, as in seeds = [1, 2]."
        )


def _select_names(key: str, patterns: Sequence[str], known: Sequence[str]) -> tuple[str, ...]:
    if not patterns:  # Parquet cannot store a column without fields
        raise InputError(
            f"{key}: the list is empty. Leave the key out for all, or name some of {', '.join(known)}."
        )
    for pattern in patterns:
        if known and not any(fnmatchcase(name, pattern) for name in known):
            raise InputError(f"{key}: there is no {pattern!r}. Known are {', '.join(known)}.")
    return tuple(name for name in known if any(fnmatchcase(name, pattern) for pattern in patterns))
