"""Co-partition the topics that are joined, and give the others by another strategy.

For each set of topics in ``joined.topics`` of the configuration, partitions of the same number go to one member. The members that subscribe
to the whole set get ranges, as in consumer/range. ``other.topics.assignor`` assigns all other topics: consumer/roundrobin, as in the
proposal, or another assignor that assigns at once. The assignor fails if joined topics have unequal numbers of partitions, as Kafka
Streams does, or if no member subscribes to all of them. The members then see the leader's error; otherwise a join would be wrong silently.

Source: the client-side assignment proposal, the processor client (KIP-28).
"""

from collections.abc import Callable, Mapping
from dataclasses import replace

from kassay.model import Assignment, Assignor, AssignorError, Group, TopicPartition
from kassay.model.joins import Join, find_joins
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
    found = find_joins(group)
    given = {member.id: list[TopicPartition]() for member in group.members}
    parts = []
    for join in found:
        if join.wrong:
            raise AssignorError(join.wrong)
        parts.append(by_range.assign(_select_join(group, join)))
    joined = {name for join in found for name in join.names}
    others = replace(group, topics=tuple(topic for topic in group.topics if topic.name not in joined))
    parts.append(OTHERS[group.config.other_topics_assignor](others))
    for part in parts:
        for member, partitions in part.items():
            given[member] += partitions
    return given


def _select_join(group: Group, join: Join) -> Group:
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
"""Strategy of the other topics -> the promises that do not hold with it."""
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
