"""The minimiser: the canonical last pass that makes a failing group as small as it gets, in every shape.

Hypothesis finds a group; its own shrinking ends in different groups for different seeds and versions. Here the shape
says what is smaller, and steps are taken until none is left after which the group still fails. Below stand the edits of
records, and the plain names, of which the steps of all shapes are made.
"""

import re
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

G = TypeVar("G", bound=Hashable)
R = TypeVar("R", bound="DataclassInstance")
T = TypeVar("T")

TRIES = 10_000
PAIRED = 60
"""Pairs of steps are tried where at most this many single steps are possible."""


@dataclass(frozen=True, slots=True)
class Minimised(Generic[G]):
    """The smallest group found, how often the predicate was asked, and whether nothing smaller was left untried."""

    group: G
    tries: int
    finished: bool


def minimise(
    group: G,
    holds: Callable[[G], bool],
    smaller: Callable[[G], Iterator[G]],
    *,
    tries: int = TRIES,
    wall_s: float | None = None,
) -> Minimised[G]:
    """Return the smallest group reached from this one by steps of `smaller` after which `holds` is still true.

    `smaller` yields groups that are smaller by some well-founded order, boldest steps first. Of each group `holds` is asked
    once. Stops unfinished after `tries` calls of it or, if given, `wall_s` seconds (a call is not interrupted).
    """
    deadline = None if wall_s is None else time.monotonic() + wall_s
    failed: set[G] = set()
    tried = 0
    candidates = smaller(group)
    while (candidate := next(candidates, None)) is not None:
        if candidate in failed:
            continue
        if tried >= tries or (deadline is not None and time.monotonic() > deadline):
            return Minimised(group, tried, finished=False)
        tried += 1
        if holds(candidate):
            group, candidates = candidate, smaller(candidate)
        else:
            failed.add(candidate)
    return Minimised(group, tried, finished=True)


def in_pairs(group: G, steps: Callable[[G], Iterator[G]]) -> Iterator[G]:
    """Yield the groups one step away and then, where these are few, those two steps away: for a shape's `smaller`."""
    near = []
    for one in steps(group):
        yield one
        near.append(one)
    for one in near if len(near) <= PAIRED else ():
        yield from steps(one)


def descend(
    group: G,
    steps: Iterable[Callable[[G], Iterator[G]]],
    size: Callable[[G], tuple[int, ...]],
    disorder: Callable[[G], tuple[int, ...]],
) -> Iterator[G]:
    """Yield of the groups that steps lead to the smaller ones, and those of the same size in better order.

    So a step may yield a group that is as it was: it is left out here.
    """
    own, own_disorder = size(group), disorder(group)
    for step in steps:
        for candidate in step(group):
            if candidate == group:  # much cheaper than its size
                continue
            its = size(candidate)
            if its < own or (its == own and disorder(candidate) < own_disorder):
                yield candidate


def parts(number: int) -> Iterator[slice]:
    """Yield which of a number of things to leave out: all, halves, quarters, ... down to single ones, the last first."""
    length = number
    while length:
        for start in range(number - length, -1, -length):
            yield slice(start, start + length)
        length //= 2


def cut(items: tuple[T, ...], part: slice) -> tuple[T, ...]:
    """Return the items without a part of them."""
    return items[: part.start] + items[part.stop :]


def left_out(items: tuple[T, ...]) -> Iterator[tuple[T, ...]]:
    """Yield the items without each of their :func:`parts`."""
    return (cut(items, part) for part in parts(len(items)))


def put(items: tuple[T, ...], at: int, *new: T) -> tuple[T, ...]:
    """Return the items with another one, several or none in a place."""
    return (*items[:at], *new, *items[at + 1 :])


def swapped(items: tuple[T, ...]) -> Iterator[tuple[T, ...]]:
    """Yield the items with each two neighbours exchanged."""
    return ((*items[:at], items[at + 1], items[at], *items[at + 2 :]) for at in range(len(items) - 1))


def with_one(record: R, field: str, at: int, **changes: Any) -> R:
    """Return the record in which one item of a field that lists records has other fields."""
    items = getattr(record, field)
    return replace(record, **{field: put(items, at, replace(items[at], **changes))})


def with_each(record: R, field: str, change: Callable[[Any], Any] | None = None, **changes: Any) -> R:
    """Return the record in which all items of a field that lists records are changed, or have other fields."""
    change = change or (lambda item: replace(item, **changes))
    return replace(record, **{field: tuple(map(change, getattr(record, field)))})


def one_by_one(record: R, field: str, name: str, nothing: object = None) -> Iterator[R]:
    """Yield the record in which one item after the other has nothing in a field."""
    for at, item in enumerate(getattr(record, field)):
        if getattr(item, name) != nothing:
            yield with_one(record, field, at, **{name: nothing})


_PLAIN = re.compile(r"[a-z][0-9]{1,9}")


def plain_number(name: str, kind: str) -> int | None:
    """Return the number in a plain name of this kind, a letter; None if the name is not plain."""
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
