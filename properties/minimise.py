"""The shrinker: the last pass, which reduces a failing group to the smallest one that still fails.

Hypothesis finds a group, but its own shrinking ends in different groups for different seeds and versions. Here each input
model defines an order of its groups and steps to smaller ones. The steps of all input models are made of the edits of records
and the plain names at the end of this module.
"""

import re
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from kassay.model import Topic

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

G = TypeVar("G", bound=Hashable)
R = TypeVar("R", bound="DataclassInstance")
T = TypeVar("T")

TRIES = 10_000
PAIRED = 60
"""Pairs of steps are tried if at most this many single steps are possible."""


@dataclass(frozen=True, slots=True)
class Minimised(Generic[G]):
    """The result of shrinking a group."""

    group: G
    """The smallest group found."""
    tries: int
    """The number of calls of the predicate."""
    finished: bool
    """True if nothing smaller was left untried."""


def minimise(
    group: G,
    holds: Callable[[G], bool],
    smaller: Callable[[G], Iterator[G]],
    *,
    tries: int = TRIES,
    wall_s: float | None = None,
) -> Minimised[G]:
    """Return the smallest group reached from this one by steps of `smaller` after which `holds` is still true.

    `smaller` yields groups that are smaller by some well-founded order, boldest steps first. `holds` is called once for each
    group. Stops unfinished after `tries` calls of it or, if given, `wall_s` seconds (a call is not interrupted).
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


def try_pairs(group: G, steps: Callable[[G], Iterator[G]]) -> Iterator[G]:
    """Yield the groups that are one step away and then, if there are few of them, those that are two steps away."""
    near = []
    for one in steps(group):
        yield one
        near.append(one)
    for one in near if len(near) <= PAIRED else ():
        yield from steps(one)


@dataclass(frozen=True, slots=True)
class Shrinker(Generic[G]):
    """The order of the groups of an input model, and the steps to smaller groups."""

    size: Callable[[G], tuple[int, ...]]
    """The size of a group, the most important number first, features before their numbers."""
    disorder: Callable[[G], tuple[int, ...]]
    """The distance of a group from plain names and from their order; it decides between groups of one size."""
    steps: Sequence[Callable[[G], Iterable[G]]]
    """The kinds of step in the order in which they are tried. Results that are not smaller are left out."""
    smallest: Callable[[], Sequence[tuple[tuple[int, ...], G]]] = tuple
    """The smallest groups with their keys in ascending order. If a minimum is among them, it is found from every start."""

    def key(self, group: G) -> tuple[int, ...]:
        """Return the key by which every step makes a group smaller, so that shrinking ends."""
        return (*self.size(group), *self.disorder(group))

    def list_steps(self, group: G) -> Iterator[G]:
        """Yield the groups that are one step smaller."""
        size, disorder = self.size, self.disorder
        own, own_disorder = size(group), disorder(group)
        for step in self.steps:
            for candidate in step(group):
                if candidate == group:  # much cheaper than its size
                    continue
                its = size(candidate)
                if its < own or (its == own and disorder(candidate) < own_disorder):
                    yield candidate

    def list_smallest(self, group: G) -> Iterator[G]:
        """Yield the smallest groups of all that are smaller than this one."""
        own = self.key(group)
        for its, candidate in self.smallest():
            if its >= own[: len(its)]:
                return
            yield candidate

    def list_smaller(self, group: G) -> Iterator[G]:
        """Yield smaller groups: single steps, pairs of steps, then the smallest groups of all. None is without members."""
        yield from try_pairs(group, self.list_steps)
        yield from self.list_smallest(group)


def parts(number: int) -> Iterator[slice]:
    """Yield the slices to leave out of a number of items: all, halves, quarters, ... down to single ones, the last first."""
    length = number
    while length:
        for start in range(number - length, -1, -length):
            yield slice(start, start + length)
        length //= 2


def cut(items: tuple[T, ...], part: slice) -> tuple[T, ...]:
    """Return the items without a part of them."""
    return items[: part.start] + items[part.stop :]


def drop_some(items: tuple[T, ...]) -> Iterator[tuple[T, ...]]:
    """Yield the items without each of their :func:`parts`."""
    return (cut(items, part) for part in parts(len(items)))


def keep_some(items: tuple[T, ...]) -> Iterator[tuple[tuple[T, ...], tuple[T, ...]]]:
    """Yield the items without each of their :func:`parts`, but never none, and the items left out."""
    return ((left, items[part]) for part in parts(len(items)) if (left := cut(items, part)))


def list_lower(number: int, *first: int) -> Iterator[int]:
    """Yield lower numbers, each once and none below 0: some given ones first, then the half and one less."""
    return (lower for lower in dict.fromkeys((*first, number // 2, number - 1)) if 0 <= lower < number)


def put(items: tuple[T, ...], at: int, *new: T) -> tuple[T, ...]:
    """Return the items with one item replaced by others."""
    return (*items[:at], *new, *items[at + 1 :])


def swap_neighbours(items: tuple[T, ...]) -> Iterator[tuple[T, ...]]:
    """Yield the items with each pair of neighbours exchanged."""
    return ((*items[:at], items[at + 1], items[at], *items[at + 2 :]) for at in range(len(items) - 1))


def with_one(record: R, field: str, at: int, **changes: Any) -> R:
    """Return the record after a change of fields in one item of a field that lists records."""
    items = getattr(record, field)
    return replace(record, **{field: put(items, at, replace(items[at], **changes))})


def with_each(record: R, field: str, change: Callable[[Any], Any] | None = None, **changes: Any) -> R:
    """Return the record after the same change in all items of a field that lists records."""
    change = change or (lambda item: replace(item, **changes))
    return replace(record, **{field: tuple(map(change, getattr(record, field)))})


def drop_each(record: R, field: str, name: str, nothing: object = None) -> Iterator[R]:
    """Yield the record with a field of one item after the other set to nothing."""
    for at, item in enumerate(getattr(record, field)):
        if getattr(item, name) != nothing:
            yield with_one(record, field, at, **{name: nothing})


def drop_racks(
    record: R, readers: str, racks: Iterable[str], rename: Callable[[R, dict[str, dict[str, str]]], R]
) -> Iterator[R]:
    """Yield the record without the racks of a reader, a topic, a partition or a replica, or with two racks made one."""
    yield from drop_each(record, readers, "rack")
    topics: tuple[Topic, ...] = getattr(record, "topics")  # noqa: B009, for the type checker
    for at, topic in enumerate(topics):
        if topic.racks is not None:
            yield with_one(record, "topics", at, racks=None)
            for place, near in enumerate(topic.racks):
                for left in drop_some(near):
                    yield with_one(record, "topics", at, racks=put(topic.racks, place, left))
    for one, other in combinations(racks, 2):
        yield rename(record, {"r": {other: one}})


def rack_names(readers: Iterable[Any], topics: Iterable[Topic]) -> list[str]:
    """Return the names of all racks, each once: racks of the readers first, then racks of the replicas."""
    replicas = (rack for topic in topics for near in topic.racks or () for rack in near)
    named = (*(reader.rack for reader in readers), *replicas)
    return list(dict.fromkeys(rack for rack in named if rack is not None))


def append_topic(one: Topic, other: Topic) -> Topic:
    """Return the first topic with the partitions of the other one appended."""
    racks = None
    if one.racks is not None or other.racks is not None:
        racks = (one.racks or ((),) * one.partitions) + (other.racks or ((),) * other.partitions)
    return Topic(one.name, one.partitions + other.partitions, racks)


def list_subsets(items: Sequence[T], most: int | None = None) -> list[tuple[T, ...]]:
    """Return the subsets of the items, up to a size, in ascending order of size."""
    sizes = range(1 + (len(items) if most is None else most))
    return list(chain.from_iterable(combinations(items, size) for size in sizes))


_PLAIN = re.compile(r"[a-z][0-9]{1,9}")


def plain_number(name: str, kind: str) -> int | None:
    """Return the number in a plain name of this kind, a letter; None if the name is not plain."""
    return int(name[1:]) if name.startswith(kind) and _PLAIN.fullmatch(name) else None


def distance(named: Mapping[str, Sequence[str]]) -> tuple[int, int]:
    """Return the number of names that are not plain, and the sum of the numbers of the others."""
    numbers = [plain_number(name, kind) for kind, names in named.items() for name in names]
    return sum(number is None for number in numbers), sum(number or 0 for number in numbers)


def renamings(kinds: Mapping[str, Sequence[str]]) -> Iterator[dict[str, dict[str, str]]]:
    """Yield plain names of the same order for sorted names of several kinds: for all names, for one kind, for one name."""
    plain: dict[str, dict[str, str]] = {}
    single: list[dict[str, dict[str, str]]] = []
    for kind, named in kinds.items():
        numbers = [plain_number(name, kind) for name in named]
        # New names by rank, of one length so that they sort alike, only if they are plainer than the old ones.
        if None in numbers or sum(map(int, filter(None, numbers))) > sum(range(len(named))):
            width = len(str(len(named) - 1))
            plain[kind] = {name: f"{kind}{rank:0{width}}" for rank, name in enumerate(named)}
        else:
            plain[kind] = {}
        # A single name becomes the lowest plain name that is free and lower.
        free = next(number for number in range(len(named) + 1) if number not in numbers)
        single += [
            {kind: {name: f"{kind}{free}"}}
            for name, number in zip(named, numbers, strict=True)
            if number is None or number > free
        ]
    for renaming in [plain, *({kind: new} for kind, new in plain.items()), *single]:
        if any(old != new for names in renaming.values() for old, new in names.items()):
            yield renaming


def inversions(items: Sequence[Any]) -> int:
    """Return the number of pairs that are out of order."""
    in_order = sorted(items)
    if list(items) == in_order:
        return 0
    rank = {item: at for at, item in enumerate(in_order)}
    order = [rank[item] for item in items]
    return sum(one > other for at, one in enumerate(order) for other in order[at + 1 :])
