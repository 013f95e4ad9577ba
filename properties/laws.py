"""Laws of several runs that hold for the assignors of every family."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from kassay.model import AssignorError
from kassay.properties.runs import Run, TwoRuns
from kassay.properties.words import listed

G = TypeVar("G")
A = TypeVar("A")


def crash_free(assign: Callable[[G], A], group: G) -> Iterator[str]:
    """It answers every legal group with an assignment: it neither throws, dies nor hangs.

    Source: an assignor that throws stops the whole group, which then rebalances for ever.
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
        return listed(f"{role} {listed(items, ' ')}" for role, items in given._asdict().items())
    return listed(given) if given is None or isinstance(given, (list, tuple)) else str(given)
