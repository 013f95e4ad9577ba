"""Give each partition to the subscriber with the fewest so far, topics with the fewest subscribers first (KIP-49).

Of topics with equally many subscribers the one with more partitions comes first, then the lower name; of members with
equally many partitions the lower id. Claims, racks and instance ids are not read. Topics without partitions or metadata
are left out, where the proposed class fails with a NullPointerException if they tie with another topic.

It evens the loads better than round robin, yet not always as far as possible: what is given is never taken back.

Source: KIP-49 (KAFKA-2435, KAFKA-3297), which was never merged: no Kafka release has a class to compare with.
"""

import heapq

from kassay.model import Assignment, Assignor, Group, TopicPartition
from kassay.reference.consumer.members import subscribers
from kassay.reference.java.strings import string_order
from kassay.reference.promises import EVEN, ORDER_FREE, SOUND, STEADY, VALID


def assign(group: Group) -> Assignment:
    """Give each partition to the subscriber with the fewest so far, topics with the fewest subscribers first."""
    members = sorted(group.members, key=lambda member: string_order(member.id))
    readers = subscribers(members)
    place = {member.id: number for number, member in enumerate(members)}
    given: dict[str, list[TopicPartition]] = {member.id: [] for member in group.members}
    topics = [topic for topic in group.topics if topic.partitions and topic.name in readers]
    for topic in sorted(topics, key=lambda t: (len(readers[t.name]), -t.partitions, string_order(t.name))):
        least = [(len(given[member.id]), place[member.id], member.id) for member in readers[topic.name]]
        heapq.heapify(least)
        for partition in topic:
            load, order, member = least[0]
            given[member].append(partition)
            heapq.heapreplace(least, (load + 1, order, member))
    return given


FAIR = Assignor(
    "consumer/fair",
    assign,
    VALID
    | EVEN
    | ORDER_FREE
    | SOUND
    | STEADY
    | {"topic_balanced", "two_rounds", "instance_isolated", "joined_evenly"},
    "KIP-49",
    {
        "balanced": frozenset({"mixed_subscriptions"}),
        "locally_balanced": frozenset({"mixed_subscriptions"}),
        "topic_balanced": frozenset({"mixed_subscriptions"}),
    },
    limits=frozenset({"topic_balanced"}),
)
