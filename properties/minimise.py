"""Minimising: the canonical last pass that makes a failing group as small as it gets, whatever the family.

Hypothesis finds a group; its own shrinking ends in different groups for different seeds and versions. Here a family says
what is a little smaller, and single steps, then pairs of steps, are taken until none is left that still fails.
"""

import time
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

G = TypeVar("G", bound=Hashable)

TRIES = 5_000


@dataclass(frozen=True, slots=True)
class Minimised(Generic[G]):
    """The smallest group found, how often the predicate was asked, and whether every smaller one was tried."""

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
    """Return the smallest group reachable from this one by steps of `smaller` through groups for which `holds` is true.

    `smaller` yields groups that are smaller by some well-founded order, boldest steps first. At the end also pairs of steps
    are tried, of which the first alone makes `holds` false. Stops unfinished after `tries` calls of `holds`, or `wall_s`
    seconds if given.
    """
    search = _Search(holds, tries, None if wall_s is None else time.monotonic() + wall_s)
    try:
        while True:
            step = search.first(smaller(group)) or search.first(
                second for first in smaller(group) for second in smaller(first)
            )
            if step is None:
                return Minimised(group, search.tried, finished=True)
            group = step
    except _OutOfBudgetError:
        return Minimised(group, search.tried, finished=False)


class _OutOfBudgetError(Exception):
    pass


class _Search(Generic[G]):
    def __init__(self, holds: Callable[[G], bool], tries: int, deadline: float | None) -> None:
        self.holds = holds
        self.tries = tries
        self.deadline = deadline
        self.tried = 0
        self.failed: set[G] = set()

    def first(self, candidates: Iterator[G]) -> G | None:
        """Return the first candidate for which the predicate holds, asking of each group but once."""
        for candidate in candidates:
            if candidate in self.failed:
                continue
            if self.tried >= self.tries or (self.deadline is not None and time.monotonic() > self.deadline):
                raise _OutOfBudgetError
            self.tried += 1
            if self.holds(candidate):
                return candidate
            self.failed.add(candidate)
        return None
