"""How bad an answer is on one group: its value in the level judged, against the optimum."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from kassay.model import AssignorError

G = TypeVar("G")
A = TypeVar("A")
V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class Scored(Generic[G]):
    """A group with its size (members, items and parts), what the answer is worth in the level judged, and the optimum there."""

    group: G
    size: tuple[int, int, int]
    value: int
    optimum: int

    @property
    def gap(self) -> int:
        """What the answer has more than the optimum; below 0 only where an earlier level is worse."""
        return self.value - self.optimum


@dataclass(frozen=True, slots=True)
class Judge(Generic[G]):
    """What is judged: the value reached on a group, None where there is nothing to compare; the optimum; a group's size.

    The optimum is proved, or UnsolvedError is raised.
    """

    value: Callable[[G], int | None]
    optimum: Callable[[G], int]
    size: Callable[[G], tuple[int, int, int]]

    def score(self, group: G) -> Scored[G] | None:
        """Return how a group fares, None where there is nothing to compare."""
        value = self.value(group)
        return None if value is None else Scored(group, self.size(group), value, self.optimum(group))


def answered(assign: Callable[[G], A], measured: Callable[[G, A], V | None]) -> Callable[[G], V | None]:
    """Return what measures an assignor's answers; None where it gives up, or its answer is not comparable."""

    def value(group: G) -> V | None:
        try:
            given = assign(group)
        except AssignorError:
            return None
        return measured(group, given)

    return value
