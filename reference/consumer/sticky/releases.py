"""The parts of the sticky assignors of older releases. assignor.NEWEST has the parts of 3.7.1 and later.

Kafka 2.2 to 2.8 assigns in this way if subscriptions differ, and before 2.5.1 always:

1. Members keep their partitions of topics they subscribe to.
2. Every other partition goes to the subscriber with the least load (of equals, the first id); topics with the fewest
   subscribers come first.
3. Partitions move until loads are balanced (balance.py); before 2.4 without passes over the partitions of step 2 first.

Before 2.5.1, steps 2 and 3 have another order if all members subscribe to the same topics and there are claims. It repeatedly takes the next
claim of the member with the most claims left, beginning with partitions that changed owners. The others follow in the order of
a HashMap, which varies if nine or more partitions share a slot and a hash (reference/java/hash_map.py).

Known defects, reproduced: claims that were read before (from 2.5.1 on) are not read again. 2.2 fails if
a subscribed topic does not exist, and lets two members keep one partition (KAFKA-7026).
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from heapq import heapify, heappop, heappush
from itertools import chain, groupby

from kassay.model import AssignorError, TopicPartition
from kassay.reference.consumer.members import topics_in_map_order
from kassay.reference.consumer.sticky.assignor import Parts
from kassay.reference.consumer.sticky.balance import Start, balance
from kassay.reference.consumer.sticky.constrained_assign import (
    constrained_assign,
    constrained_assign_2_5,
    general_assign,
    subscriptions,
)
from kassay.reference.consumer.sticky.numbered_group import Given, NumberedGroup, sort_by_hash
from kassay.reference.consumer.sticky.owned_partitions import (
    OwnedPartitions,
    UserData,
    all_with_generations,
    all_without_generations,
    find_claimants,
    generations_of_rest,
    keep_all_claims,
    keep_last_claims,
    keep_newest_claims,
    keep_newest_generation,
    keep_uncontested_claims,
    rest_with_generations,
)
from kassay.reference.java.hash_map import hash_order
from kassay.reference.java.strings import topic_partition_hash


def assign_by_partition(
    group: NumberedGroup,
    user_data: UserData,
    *,
    identical_by_claims: bool = False,
    loose_first: bool = True,
) -> Given:
    """Return the partitions of each member if the newest of several claims counts; raises AssignorError as Kafka does.

    `identical_by_claims` is True for the order before 2.5.1; `loose_first` is True for passes over the partitions of step 2 first.
    """
    found = {name: p for p, name in enumerate(group.partitions[: group.size])}
    claims = find_claimants(group, user_data)
    held: list[list[int]] = [[] for _ in group.members]
    previous: dict[int, int] = {}
    changed: list[TopicPartition] = []
    for name in hash_order(claims, topic_partition_hash):
        by_generation = claims[name]
        newest, *earlier = sorted(by_generation, reverse=True)
        if earlier:
            changed.append(name)
        if name in found:
            held[by_generation[newest]].append(found[name])
            if earlier:
                previous[found[name]] = by_generation[earlier[0]]
    order = None
    if identical_by_claims and claims:
        moved = [found[name] for name in hash_order(changed, topic_partition_hash) if name in found]
        order = _order_by_claims(group, held, moved)
    return _balance_all(group, held, previous, order, loose_first=loose_first, inserted=group.arrival)


def assign_2_2(group: NumberedGroup, _: int) -> Given:
    """Return the partitions of each member in 2.2, in which all claims count; raises AssignorError as Kafka does."""
    there = {topic.name for topic in group.topics}
    if any(name not in there for member in group.members for name in member.topics):
        raise AssignorError("NullPointerException")
    held = [[p for p in claimed if p < group.size] for claimed in group.claimed]
    with_past = [
        m for m in group.arrival if group.members[m].owned or group.members[m].generation is not None
    ]
    order = None
    if with_past:
        if not group.size:
            raise AssignorError("NoSuchElementException")
        order = _order_by_claims(group, held, ())
    inserted = list(dict.fromkeys((*with_past, *group.arrival)))
    return _balance_all(group, held, {}, order, loose_first=False, inserted=inserted)


def _order_by_claims(
    group: NumberedGroup, held: Sequence[Sequence[int]], changed: Collection[int]
) -> list[int] | None:
    """Order the partitions by claims if all members subscribe to the same topics; else return None."""
    there = {topic.name for topic in group.topics}
    if not all(there.issubset(member.topics) for member in group.members):
        return None
    queues = []
    for own in held:
        first = dict.fromkeys(filter(set(own).__contains__, changed))
        queues.append(list(first | dict.fromkeys(own))[::-1])
    most = [(-len(queue), -m) for m, queue in enumerate(queues) if queue]
    heapify(most)
    order = []
    while most:
        count, m = heappop(most)
        order.append(queues[-m].pop())
        if count < -1:
            heappush(most, (count + 1, m))
    seen = set(order)
    return order + [p for p in _sort_by_hash(group) if p not in seen]


def _sort_by_hash(group: NumberedGroup) -> list[int]:
    """Return all partitions in the order of Kafka's map of them, which it fills topic by topic."""
    spans = {topic.name: span for topic, span in zip(group.topics, group.spans, strict=True)}
    names = topics_in_map_order([group.members[m] for m in group.arrival], spans)
    return hash_order(
        chain.from_iterable(spans[name] for name in names),
        lambda p: topic_partition_hash(group.partitions[p]),
    )


