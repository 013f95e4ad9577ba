"""Merge: groups in which one member, topic or partition stands for two, where leaving out either would lose too much."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

from kassay.model import Group, Member, Topic, TopicPartition
from kassay.properties.partitions.edits import with_topic

MOST = 6
"""Pairs of members, topics or racked partitions of a topic are merged where there are at most this many."""
MOST_PARTITIONS = 1_000
"""No topic is made larger than this."""


def merge_members(group: Group) -> Iterator[Group]:
    """Give a member the subscription and the claims of another one, which is left out."""
    if len(group.members) <= MOST:
        for one, other in combinations(group.members, 2):
            topics = tuple(dict.fromkeys(one.topics + other.topics))
            both = replace(one, topics=topics, owned=tuple(dict.fromkeys(one.owned + other.owned)))
            yield replace(
                group, members=tuple(both if m is one else m for m in group.members if m is not other)
            )


def merge_topics(group: Group) -> Iterator[Group]:
    """Give a topic the subscribers of another one and, behind its own, its partitions."""
    if len(group.topics) <= MOST:
        for one, other in combinations(group.topics, 2):
            if one.partitions + other.partitions <= MOST_PARTITIONS:
                yield _merged(group, one, other)


def merge_partitions(group: Group) -> Iterator[Group]:
    """Give a partition the replicas of the next one, which is left out with the claims to it."""
    for at, topic in enumerate(group.topics):
        if topic.racks is not None and topic.partitions <= MOST:
            for number in range(topic.partitions - 1):
                both = (*topic.racks[number], *topic.racks[number + 1])
                racks = (*topic.racks[:number], both, *topic.racks[number + 2 :])
                less = Topic(topic.name, topic.partitions - 1, racks)
                gone = TopicPartition(topic.name, number + 1)
                yield replace(
                    with_topic(group, at, less),
                    members=tuple(_without_claim(member, gone) for member in group.members),
                )


def _merged(group: Group, one: Topic, other: Topic) -> Group:
    racks = None
    if one.racks is not None or other.racks is not None:
        racks = (one.racks or ((),) * one.partitions) + (other.racks or ((),) * other.partitions)
    both = Topic(one.name, one.partitions + other.partitions, racks)

    def moved(partition: TopicPartition) -> TopicPartition:
        if partition.topic != other.name:
            return partition
        return TopicPartition(one.name, partition.partition + one.partitions)

    return replace(
        group,
        config=group.config.without({other.name}),
        topics=tuple(both if topic is one else topic for topic in group.topics if topic is not other),
        members=tuple(
            replace(
                member,
                topics=tuple(
                    dict.fromkeys(one.name if name == other.name else name for name in member.topics)
                ),
                owned=tuple(dict.fromkeys(map(moved, member.owned))),
            )
            for member in group.members
        ),
    )


def _without_claim(member: Member, gone: TopicPartition) -> Member:
    """Leave out a claim; those to the partitions behind move down."""
    return replace(
        member,
        owned=tuple(
            TopicPartition(p.topic, p.partition - 1) if p.topic == gone.topic and p > gone else p
            for p in member.owned
            if p != gone
        ),
    )
