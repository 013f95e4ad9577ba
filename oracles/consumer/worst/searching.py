"""A search for the worst: random changes of a group, kept where the gap does not shrink, then made small again."""

from dataclasses import dataclass
from random import Random

from kassay.model import Group
from kassay.oracles.consumer.worst.changing import changed, seedling
from kassay.oracles.consumer.worst.judging import Assign, Case, judged
from kassay.properties.consumer.smaller import smaller
from kassay.properties.minimise import minimise

RESTARTS = 8
"""How often a search starts anew; from the second time on from the worst so far."""
MINIMISING = 2_000
"""How many groups are tried to make one smaller."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found: for each gap reached the smallest group that has it, largest gap first; groups judged."""

    worst: tuple[Case, ...]
    tried: int


def search(
    assign: Assign, text: str, *, seed: int = 0, tries: int = 4_000, members: int = 8, partitions: int = 16,
    starts: tuple[Group, ...] = (),
) -> Found:  # fmt: skip
    """Search groups of so many members and partitions for the largest gaps, then minimise the group of each gap.

    Deterministic for a seed. `starts` are groups to begin with, such as the worst of an exhaustive trial.
    """
    r = Random(seed)
    best: dict[int, Case] = {}

    def note(group: Group) -> Case | None:
        if (
            not group.topics
            or sum(t.partitions for t in group.topics) > partitions
            or len(group.members) > members
        ):
            return None
        case = judged(assign, text, group)
        if case and case.gap > 0 and (case.gap not in best or case.size < best[case.gap].size):
            best[case.gap] = case
        return case

    for group in starts:
        note(group)
    for restart in range(RESTARTS):
        here = note(best[max(best)].group if restart and best else r.choice((seedling(), *starts)))
        for _ in range(tries // RESTARTS):
            there = note(changed(r, here.group if here else seedling()))
            if there and (here is None or there.gap >= here.gap or r.random() < 0.02):
                here = there
    smallest: dict[int, Case] = {}
    for _, case in sorted(best.items(), reverse=True):
        small = _minimised(assign, text, case)
        if small.gap not in smallest or small.size < smallest[small.gap].size:
            smallest[small.gap] = small
    return Found(tuple(smallest[gap] for gap in sorted(smallest, reverse=True)), tries)


def _minimised(assign: Assign, text: str, case: Case) -> Case:
    """Return the smallest group reached whose gap is at least as large."""

    def as_bad(group: Group) -> bool:
        other = judged(assign, text, group)
        return other is not None and other.gap >= case.gap

    smallest = minimise(case.group, as_bad, smaller, tries=MINIMISING).group
    return judged(assign, text, smallest) or case
