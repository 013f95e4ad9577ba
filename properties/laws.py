"""Laws of several runs that hold for the assignors of every family."""

from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

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


def _difference(first: object, second: object) -> str:
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        for name in (*first, *second):
            if first.get(name) != second.get(name):
                return f"{name} is given {_given(first.get(name))} at first, then {_given(second.get(name))}"
    return f"it answers {first!r} at first, then {second!r}"


def _given(given: object) -> str:
    return listed(given) if given is None or isinstance(given, (list, tuple)) else str(given)
