"""Give all partitions, sorted by topic and number, to the members in turn, passing over those that do not subscribe.

Members take turns in order (static members first); the turn goes on from topic to topic. Claims and racks are not read.

Known defects, reproduced: with unequal subscriptions the loads can be as uneven as they like, which is what KIP-49 was
written for. A group without members is refused.

Source: org.apache.kafka.clients.consumer.RoundRobinAssignor of Kafka 2.2 to 4.4.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable
from itertools import cycle, islice

from kassay.model import Assignment, Assignor, AssignorError, Group, Member, TopicPartition
from kassay.reference.consumer.members import sort_by_id, sort_members, subscribers
from kassay.reference.java.strings import string_order
from kassay.reference.promises import EVEN, ORDER_FREE, SOUND, STEADY, VALID


def assign(group: Group, sort: Callable[[Iterable[Member]], list[Member]] = sort_members) -> Assignment:
    """Give all partitions in turn to the members, sorted so; raises AssignorError for a group without members."""
    if not group.members:
        raise AssignorError("IllegalArgumentException: CircularIterator can only be used on non-empty lists")
    members = sort(group.members)
    place = {member.id: number for number, member in enumerate(members)}
    readers = subscribers(members)
    given: dict[str, list[TopicPartition]] = {member.id: [] for member in group.members}
    turn = 0  # the place of the member that would be next
    for topic in sorted(group.topics, key=lambda topic: string_order(topic.name)):
        if topic.partitions and topic.name in readers:
            takers = readers[topic.name]
            first = bisect_left(takers, turn, key=lambda member: place[member.id])
            for partition, taker in zip(topic, islice(cycle(takers), first, None), strict=False):
                given[taker.id].append(partition)
            turn = place[taker.id] + 1
    return given


def assign_dynamic(group: Group) -> Assignment:
    """Assign as the releases did that knew no static members: 2.2 and 2.3."""
    return assign(group, sort_by_id)


ROUNDROBIN = Assignor(
    "consumer/roundrobin",
    assign,
    VALID
    | EVEN
    | ORDER_FREE
    | SOUND
    | STEADY
    | {"topic_balanced", "two_rounds", "static_identity", "instance_isolated", "joined_evenly"},
    "RoundRobinAssignor of Kafka 4.4",
    {
        "balanced": frozenset({"mixed_subscriptions"}),
        "locally_balanced": frozenset({"mixed_subscriptions"}),
    },
    limits=frozenset({"balanced", "locally_balanced"}),
)
