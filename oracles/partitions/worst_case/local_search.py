"""A search for the worst: random changes of a group, kept where the gap does not shrink."""

from collections.abc import Callable
from random import Random

from kassay.model import Group
from kassay.oracles.partitions.worst_case.mutate import mutate, seedling
from kassay.oracles.partitions.worst_case.score import Assign, Scored, Scorer
from kassay.properties.minimise import minimise
from kassay.properties.partitions.shrinking.steps import smaller

RESTARTS = 8
"""How often a search starts anew; from the second time on from the worst so far."""
MINIMISING = 2_000
"""How many groups are tried to make one smaller."""


class Search:
    """The worst case seen so far of an assignor, among groups of so many members and partitions; of equals the smallest."""

    def __init__(self, assign: Assign, text: str, *, members: int = 8, partitions: int = 16) -> None:
        self.assign, self.judge = assign, Scorer(text)
        self.members, self.partitions = members, partitions
        self.case: Scored | None = None

    def seen(self, group: Group) -> Scored | None:
        """Score a group and remember it if it is worse; None where it is too large or gets no judgement."""
        size = sum(topic.partitions for topic in group.topics)
        if not group.topics or size > self.partitions or len(group.members) > self.members:
            return None
        case = self.judge.score(group, self.assign)
        if case and case.gap > 0 and (self.case is None or _rank(case) > _rank(self.case)):
            self.case = case
        return case

    def minimised(self) -> Scored | None:
        """Return the smallest case reached from the worst one whose gap is at least as large."""
        if self.case is None:
            return None
        gap = self.case.gap

        def as_bad(group: Group) -> bool:
            other = self.judge.score(group, self.assign)
            return other is not None and other.gap >= gap

        smallest = minimise(self.case.group, as_bad, smaller, tries=MINIMISING).group
        return self.judge.score(smallest, self.assign) or self.case


def local_search(worst: Search, *, seed: int = 0, tries: int = 4_000) -> None:
    """Change groups at random, beginning with the worst case known; the same for a seed."""
    r = Random(seed)
    for restart in range(RESTARTS):
        known = worst.case.group if worst.case and (restart or r.random() < 0.5) else seedling()
        here = worst.seen(known)
        for _ in range(tries // RESTARTS):
            there = worst.seen(mutate(r, here.group if here else seedling()))
            if there and (here is None or there.gap >= here.gap or r.random() < 0.02):
                here = there


def _rank(case: Scored) -> tuple[int, ...]:
    return (case.gap, *(-part for part in case.size))


Hunt = Callable[[Callable[[Group], int | None], int, int], None]
"""Asks a function for the scores of groups, with a seed and a number of tries, and looks for great ones."""
