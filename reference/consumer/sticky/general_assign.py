"""The sticky assignment where subscriptions differ, as of Kafka 3.0.

1. Members keep what they hold of the topics they subscribe to, if it is in their rack.
2. Every other partition, topics with the fewest subscribers first, goes to the subscriber with the least load
   (of equals, the first id): all that can to one in its racks, then the rest to any.
3. Partitions move until loads are even (balance.py): those of step 2 by themselves first, unless a member had to
   give up something in step 1; then all, in the order of step 2.
"""

from collections.abc import Sequence
from itertools import groupby

from kassay.reference.consumer.sticky.balance import Start, balance
from kassay.reference.consumer.sticky.numbered_group import Given, NumberedGroup, in_hash_order, unclaimed
from kassay.reference.consumer.sticky.owned_partitions import OwnedPartitions


def general_assign(group: NumberedGroup, claims: OwnedPartitions, *, gap: int = 2) -> Given:
    """Return what each member gets; raises AssignorError where Kafka fails or never ends.

    `gap` is how much more an owner must have than a subscriber for loads to count as uneven: 2 from 3.5.2 on, 1 before
    (KAFKA-15106).
    """
    topics_of, readers = subscriptions(group)
    kept = [
        group.aligned(m, [p for p in held if group.topic_of[p] in topics])
        for m, (held, topics) in enumerate(zip(claims.held, map(set, topics_of), strict=True))
    ]
    left = unclaimed(group, [p for own in kept for p in own])
    return balance(
        group,
        Start(
            kept=kept,
            held=claims.held,
            order=list(enumerate(group.spans)),
            loose=[(t, list(block)) for t, block in groupby(left, group.topic_of.__getitem__)],
            loose_first=kept == claims.held,
            topics_of=topics_of,
            readers=readers,
            capacities=_capacities(group, topics_of),
            previous=claims.previous,
            hash_order=lambda without: in_hash_order(group, without),
            gap=gap,
        ),
    )


def subscriptions(group: NumberedGroup) -> tuple[list[list[int]], list[list[int]]]:
    """Return each member's topics and each topic's members, in the group's order and as often as listed."""
    number = {topic.name: t for t, topic in enumerate(group.topics)}
    topics_of = [[number[name] for name in member.topics if name in number] for member in group.members]
    readers: list[list[int]] = [[] for _ in group.topics]
    for m in group.arrival:
        for t in topics_of[m]:
            readers[t].append(m)
    return topics_of, readers


def _capacities(group: NumberedGroup, topics_of: Sequence[Sequence[int]]) -> list[int]:
    """Return how many partitions Kafka thinks members can get: those of a topic listed twice count twice."""
    sizes = list(map(len, group.spans))
    return [
        group.size if len(topics) == len(sizes) else sum(map(sizes.__getitem__, topics))
        for topics in topics_of
    ]
