"""A search for the worst: random changes of a group, kept where the gap does not shrink."""

from collections.abc import Callable, Iterator
from random import Random
from typing import Generic, TypeAlias

from kassay.oracles.worst_case.judge import G, Judge, Scored
from kassay.properties.minimise import minimise

RESTARTS = 8
"""How often a search starts anew; from the second time on from the worst so far."""
MINIMISING = 2_000
"""How many groups are tried to make one smaller."""
Hunt: TypeAlias = Callable[[Callable[[G], int | None], int, int], None]
"""Asks a function for the scores of groups, with a seed and a number of tries, and looks for great ones."""


class Search(Generic[G]):
    """The worst case seen so far, among groups of so many members and items at most; of equals the smallest."""

    def __init__(self, judge: Judge[G], most: tuple[int, int]) -> None:
        self.judge, self.most = judge, most
        self.case: Scored[G] | None = None

    def seen(self, group: G) -> Scored[G] | None:
        """Score a group and remember it if it is worse; None where it is too large or gets no judgement."""
        members, items, parts = self.judge.size(group)
        if not parts or members > self.most[0] or items > self.most[1]:
            return None
        case = self.judge.score(group)
        if case and case.gap > 0 and (self.case is None or _rank(case) > _rank(self.case)):
            self.case = case
        return case

    def minimised(self, smaller: Callable[[G], Iterator[G]]) -> Scored[G] | None:
        """Return the smallest case reached from the worst one whose gap is at least as large."""
        if self.case is None:
            return None
        gap = self.case.gap

        def as_bad(group: G) -> bool:
            value = self.judge.value(group)  # far quicker than the optimum, which is 0 or more
            return value is not None and value >= gap and value - self.judge.optimum(group) >= gap

        smallest = minimise(self.case.group, as_bad, smaller, tries=MINIMISING).group
        return self.judge.score(smallest) or self.case


def local_search(
    worst: Search[G],
    mutate: Callable[[Random, G], G],
    seedling: Callable[[], G],
    *,
    seed: int = 0,
    tries: int = 4_000,
) -> None:
    """Change groups at random, beginning with the worst case known; the same for a seed."""
    r = Random(seed)
    for restart in range(RESTARTS):
        known = worst.case.group if worst.case and (restart or r.random() < 0.5) else seedling()
        here = worst.seen(known)
        for _ in range(tries // RESTARTS):
            there = worst.seen(mutate(r, here.group if here else seedling()))
            if there and (here is None or there.gap >= here.gap or r.random() < 0.02):
                here = there


def _rank(case: Scored[G]) -> tuple[int, ...]:
    return (case.gap, *(-part for part in case.size))
