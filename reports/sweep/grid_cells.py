"""The cells of a grid file: from a table of keys to what each cell draws its groups from."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from kassay.errors import InputError
from kassay.family import Family
from kassay.reports.sweep.manifest import Cell
from kassay.shape import Sampler

_RANGE = re.compile(r"(\d{1,9})\.\.(\d{1,9})")
_COMMON = {"name", "groups", "situations"}


def cells_of(table: Mapping[str, Any], place: str, family_: Family) -> Iterator[Cell]:
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
        kind: _mix(table[kind], f"{place}: {kind}", sampler.kinds[kind])
        for kind in sampler.kinds
        if kind in table
    }
    numbers = {
        key: _ranges(table[key], f"{place}: {key}", sampler, key) for key in sampler.usual if key in table
    }
    several = [key for key, ranges in numbers.items() if len(ranges) > 1]
    for combination in product(*numbers.values()):
        ranges = dict(sampler.usual) | dict(zip(numbers, combination, strict=True))
        marks = [f"{key}={_written(ranges[key])}" for key in several]
        yield Cell(" ".join([name, *marks]), groups, ranges, mixes, tuple(situations))


def _mix(value: Any, place: str, kinds: Sequence[str]) -> dict[str, int]:
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


def _ranges(value: Any, place: str, sampler: Sampler, key: str) -> list[tuple[int, int]]:
    values = value if isinstance(value, list) else [value]
    if not values:
        raise InputError(f'{place}: the list is empty; give a number, or a range such as "1..6"')
    return [_range(one, place, *sampler.numbers[key]) for one in values]


def _range(value: Any, place: str, least: int, greatest: int) -> tuple[int, int]:
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