def _balance_all(
    group: NumberedGroup,
    held: list[list[int]],
    previous: Mapping[int, int],
    order: Sequence[int] | None,
    *,
    loose_first: bool,
    inserted: Sequence[int],
) -> Given:
    if not group.members:
        raise AssignorError("NoSuchElementException")
    topics_of, readers = subscriptions(group)
    kept = [
        [p for p in own if group.topic_of[p] in topics]
        for own, topics in zip(held, map(set, topics_of), strict=True)
    ]
    keeping = {p for own in kept for p in own}

    def blocks(partitions: Iterable[int]) -> list[tuple[int, list[int]]]:
        return [(t, list(block)) for t, block in groupby(partitions, group.topic_of.__getitem__)]

    order = range(group.size) if order is None else order
    sizes = list(map(len, group.spans))
    return balance(
        group,
        Start(
            kept=kept,
            held=held,
            order=blocks(order),
            loose=blocks(p for p in order if p not in keeping),
            loose_first=loose_first and kept == held,
            topics_of=topics_of,
            readers=readers,
            capacities=[sum(map(sizes.__getitem__, topics)) for topics in topics_of],
            previous=previous,
            hash_order=lambda without: sort_by_hash(group, without, inserted, capacity=16),
            gap=1,
        ),
    )


def _from_3_0(
    owned: Callable[[NumberedGroup], OwnedPartitions],
    *,
    gap: int = 1,
    racks_count: bool = False,
    user_data_known: bool = True,
) -> Parts:
    return Parts(
        lambda group: constrained_assign(group, owned(group), mended=False),
        lambda group, _: general_assign(group, owned(group), gap=gap),
        racks_count,
        user_data_known,
    )


def _from_2_5_1(
    owned: Callable[[NumberedGroup], OwnedPartitions], user_data: Callable[[NumberedGroup, int], UserData]
) -> Parts:
    return Parts(
        lambda group: constrained_assign_2_5(group, owned(group)),
        lambda group, alike: assign_by_partition(group, user_data(group, alike)),
        racks_count=False,
        user_data_known=False,
    )


def _from_2_3(user_data: Callable[[NumberedGroup, int], UserData], *, loose_first: bool = True) -> Parts:
    def general(group: NumberedGroup, _: int) -> Given:
        return assign_by_partition(
            group, user_data(group, 0), identical_by_claims=True, loose_first=loose_first
        )

    return Parts(None, general, racks_count=False, user_data_known=False)


FROM_3_5_2 = _from_3_0(keep_newest_claims, gap=2, racks_count=True)
FROM_3_5_0 = _from_3_0(keep_last_claims, racks_count=True)
FROM_3_4_1 = _from_3_0(keep_last_claims)
FROM_3_0_0 = _from_3_0(keep_uncontested_claims, user_data_known=False)
FROM_2_8_1 = _from_2_5_1(keep_uncontested_claims, rest_with_generations)
FROM_2_5_1 = _from_2_5_1(keep_newest_generation, rest_with_generations)
FROM_2_4_0 = _from_2_3(all_with_generations)
FROM_2_3_0 = _from_2_3(all_with_generations, loose_first=False)
FROM_2_2_0 = Parts(None, assign_2_2, racks_count=False, user_data_known=False)

COOPERATIVE_FROM_2_8_1 = _from_2_5_1(keep_uncontested_claims, generations_of_rest)
COOPERATIVE_FROM_2_5_1 = _from_2_5_1(keep_all_claims, all_without_generations)
COOPERATIVE_FROM_2_4_0 = _from_2_3(all_without_generations)
