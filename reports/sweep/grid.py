"""Grid files: which groups a sweep draws and which targets answer them, as TOML; read strictly, before anything is started.

The cells of a grid file: from a table of keys to what each cell draws its groups from.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import product
from pathlib import Path
from typing import Any

import msgspec

from kassay.errors import InputError
from kassay.families import family
from kassay.family import Family
from kassay.files.texts import toml_of
from kassay.files.writing import refuse_code, refuse_unregistered
from kassay.model.json_text import convert_json
from kassay.reports.sweep.manifest import Cell, Sample
from kassay.shape import Sampler
from kassay.targets import expand

_RANGE = re.compile(r"(\d{1,9})\.\.(\d{1,9})")
_COMMON = {"name", "groups", "situations"}


def build_cells(table: Mapping[str, Any], place: str, family_: Family) -> Iterator[Cell]:
    """Yield the cells that a table stands for: one for each combination of the keys that list several ranges.

    Raises InputError that begins with the place, or the cell's name.
    """
    sampler = family_.shape.sampler
    assert sampler is not None
    known = [*_COMMON, *sampler.usual, *sampler.kinds]
    for key in table:
        if key not in known:
            raise InputError(f"{place}: there is no key {key!r}; known are {', '.join(sorted(known))}")
    name, groups = table.get("name"), table.get("groups")
    if not isinstance(name, str) or not name:
        raise InputError(f"{place}.name: give the cell a name")
    place = f"cell {name!r}"
    if type(groups) is not int or not 0 <= groups < 2**40:
        raise InputError(f"{place}: groups: give how many are drawn for each seed, a whole number")
    situations = table.get("situations", [])
    if not isinstance(situations, list):
        raise InputError(f'{place}: situations: give a list, as in ["racks"]')
    for situation in situations:
        if situation not in family_.situations:
            raise InputError(f"{place}: situations: there is no {situation!r}; `kassay list` shows them")
    mixes = {
        kind: _read_mix(table[kind], f"{place}: {kind}", sampler.kinds[kind])
        for kind in sampler.kinds
        if kind in table
    }
    numbers = {
        key: _read_ranges(table[key], f"{place}: {key}", sampler, key)
        for key in sampler.usual
        if key in table
    }
    several = [key for key, ranges in numbers.items() if len(ranges) > 1]
    for combination in product(*numbers.values()):
        ranges = dict(sampler.usual) | dict(zip(numbers, combination, strict=True))
        marks = [f"{key}={_written(ranges[key])}" for key in several]
        yield Cell(" ".join([name, *marks]), groups, ranges, mixes, tuple(situations))


def _read_mix(value: Any, place: str, kinds: Sequence[str]) -> dict[str, int]:
    weights = {value: 1} if isinstance(value, str) else value
    if not isinstance(weights, dict):
        raise InputError(
            f"{place}: give one of {', '.join(kinds)}, or weights such as {{ {kinds[0]} = 3, {kinds[-1]} = 1 }}"
        )
    for kind, weight in weights.items():
        if kind not in kinds:
            raise InputError(f"{place}: there is no {kind!r}; known are {', '.join(kinds)}")
        if type(weight) is not int or not 0 <= weight < 2**31:
            raise InputError(f"{place}: {kind} weighs {weight!r}; give a whole number from 0")
    if not any(weights.values()):
        raise InputError(f"{place}: nothing has a weight above 0; give one of {', '.join(kinds)}")
    return dict(weights)


def _read_ranges(value: Any, place: str, sampler: Sampler, key: str) -> list[tuple[int, int]]:
    values = value if isinstance(value, list) else [value]
    if not values:
        raise InputError(f'{place}: the list is empty; give a number, or a range such as "1..6"')
    return [_read_range(one, place, *sampler.numbers[key]) for one in values]


def _read_range(value: Any, place: str, least: int, greatest: int) -> tuple[int, int]:
    matched = _RANGE.fullmatch(value) if isinstance(value, str) else None
    if type(value) is int:
        low = high = value
    elif matched:
        low, high = int(matched[1]), int(matched[2])
    else:
        raise InputError(f'{place}: {value!r} is no number and no range; write 6, "1..6" or a list of such')
    if low > high:
        raise InputError(f"{place}: {value!r} is empty; write the smaller number first")
    if low < least or high > greatest:
        raise InputError(f"{place}: {value!r} goes beyond {least} to {greatest}")
    return low, high


def _written(limits: tuple[int, int]) -> str:
    low, high = limits
    return str(low) if low == high else f"{low}..{high}"


ALL = ("*",)
"""Everything that there is, where a grid names nothing."""
GREATEST_SEED = 2**53
"""Seeds of a run are whole numbers from 0 to this, which every reader of JSON knows exactly."""


class _File(msgspec.Struct, forbid_unknown_fields=True):
    """A grid file's keys outside its cells."""

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
    """What a grid file asks for; `wave` is the number of groups in a wave."""

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
        """How many groups there are in all."""
        return len(self.seeds) * sum(cell.groups for cell in self.cells)


