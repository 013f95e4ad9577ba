"""The worst of an assignor: what trying out everything tiny proved, the worst group found, and how it grows."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Generic

from kassay.oracles.worst_case.exhaustion import Exhausted, exhaust_space
from kassay.oracles.worst_case.judge import G, Judge, Scored
from kassay.oracles.worst_case.local_search import Hunt, Search, local_search
from kassay.oracles.worst_case.scaling import Growth, scaling
from kassay.oracles.worst_case.spaces import Space

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
class Found(Generic[G]):
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
) -> Found[G]:
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
    return Found(exhausted, smallest, growths)
