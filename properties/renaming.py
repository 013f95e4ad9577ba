"""New names that sort as the old ones do, but stand in Java's hash maps in the opposite of their order.

Plain names: a letter and a number each, t0, t1, ..., which the minimiser gives to what has others.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from itertools import count
from typing import Any

from kassay.reference.java.hash_map import spread
from kassay.reference.java.strings import string_hash, string_order

SLOTS = 64
"""Of a table that holds up to 48 names; in a smaller one fewer bits of the same hash count."""


def new_names(names: Collection[str], prefix: str) -> dict[str, str]:
    """Return a new name for each; where Java and Python sort the names differently, the old one with a prefix."""
    ordered = sorted(names)
    if ordered != sorted(names, key=string_order):
        return {name: prefix + name for name in ordered}
    return {name: _against_the_order(prefix, rank) for rank, name in enumerate(ordered)}


@cache
def _against_the_order(prefix: str, rank: int) -> str:
    """Return a name that sorts by its rank, below 100,000, but stands in hash maps the further in front the higher it is."""
    names = (f"{prefix}{rank:05}-{number}" for number in count())
    return next(name for name in names if slot(name) == slot_of_rank(rank))


def slot(name: str) -> int:
    """Return where in a HashMap of 64 slots a name stands."""
    return spread(string_hash(name)) % SLOTS


def slot_of_rank(rank: int) -> int:
    """Return where the name of a rank is to stand."""
    return (SLOTS - 1 - rank) % SLOTS


_PLAIN = re.compile(r"[a-z][0-9]{1,9}")


def plain_number(name: str, kind: str) -> int | None:
    """Return the number in a plain name of this kind, a letter; None where the name is not plain."""
    return int(name[1:]) if name.startswith(kind) and _PLAIN.fullmatch(name) else None


def distance(named: Mapping[str, Sequence[str]]) -> tuple[int, int]:
    """Return how far the names of several kinds are from plain ones: how many are not plain, and the sum of the others' numbers."""
    numbers = [plain_number(name, kind) for kind, names in named.items() for name in names]
    return sum(number is None for number in numbers), sum(number or 0 for number in numbers)


def renamings(kinds: Mapping[str, Sequence[str]]) -> Iterator[dict[str, dict[str, str]]]:
    """Yield plain names of the same order for names of several kinds, each sorted: for all, for a kind, for a single one."""
    plain = {kind: _in_rank(kind, named) for kind, named in kinds.items()}
    tried = [plain, *({kind: new} for kind, new in plain.items())]
    tried += [{kind: {name: new}} for kind, named in kinds.items() for name, new in _singly(kind, named)]
    for renaming in tried:
        if any(old != new for kind in renaming.values() for old, new in kind.items()):
            yield renaming


def inversions(items: Sequence[Any]) -> int:
    """Return how many pairs are out of order."""
    in_order = sorted(items)
    if list(items) == in_order:
        return 0
    rank = {item: at for at, item in enumerate(in_order)}
    order = [rank[item] for item in items]
    return sum(one > other for at, one in enumerate(order) for other in order[at + 1 :])


def _in_rank(kind: str, named: Sequence[str]) -> dict[str, str]:
    """Return new names by rank, of one length so that they sort alike, where that makes the names plainer."""
    numbers = [plain_number(name, kind) for name in named]
    if None not in numbers and sum(map(int, filter(None, numbers))) <= sum(range(len(named))):
        return {}
    width = len(str(len(named) - 1))
    return {name: f"{kind}{rank:0{width}}" for rank, name in enumerate(named)}


def _singly(kind: str, named: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield single names and the lowest plain name that is free and lower."""
    taken = {plain_number(name, kind) for name in named}
    free = next(number for number in range(len(named) + 1) if number not in taken)
    for name in named:
        number = plain_number(name, kind)
        if number is None or number > free:
            yield name, f"{kind}{free}"
