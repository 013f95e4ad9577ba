"""Give each topic's partitions to its subscribers in consecutive ranges, static members first.

Topic by topic, P partitions over M subscribers: each gets P div M, and the first P mod M of them one more. Members are sorted by
instance id, then by member id, so that a static member keeps its ranges when it restarts. What members own is not read.

Known defects, reproduced: the same members get the one more of each topic, so loads may differ by the number of topics.

Source: org.apache.kafka.coordinator.group.assignor.RangeAssignor of Kafka 3.9 to 4.4 (KIP-848).
"""

from collections import Counter

from kassay.model import Assignment, Assignor, AssignorError, Group
from kassay.reference.broker.group_spec import GroupSpec, group_spec
from kassay.reference.consumer.members import in_order

UNKNOWN = "PartitionAssignorException: Member is subscribed to a non-existent topic"


def assign(group: Group) -> Assignment:
    """Give each topic's partitions to its subscribers in consecutive ranges, static members first."""
    spec = group_spec(group)
    readers = subscribers(spec)
    next_range = dict.fromkeys(readers, 0)
    extras = {topic: spec.topics[topic].partitions % count for topic, count in readers.items()}
    given: dict[str, dict[str, range]] = {}
    for member in in_order(group.members):
        given[member.id] = {}
        for topic in spec.subscribed[member.id]:
            start, quota = next_range[topic], spec.topics[topic].partitions // readers[topic]
            if extras[topic]:
                quota += 1
                extras[topic] -= 1
            next_range[topic] = start + quota
            given[member.id][topic] = range(start, start + quota)
    return spec.answer(given)


def subscribers(spec: GroupSpec) -> Counter[str]:
    """Count the subscribers of each topic; raises AssignorError where one does not exist."""
    counted = Counter(topic for topics in spec.subscribed.values() for topic in topics)
    if any(topic not in spec.topics for topic in counted):
        raise AssignorError(UNKNOWN)
    return counted


RANGE = Assignor(
    "broker/range",
    assign,
    frozenset(
        {
            "complete", "exclusive", "subscribed", "existing", "every_member", "balanced", "locally_balanced", "topic_balanced",
            "co_located", "crash_free", "deterministic", "member_order_independent", "topic_order_independent",
            "claim_order_independent", "renaming_independent", "stable", "settling", "joined_evenly", "static_identity",
            "instance_isolated", "stable_in_any_order", "reconciles",
        }
    ),
    "RangeAssignor of kafka-group-coordinator 4.4; KIP-848",
    {
        "balanced": frozenset({"mixed_subscriptions", "uneven_splits"}),
        "locally_balanced": frozenset({"mixed_subscriptions", "uneven_splits"}),
        "crash_free": frozenset({"unknown_topic"}),
    },
)  # fmt: skip
