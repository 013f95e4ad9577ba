"""The sticky assignment where subscriptions differ.

1. Members keep what they hold of the topics they subscribe to, if it is in their rack.
2. Every other partition, topics with the fewest subscribers first, goes to the subscriber with the least load
   (of equals, the first id): all that can to one in its racks, then the rest to any.
3. Members that have all they can get, and nothing that anybody else could, are fixed: they stay as they are.
4. In pass after pass, in the same order, a partition goes to its previous owner, or else to the subscriber
   with the least load, if that is at least two below its owner's, until nothing moves. The partitions of step
   2 come first, by themselves, unless a member had to give up something in step 1; then all.
5. If the passes over all moved anything, and loads are no more even than after step 2, everything goes back.
"""

from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import groupby

from kassay.reference.consumer.sticky_balance import Balance
from kassay.reference.consumer.sticky_claims import Claims
from kassay.reference.consumer.sticky_group import StickyGroup, in_hash_order, unclaimed
from kassay.reference.consumer.sticky_placement import Placement
from kassay.reference.consumer.sticky_reassign import Reassignment
from kassay.reference.java import int32


def assign(group: StickyGroup, claims: Claims) -> list[list[int]]:
    """Return what each member gets; raises AssignorError where Kafka fails or never ends."""
    topics_of, readers = _subscriptions(group)
    kept = [
        [p for p in held if group.topic_of[p] in topics and group.is_aligned(m, p)]
        for m, (held, topics) in enumerate(zip(claims.held, map(set, topics_of), strict=True))
    ]
    keeper = {p: m for m, own in enumerate(kept) for p in own}
    loose = [(t, list(block)) for t, block in groupby(unclaimed(group, keeper), group.topic_of.__getitem__)]
    placement = Placement(group, kept)
    _hand_out(placement, loose, readers)

    movable = {t for t, of_topic in enumerate(readers) if len(of_topic) > 1}
    capacities = _capacities(group, topics_of)
    fixed = {
        m
        for m, own in enumerate(placement.given)
        if len(own) >= capacities[m] and movable.isdisjoint(group.topic_of[p] for p in own)
    }
    previous = {p: m for p, m in claims.previous.items() if p < group.size and group.topic_of[p] in movable}
    balance = None
    if _needs_balance(group, keeper, previous, topics_of):
        given_again = {p: keeper[p] for _, block in loose for p in block if p in keeper}
        balance = Balance(placement, readers, fixed, capacities, given_again, in_hash_order(group, fixed))
    reassignment = Reassignment(placement, readers, previous, fixed, balance)
    before = [own.copy() for own in placement.given]
    if kept == claims.held:
        reassignment.run([(t, block) for t, block in loose if t in movable])
    moved = reassignment.run([(t, span) for t, span in enumerate(group.spans) if t in movable])
    if moved and keeper and _unevenness(placement.given, fixed) >= _unevenness(before, fixed):
        return before
    return placement.given


def _subscriptions(group: StickyGroup) -> tuple[list[list[int]], list[list[int]]]:
    """Return each member's topics and each topic's members, in the group's order and as often as listed."""
    number = {topic.name: t for t, topic in enumerate(group.topics)}
    topics_of = [[number[name] for name in member.topics if name in number] for member in group.members]
    readers: list[list[int]] = [[] for _ in group.topics]
    for m in group.arrival:
        for t in topics_of[m]:
            readers[t].append(m)
    return topics_of, readers


def _hand_out(
    placement: Placement, loose: Sequence[tuple[int, list[int]]], readers: Sequence[Sequence[int]]
) -> None:
    if placement.group.racks:
        loose = [(t, placement.hand_out_in_racks(block, set(readers[t]))) for t, block in loose]
    for t, block in loose:
        placement.hand_out(block, set(readers[t]))


def _capacities(group: StickyGroup, topics_of: Sequence[Sequence[int]]) -> list[int]:
    """Return how many partitions Kafka thinks members can get: those of a topic listed twice count twice."""
    sizes = list(map(len, group.spans))
    return [
        group.size if len(topics) == len(sizes) else sum(map(sizes.__getitem__, topics))
        for topics in topics_of
    ]


def _needs_balance(
    group: StickyGroup,
    keeper: Collection[int],
    previous: Mapping[int, int],
    topics_of: Sequence[Collection[int]],
) -> bool:
    """Say whether previous owners no longer subscribe, or partitions that do not exist are kept."""
    return any(p >= group.size for p in keeper) or any(
        group.topic_of[p] not in topics_of[m] for p, m in previous.items()
    )


def _unevenness(given: Sequence[Sequence[int]], fixed: AbstractSet[int]) -> int:
    """Return the sum of the differences between the loads of all pairs of members, in 32 bits."""
    loads = sorted(len(own) for m, own in enumerate(given) if m not in fixed)
    return int32(sum((2 * n + 1 - len(loads)) * load for n, load in enumerate(loads)))
