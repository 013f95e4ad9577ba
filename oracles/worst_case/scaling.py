"""Families: a bad group doubled again and again, to see whether the ratio to the optimum stays bounded."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Generic

from kassay.oracles.worst_case.judge import G, Judge, Scored


@dataclass(frozen=True, slots=True)
class Growth(Generic[G]):
    """How a group fares as it doubles in one way: its cases, in size order."""

    way: str
    cases: tuple[Scored[G], ...]

    @property
    def bounded(self) -> bool | None:
        """Whether the ratio of value and optimum stopped growing; None where fewer than three sizes were judged.

        An optimum of 0 counts as 1: a value that grows beside it is an unbounded ratio. What is seen up to
        the sizes tried, not a proof.
        """
        if len(self.cases) < 3:
            return None
        ratios = [case.value / max(1, case.optimum) for case in self.cases]
        return not all(later > earlier for earlier, later in pairwise(ratios[-3:]))

    @property
    def sentence(self) -> str:
        """What was seen, in words."""
        if self.bounded is None:
            return f"doubling {self.way}, sizes that could be judged: {len(self.cases)}, too few to tell"
        steps = ", ".join(f"{each.value}:{each.optimum}" for each in self.cases)
        verdict = "gets no worse" if self.bounded else "gets worse and worse"
        return f"doubling {self.way}, it {verdict} (found:best): {steps}"


def scaling(
    judge: Judge[G], ways: Mapping[str, Callable[[G, int], G]], group: G, most: tuple[int, int]
) -> Iterator[Growth[G]]:
    """Yield how a group grows in each way, up to so many members and items."""
    for way, times in ways.items():
        cases = []
        factor = 1
        while True:
            larger = times(group, factor)
            if any(size > limit for size, limit in zip(judge.size(larger)[:2], most, strict=True)):
                break
            case = judge.score(larger)
            if case is None:
                break
            cases.append(case)
            factor *= 2
        yield Growth(way, tuple(cases))