def read_grid(path: Path, targets: Sequence[str] = (), *, trust: bool = False) -> Grid:
    """Read a grid file; raises InputError naming the file, the key and the fix.

    `targets`, where given, replace the file's own, which may be no code unless `trust`.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as wrong:
        raise InputError(f"{path}: cannot be read ({wrong.strerror}); name a grid file") from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: is no UTF-8; save it so") from None
    try:
        return grid_of(text, targets, trust=trust)
    except InputError as wrong:
        raise InputError(f"{path}: {wrong}") from None


def grid_of(text: str, targets: Sequence[str] = (), *, trust: bool = False) -> Grid:
    """Read a grid, as :func:`read_grid` does; raises InputError."""
    file = convert_json(toml_of(text), _File)
    refuse_unregistered("family", file.family, trust=trust)
    family_ = family(file.family)
    if family_.shape.sampler is None:
        raise InputError(
            f"family: groups of {file.family!r} cannot be drawn by seed yet; sweep another family"
        )
    _positive("wave", file.wave)
    _positive("timeout_s", file.timeout_s)
    _positive("memory_mb", file.memory_mb)
    for key in Sample.__struct_fields__:
        if getattr(file.sample, key) < 0:
            raise InputError(f"sample.{key}: give one group in how many is tried, or 0 for none")
    if (
        not file.seeds
        or len(set(file.seeds)) < len(file.seeds)
        or not all(0 <= s <= GREATEST_SEED for s in file.seeds)
    ):
        raise InputError(
            f"seeds: give different whole numbers from 0 to {GREATEST_SEED}, as in seeds = [1, 2]"
        )
    named = _targets(file.targets, targets, trust=trust)
    if targets:
        text += f"\n# instead of its targets: {', '.join(map(repr, targets))}\n"
    cells = tuple(
        cell for at, table in enumerate(file.cells) for cell in build_cells(table, f"cells[{at}]", family_)
    )
    names = [cell.name for cell in cells]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"cells: two of them are named {name!r}; rename one")
    if not sum(cell.groups for cell in cells):
        raise InputError("cells: there is no group in them; give some cells with groups = 1 or more")
    levels = tuple(family_.oracles.levels) if family_.oracles else ()
    if file.optima != ALL and family_.oracles:  # what weighs partitions is compared where a grid names it
        levels += family_.oracles.weights
    return Grid(
        text, file.family, named,
        _select_names("measures", file.measures, list(family_.measures)),
        _select_names("optima", file.optima, levels),
        cells, file.seeds, file.sample, file.wave, file.timeout_s, file.memory_mb,
    )  # fmt: skip


def _targets(own: Sequence[str], instead: Sequence[str], *, trust: bool) -> tuple[str, ...]:
    if not instead:
        refuse_code("targets", own, trust=trust, instead="--target TARGET")
    named = tuple(expand(list(instead or own)))
    if not named:
        raise InputError('targets: there are none; give some, as in targets = ["consumer/*"]')
    return named


def _positive(key: str, value: float) -> None:
    if not 0 < value < 2**31:
        raise InputError(f"{key}: is {value}; give a number above 0")


def _select_names(key: str, patterns: Sequence[str], known: Sequence[str]) -> tuple[str, ...]:
    if not patterns:  # Parquet knows no column without fields
        raise InputError(
            f"{key}: the list is empty; leave the key out for all, or name some of {', '.join(known)}"
        )
    for pattern in patterns:
        if known and not any(fnmatchcase(name, pattern) for name in known):
            raise InputError(f"{key}: there is no {pattern!r}; known are {', '.join(known)}")
    return tuple(name for name in known if any(fnmatchcase(name, pattern) for pattern in patterns))
