"""Exhaustion: every group of a space is asked, so what comes out is proved for all of them."""

from dataclasses import dataclass, replace
from itertools import product
from typing import Generic

from kassay.oracles.worst_case.judge import G, Judge, Scored
from kassay.oracles.worst_case.spaces import Space, enumerate_groups, enumerate_problems


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
        """The part of the space that was tried out wholly; None where there is none."""
        members, items = _largest_block(set(self.worst))
        if not members:
            return None
        return replace(self.space, members=members, items=items, parts=min(self.space.parts, items))

    @property
    def within(self) -> list[Scored[G]]:
        """The worst case of each size of that part at which anything is worse than the optimum."""
        members, items = _largest_block(set(self.worst))
        return [case for (m, p), case in self.worst.items() if case and m <= members and p <= items]

    @property
    def first(self) -> Scored[G] | None:
        """The smallest of these; None where there is none."""
        return min(self.within, key=lambda case: sum(case.size[:2]), default=None)

    @property
    def sentence(self) -> str:
        """What is proved, in words."""
        tried = (
            f"{self.tried:,} groups: {self.problems:,} problems under every arrangement of names and numbers"
        )
        if self.skipped:
            tried += f"; {self.skipped:,} groups without a settled and legal answer are not compared"
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

    The optimum is the same for all groups that are one problem, so it is found once for them, and only where
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


def _largest_block(done: set[tuple[int, int]]) -> tuple[int, int]:
    """Return members and items up to which everything was done, the block with the most sizes in it."""
    blocks = [
        (m, p) for m, p in done if all(each in done for each in product(range(1, m + 1), range(1, p + 1)))
    ]
    return max(blocks, key=lambda block: (block[0] * block[1], block), default=(0, 0))
