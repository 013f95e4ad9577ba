"""The search for an assignor's worst cases: everything tiny, then random changes of groups, and how the worst group grows.

If a space is tried out wholly, every group of it is asked, so what comes out is proved for all of them. A search changes a group at
random; changes are kept if the gap does not shrink.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from random import Random
from typing import Generic, TypeAlias

from kassay.oracles.worst_case.spaces import (
    G,
    Growth,
    Judge,
    Scored,
    Space,
    enumerate_groups,
    enumerate_problems,
    scaling,
)
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
        """Score a group and remember it if it is worse; None if it is too large or gets no judgement."""
        members, items, parts = self.judge.size(group)
        if not parts or members > self.most[0] or items > self.most[1]:
            return None
        case = self.judge.score(group)
        if (
            case
            and case.gap > 0
            and (self.case is None or (-case.gap, *case.size) < (-self.case.gap, *self.case.size))
        ):
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


@dataclass(frozen=True, slots=True)
class Exhausted(Generic[G]):
    """What trying out a space proved: for each number of members and items that was done wholly, the worst case.

    None stands for a size at which nothing is worse than the optimum. `tried` counts the groups, `problems` what is left of
    them where names do not count, and `skipped` the groups without a judgement.
    """

    space: Space[G]
    worst: dict[tuple[int, int], Scored[G] | None]
    tried: int
    problems: int
    skipped: int

    @property
    def done(self) -> Space[G] | None:
        """The part of the space that was tried out wholly; None if there is none."""
        members, items = _find_largest_block(set(self.worst))
        if not members:
            return None
        return replace(self.space, members=members, items=items, parts=min(self.space.parts, items))

    @property
    def within(self) -> list[Scored[G]]:
        """The worst case of each size of that part at which anything is worse than the optimum."""
        members, items = _find_largest_block(set(self.worst))
        return [case for (m, p), case in self.worst.items() if case and m <= members and p <= items]

    @property
    def first(self) -> Scored[G] | None:
        """The smallest of these; None if there is none."""
        return min(self.within, key=lambda case: sum(case.size[:2]), default=None)

    @property
    def sentence(self) -> str:
        """What is proved, in words."""
        tried = (
            f"{self.tried:,} groups: {self.problems:,} problems under every arrangement of names and numbers"
        )
        if self.skipped:
            tried += f"; {self.skipped:,} groups without a right answer at rest, or a proved optimum, are not compared"
        done, within, first = self.done, self.within, self.first
        if done is None:
            return f"nothing was tried out wholly ({tried})"
        if self.skipped == self.tried:
            return f"nothing could be compared up to {done} ({tried})"
        if first is None:
            return f"no worse up to {done}: never above the optimum ({tried})"
        worst = max(within, key=lambda case: case.gap)
        return (
            f"no worse up to {done}: the largest gap is {worst.gap} ({worst.value} for {worst.optimum}), "
            f"and the smallest group with one has {self.space.kind.sized(first.size)} ({tried})"
        )


def exhaust_space(judge: Judge[G], space: Space[G], tries: int = 100_000) -> Exhausted[G]:
    """Score every group of a space, the smallest sizes first, and stop after `tries` groups.

    The optimum is the same for all groups that are one problem, so it is found once for them, and only if
    an answer is worse than all before if the optimum is 0.
    """
    worst: dict[tuple[int, int], Scored[G] | None] = {}
    tried = skipped = number = 0
    for members, items in space.sizes:
        found: Scored[G] | None = None
        for problem in enumerate_problems(space, members, items):
            number += 1
            optimum: int | None = None
            for one in enumerate_groups(space, problem):
                if tried == tries:
                    return Exhausted(space, worst, tried, number, skipped)
                tried += 1
                value = judge.value(one)
                if value is None:
                    skipped += 1
                elif value > (found.gap if found else 0):
                    optimum = judge.optimum(space.kind.group(problem)) if optimum is None else optimum
                    if value - optimum > (found.gap if found else 0):
                        found = Scored(one, judge.size(one), value, optimum)
        worst[members, items] = found
    return Exhausted(space, worst, tried, number, skipped)


def _find_largest_block(done: set[tuple[int, int]]) -> tuple[int, int]:
    """Return members and items up to which everything was done, the block with the most sizes in it."""
    blocks = [
        (m, p) for m, p in done if all(each in done for each in product(range(1, m + 1), range(1, p + 1)))
    ]
    return max(blocks, key=lambda block: (block[0] * block[1], block), default=(0, 0))


TINY = 80
"""So many more tiny groups are tried out than groups in the other stages, as they take little time."""


@dataclass(frozen=True, slots=True)
class Ground(Generic[G]):
    """Where to look, for one question about groups of one shape: a space to exhaust, then groups with structure.

    A search starts from seedlings; `mutate` changes groups, `smaller` shortens them, and they double in several ways.
    `searched` and `grown` are the most members and items in a search and in growth.
    """

    space: Space[G]
    structured: Sequence[G]
    seedling: Callable[[], G]
    mutate: Callable[[Random, G], G]
    smaller: Callable[[G], Iterator[G]]
    ways: Mapping[str, Callable[[G, int], G]]
    searched: tuple[int, int]
    grown: tuple[int, int]


@dataclass(frozen=True, slots=True)
class WorstCase(Generic[G]):
    """The answer: the trial of everything tiny, the worst case of all stages, and its growth."""

    exhausted: Exhausted[G]
    worst: Scored[G] | None
    growths: tuple[Growth[G], ...]

    @property
    def sentences(self) -> Iterator[str]:
        """What came out, in words."""
        yield self.exhausted.sentence
        if self.worst is None:
            yield "no group with a gap was found"
            return
        case = self.worst
        size = self.exhausted.space.kind.sized(case.size)
        yield f"worst found, gap {case.gap}: {case.value} for {case.optimum}, with {size}"
        for growth in self.growths:
            yield growth.sentence


def find_worst(
    judge: Judge[G], ground: Ground[G], *, seed: int = 0, tries: int = 4_000, hunt: Hunt[G] | None = None
) -> WorstCase[G]:
    """Look for the smallest group on which what is judged is furthest from the optimum.

    First everything tiny, up to TINY * `tries` groups; then groups with structure, `hunt`, and random
    changes, with up to `tries` groups each, the last beginning with the worst known. Deterministic for a seed if `hunt` is.
    """
    exhausted = exhaust_space(judge, ground.space, TINY * tries)
    worst = Search(judge, ground.searched)
    for case in exhausted.worst.values():
        if case:
            worst.seen(case.group)
    for group in ground.structured[:: 1 + len(ground.structured) // max(1, tries)]:
        worst.seen(group)
    if hunt and tries:

        def score(group: G) -> int | None:
            case = worst.seen(group)
            return case.gap if case else None

        hunt(score, seed, tries)
    local_search(worst, ground.mutate, ground.seedling, seed=seed, tries=tries)
    smallest = worst.minimised(ground.smaller)
    growths = tuple(scaling(judge, ground.ways, smallest.group, ground.grown)) if smallest else ()
    return WorstCase(exhausted, smallest, growths)
