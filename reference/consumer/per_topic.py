"""Co-partition the topics that are joined, and give the others by another strategy.

Of topics that the configuration's ``joined.topics`` lists in one set, partitions of one number go to one member, in ranges as
consumer/range has them, among the members that subscribe to all of the set. All other topics are assigned by
``other.topics.assignor``: consumer/roundrobin, which the proposal names for them, or another one that gives partitions at once. It
fails where joined topics have unequal numbers of partitions, as Kafka Streams does, or nobody subscribes to all of them:
the leader's error reaches the members, where a join would go wrong in silence.

Source: the client-side assignment proposal, the processor client (KIP-28).
"""

from collections.abc import Callable, Mapping
from dataclasses import replace

from kassay.model import Assignment, Assignor, AssignorError, Group, TopicPartition
from kassay.model.joins import Join, joins
from kassay.reference.consumer import fair, roundrobin
from kassay.reference.consumer import range as by_range
from kassay.reference.consumer.sticky import assignor as sticky

OTHERS: Mapping[str, Callable[[Group], Assignment]] = {
    "consumer/roundrobin": roundrobin.assign,
    "consumer/range": by_range.assign,
    "consumer/fair": fair.assign,
    "consumer/sticky": sticky.assign,
}
"""Name of what assigns the topics that are not joined -> what it does."""


def assign(group: Group) -> Assignment:
    """Co-partition the joined topics, and give the others; raises AssignorError for topics that cannot be joined."""
    found = joins(group)
    given = {member.id: list[TopicPartition]() for member in group.members}
    parts = []
    for join in found:
        if join.wrong:
            raise AssignorError(join.wrong)
        parts.append(by_range.assign(_alone(group, join)))
    joined = {name for join in found for name in join.names}
    others = replace(group, topics=tuple(topic for topic in group.topics if topic.name not in joined))
    parts.append(OTHERS[group.config.other_topics_assignor](others))
    for part in parts:
        for member, partitions in part.items():
            given[member] += partitions
    return given


def _alone(group: Group, join: Join) -> Group:
    """Return the group of a join's topics and the members that read all of them."""
    readers = set(join.readers)
    members = tuple(replace(m, topics=join.names, owned=()) for m in group.members if m.id in readers)
    return replace(group, topics=join.topics, members=members)


_BY_STRATEGY = (
    "exclusive",
    "subscribed",
    "existing",
    "member_order_independent",
    "renaming_independent",
    "stable",
    "settling",
    "static_identity",
    "joined_evenly",
)
"""What does not hold for each strategy that the other topics may be assigned by."""
_UNEVEN = frozenset({"mixed_subscriptions", "joined_topics", "other_strategy"})

PER_TOPIC = Assignor(
    "consumer/per-topic",
    assign,
    (roundrobin.ROUNDROBIN.promises - {"topic_balanced"}) | {"co_partitioned"},
    "Client-side assignment proposal, the processor client; KIP-28",
    dict.fromkeys(_BY_STRATEGY, frozenset({"other_strategy"}))
    | {
        "crash_free": frozenset({"unjoinable", "other_strategy"}),
        "balanced": _UNEVEN,
        "locally_balanced": _UNEVEN,
    },
    limits=frozenset({"balanced", "locally_balanced"}),
)
