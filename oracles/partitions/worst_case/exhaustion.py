"""Exhaustion: every group of a space is asked, so what comes out is proved for all of them."""

from dataclasses import dataclass, replace
from itertools import product

from kassay.oracles.partitions.worst_case.enumerate_groups import (
    Space,
    enumerate_groups,
    enumerate_problems,
    group,
)
from kassay.oracles.partitions.worst_case.score import Assign, Scored, Scorer


@dataclass(frozen=True, slots=True)
class Exhausted:
    """What trying out a space proved: for each number of members and partitions that was done wholly, the worst case.

    None stands for a size at which the assignor is never worse than the optimum. `tried` counts the groups,
    `problems` what is left of them where names do not count, and `skipped` the groups without a judgement.
    """

    space: Space
    worst: dict[tuple[int, int], Scored | None]
    tried: int
    problems: int
    skipped: int

    @property
    def sentence(self) -> str:
        """What is proved, in words."""
        tried = (
            f"{self.tried:,} groups: {self.problems:,} problems under every arrangement of names and numbers"
        )
        members, partitions = _largest_block(set(self.worst))
        if not members:
            return f"nothing was tried out wholly ({tried})"
        topics = min(self.space.topics, partitions)
        done = replace(self.space, members=members, partitions=partitions, topics=topics)
        within = [case for (m, p), case in self.worst.items() if case and m <= members and p <= partitions]
        if not within:
            return f"no worse up to {done}: never above the optimum ({tried})"
        worst = max(within, key=lambda case: case.gap)
        first = min(within, key=lambda case: sum(case.size[:2]))
        return (
            f"no worse up to {done}: the largest gap is {worst.gap} ({worst.value} for {worst.optimum}), "
            f"and the smallest group with one has {first.size_in_words} ({tried})"
        )


def exhaust_space(assign: Assign, text: str, space: Space, tries: int = 100_000) -> Exhausted:
    """Score an assignor on every group of a space, the smallest sizes first, and stop after `tries` groups.

    The optimum is the same for all groups that are one problem, so it is found once for them, and only where
    an answer is worse than all before if the optimum is 0.
    """
    judge = Scorer(text)
    worst: dict[tuple[int, int], Scored | None] = {}
    tried = skipped = number = 0
    sizes = sorted(
        product(range(1, space.members + 1), range(1, space.partitions + 1)), key=lambda mp: (sum(mp), mp)
    )
    for members, partitions in sizes:
        found: Scored | None = None
        for problem in enumerate_problems(space, members, partitions):
            number += 1
            optimum: int | None = None
            for one in enumerate_groups(space, problem):
                if tried == tries:
                    return Exhausted(space, worst, tried, number, skipped)
                tried += 1
                value = judge.value(one, assign)
                if value is None:
                    skipped += 1
                elif value > (found.gap if found else 0):
                    optimum = judge.optimum(group(problem)) if optimum is None else optimum
                    if value - optimum > (found.gap if found else 0):
                        found = Scored(one, value, optimum)
        worst[members, partitions] = found
    return Exhausted(space, worst, tried, number, skipped)


def _largest_block(done: set[tuple[int, int]]) -> tuple[int, int]:
    """Return members and partitions up to which everything was done, the block with the most sizes in it."""
    blocks = [
        (m, p) for m, p in done if all((a, b) in done for a in range(1, m + 1) for b in range(1, p + 1))
    ]
    return max(blocks, key=lambda block: (block[0] * block[1], block), default=(0, 0))
