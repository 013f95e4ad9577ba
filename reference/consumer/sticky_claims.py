"""Whose claims count where members missed rebalances (KIP-54, KIP-341, KIP-792)."""

from dataclasses import dataclass

from kassay.reference.consumer.sticky_group import StickyGroup

NO_GENERATION = -1


@dataclass(frozen=True, slots=True)
class Claims:
    """What each member holds: no partition has two holders.

    `contested` are the partitions that two members claimed in one generation; `previous` has the last owners
    of those that members claimed in generations before the newest.
    """

    held: list[list[int]]
    contested: set[int]
    previous: dict[int, int]


def settle(group: StickyGroup) -> Claims:
    """Settle the members' claims in the group's order.

    The later generation wins. In the same generation neither member holds the partition any more.
    """
    generations = [NO_GENERATION if m.generation is None else m.generation for m in group.members]
    newest = max(generations, default=NO_GENERATION)
    claimant: list[int | None] = [None] * len(group.partitions)
    holder = claimant.copy()
    contested: set[int] = set()
    previous: dict[int, int] = {}
    for m in group.arrival:
        generation = generations[m]
        for p in group.claimed[m]:
            other = claimant[p]
            if other is None or generation > generations[other]:
                claimant[p] = holder[p] = m
            elif generation == generations[other]:
                claimant[p], holder[p] = m, None
                contested.add(p)
            if generation < newest and (p not in previous or generation > generations[previous[p]]):
                previous[p] = m
    held = [[p for p in claimed if holder[p] == m] for m, claimed in enumerate(group.claimed)]
    return Claims(held, contested, previous)
