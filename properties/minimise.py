"""Minimising: the canonical last pass that makes a failing group as small as it gets, whatever the family.

Hypothesis finds a group; its own shrinking ends in different groups for different seeds and versions. Here the family
says what is a step smaller, and steps are taken until none is left after which the group still fails.
"""

import time
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Generic, TypeVar

G = TypeVar("G", bound=Hashable)

TRIES = 5_000
PAIRED = 60
"""Pairs of steps are tried where no more than so many single steps are possible."""


@dataclass(frozen=True, slots=True)
class Minimised(Generic[G]):
    """The smallest group found, how often the predicate was asked, and whether no step was left untried."""

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

    `smaller` yields groups that are smaller by some well-founded order, boldest steps first. Where no single step helps and
    few are possible, pairs of steps are tried. Stops unfinished after `tries` calls of `holds` or, if given, after
    `wall_s` seconds (a call under way is not interrupted).
    """
    search = _Search(holds, tries, None if wall_s is None else time.monotonic() + wall_s)
    while True:
        steps: list[G] = []
        better = search.first(_noting(steps, smaller(group)))
        if better is None and len(steps) <= PAIRED:
            better = search.first(chain.from_iterable(map(smaller, steps)))
        if better is None:
            return Minimised(group, search.tried, finished=not search.spent)
        group = better


def _noting(notes: list[G], items: Iterator[G]) -> Iterator[G]:
    for item in items:
        notes.append(item)
        yield item


class _Search(Generic[G]):
    """Asks of each group but once, and of no more when the budget is spent."""

    def __init__(self, holds: Callable[[G], bool], tries: int, deadline: float | None) -> None:
        self.holds = holds
        self.tries = tries
        self.deadline = deadline
        self.tried = 0
        self.spent = False
        self.failed: set[G] = set()

    def first(self, candidates: Iterator[G]) -> G | None:
        """Return the first candidate for which the predicate holds."""
        for candidate in candidates:
            if candidate in self.failed:
                continue
            self.spent = self.tried >= self.tries or (
                self.deadline is not None and time.monotonic() > self.deadline
            )
            if self.spent:
                return None
            self.tried += 1
            if self.holds(candidate):
                return candidate
            self.failed.add(candidate)
        return None
