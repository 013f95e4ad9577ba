"""Metamorphic properties for the assignors of every family, and new names for properties of renaming."""

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cache
from itertools import count
from typing import Any, TypeVar

from kassay.model import AssignorError
from kassay.properties.runs import Run, TwoRuns, format_items
from kassay.reference.java.hash_map import spread
from kassay.reference.java.strings import string_hash, string_order

G = TypeVar("G")
A = TypeVar("A")


def crash_free(assign: Callable[[G], A], group: G) -> Iterator[str]:
    """It answers every legal group with an assignment: it does not throw, crash or hang.

    Source: an assignor that throws stops the whole group, which then rebalances endlessly.
    """
    try:
        assign(group)
    except AssignorError as error:
        yield f"it fails: {error}"


def deterministic(assign: Callable[[G], A], group: G) -> Iterator[str]:
    """The same group is given the same answer again, down to the order of the partitions.

    Source: the group's leader may change between rebalances, and a new leader must not shuffle the group.
    """
    first, second = assign(group), assign(group)
    if first != second:
        runs = Run("at first", group, first), Run("then", group, second)
        yield TwoRuns(_difference(first, second), *runs)


def _difference(first: Any, second: Any) -> str:
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        for name in (*first, *second):
            if first.get(name) != second.get(name):
                return f"{name} is given {_given(first.get(name))} at first, then {_given(second.get(name))}"
    for field in getattr(first, "_fields", ()):
        one, other = getattr(first, field), getattr(second, field, None)
        if one != other:
            return (
                _difference(one, other)
                if isinstance(one, Mapping)
                else f"{field} is {one} at first, then {other}"
            )
    return f"it answers {first!r} at first, then {second!r}"


def _given(given: Any) -> str:
    if hasattr(given, "_fields"):
        return format_items(f"{role} {format_items(items, ' ')}" for role, items in given._asdict().items())
    return format_items(given) if given is None or isinstance(given, (list, tuple)) else str(given)


SLOTS = 64
"""The slots of a hash map of up to 48 names. A smaller map uses fewer bits of the same hash."""


def new_names(names: Collection[str], prefix: str) -> dict[str, str]:
    """Return a new name for each name; if Java and Python sort the names differently, the old name with a prefix."""
    ordered = sorted(names)
    if ordered != sorted(names, key=string_order):
        return {name: prefix + name for name in ordered}
    return {name: _against_the_order(prefix, rank) for rank, name in enumerate(ordered)}


@cache
def _against_the_order(prefix: str, rank: int) -> str:
    """Return a name that sorts by its rank, below 100,000, but is in front of lower ranks in hash maps."""
    names = (f"{prefix}{rank:05}-{number}" for number in count())
    return next(name for name in names if slot(name) == slot_of_rank(rank))


def slot(name: str) -> int:
    """Return the slot of a name in a HashMap of 64 slots."""
    return spread(string_hash(name)) % SLOTS


def slot_of_rank(rank: int) -> int:
    """Return the slot for the name of a rank."""
    return (SLOTS - 1 - rank) % SLOTS
