"""Give each topic's partitions to its subscribers in consecutive ranges, static members first.

For each topic, P partitions go to M subscribers: each gets P div M, and the first P mod M of them get one more. Members are sorted by
instance id, then by member id, so that a static member keeps its ranges when it restarts. Owned partitions are not read.

Known defects, reproduced: the same members get one more partition of each topic, so loads may differ by the number of topics.

Source: org.apache.kafka.coordinator.group.assignor.RangeAssignor of Kafka 3.9 to 4.4 (KIP-848).
"""

from collections.abc import Sequence
from functools import lru_cache

from kassay.model import Assignment, Assignor, AssignorError, Group, TopicPartition
from kassay.reference.consumer.members import sort_members, subscribers
from kassay.reference.promises import EVEN, ORDER_FREE, SOUND, STEADY, VALID

UNKNOWN = "PartitionAssignorException: Member is subscribed to a non-existent topic"


def assign(group: Group) -> Assignment:
    """Give each topic's partitions to its subscribers in consecutive ranges, static members first."""
    members = sort_members(group.members)
    readers = subscribers(members)
    if not readers.keys() <= {topic.name for topic in group.topics}:
        raise AssignorError(UNKNOWN)
    given: dict[str, list[TopicPartition]] = {member.id: [] for member in members}
    lists: dict[int, list[list[TopicPartition]]] = {}  # of those who share a list of readers
    for topic in group.topics:
        if them := readers.get(topic.name):
            if id(them) not in lists:
                lists[id(them)] = [given[member.id] for member in them]
            _deal(topic.listed(), lists[id(them)])
    return given


def _deal(partitions: Sequence[TopicPartition], lists: Sequence[list[TopicPartition]]) -> None:
    """Hand out ranges of a topic's partitions."""
    if len(partitions) <= len(lists):
        for partition, own in zip(partitions, lists, strict=False):
            own.append(partition)
    else:
        for its_range, own in zip(_ranges(len(partitions), len(lists)), lists, strict=True):
            own.extend(partitions[its_range])


@lru_cache(maxsize=64)
def _ranges(partitions: int, readers: int) -> Sequence[slice]:
    """Return the ranges that readers get: the first ones have one partition more."""
    quota, extras = divmod(partitions, readers)
    bounds = [quota * at + min(at, extras) for at in range(readers + 1)]
    return tuple(map(slice, bounds, bounds[1:]))


RANGE = Assignor(
    "broker/range",
    assign,
    VALID | EVEN | ORDER_FREE | SOUND | STEADY | {"topic_balanced", "co_located", "joined_evenly", "static_identity", "instance_isolated", "stable_in_any_order", "reconciles"},
    "RangeAssignor of kafka-group-coordinator 4.4; KIP-848",
    {
        "balanced": frozenset({"mixed_subscriptions", "uneven_splits"}),
        "locally_balanced": frozenset({"mixed_subscriptions", "uneven_splits"}),
        "crash_free": frozenset({"unknown_topic"}),
    },
    fails=frozenset({"PartitionAssignorException at range.py in assign"}),
    limits=frozenset({"balanced", "locally_balanced"}),
)  # fmt: skip
