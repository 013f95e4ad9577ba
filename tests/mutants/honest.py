"""Honest assignors, small and slow, that keep every promise made for them; the mutants are these, broken in one way."""

from collections.abc import Iterable
from dataclasses import replace

from kassay.model import Assignment, Group, TopicPartition
from kassay.model.joins import find_joins
from kassay.properties.partitions.exchanges import Move, find_exchange, find_improving_chain
from kassay.properties.partitions.owners import owners, partition_counts, subscribers

COMMON = frozenset(
    {
        "crash_free", "deterministic", "member_order_independent", "topic_order_independent",
        "claim_order_independent", "renaming_independent", "instance_isolated",
        "complete", "subscribed", "existing", "every_member",
    }
)  # fmt: skip


def tidy(group: Group) -> Group:
    """Put members and topics into the order of their names and leave out racks, so that neither can matter."""
    return Group(
        topics=tuple(
            replace(topic, racks=None) for topic in sorted(group.topics, key=lambda topic: topic.name)
        ),
        members=tuple(
            replace(member, topics=tuple(sorted(member.topics)), owned=tuple(sorted(member.owned)), rack=None)
            for member in sorted(group.members, key=lambda member: member.id)
        ),
    )


def kept(group: Group) -> dict[str, list[TopicPartition]]:
    """Let each partition stay with one of its owners that still subscribes to it, the least loaded first."""
    given: dict[str, list[TopicPartition]] = {member.id: [] for member in group.members}
    counts, readers = partition_counts(group), subscribers(group)
    for partition, owned_by in sorted(owners(group).items()):
        candidates = [owner for owner in owned_by if owner in readers.get(partition.topic, ())]
        if candidates and partition.partition < counts[partition.topic]:
            given[min(candidates, key=lambda owner: len(given[owner]))].append(partition)
    return given


def filled(group: Group, given: dict[str, list[TopicPartition]]) -> dict[str, list[TopicPartition]]:
    """Give partitions without owner to their least loaded subscribers."""
    taken = {partition for these in given.values() for partition in these}
    for topic, readers in zip(group.topics, subscribers(group).values(), strict=True):
        for partition in topic if readers else ():
            if partition not in taken:
                given[min(readers, key=lambda reader: len(given[reader]))].append(partition)
    return given


def moved(given: dict[str, list[TopicPartition]], moves: Iterable[Move]) -> None:
    """Carry out moves."""
    for partition, giver, taker in moves:
        given[giver].remove(partition)
        given[taker].append(partition)


def sticky(group: Group) -> Assignment:
    """Keep what can be kept in the most even loads there are."""
    group = tidy(group)
    given = filled(group, kept(group))
    readers = subscribers(group)
    while chain := find_improving_chain(given, readers):
        moved(given, chain)
    while exchange := find_exchange(group, given):
        moved(given, exchange)
    return given


def withheld(group: Group, target: Assignment) -> Assignment:
    """Keep back partitions that another member must revoke first (KIP-429)."""
    owned_by = owners(group)
    return {
        member: [p for p in given if p not in owned_by or member in owned_by[p]]
        for member, given in target.items()
    }


def cooperative(group: Group) -> Assignment:
    """Do as `sticky`, in two rounds where partitions move."""
    return withheld(group, sticky(group))


def by_topic(group: Group) -> Assignment:
    """Cut each topic into runs whose lengths differ by at most one, the longer ones first in the order of ids."""
    group = tidy(group)
    given: dict[str, list[TopicPartition]] = {member.id: [] for member in group.members}
    for topic, readers in zip(group.topics, subscribers(group).values(), strict=True):
        for partition in topic if readers else ():
            given[readers[partition.partition * len(readers) // topic.partitions]].append(partition)
    return given


def together(group: Group) -> Assignment:
    """Cut each topic as `by_topic`, and those that are joined together, among the members that read all of them."""
    given = {member: list(partitions) for member, partitions in by_topic(group).items()}
    for join in find_joins(group):
        if join.wrong is None:
            given = {member: [p for p in own if p.topic not in join.names] for member, own in given.items()}
            readers = sorted(join.readers)
            for topic in join.topics:
                for partition in topic:
                    given[readers[partition.partition * len(readers) // topic.partitions]].append(partition)
    return given


def copied(group: Group, copies: int = 2) -> Assignment:
    """Give each partition to a number of its subscribers, the least loaded first, and even the loads."""
    group = tidy(group)
    given: dict[str, list[TopicPartition]] = {member.id: [] for member in group.members}
    for topic, readers in zip(group.topics, subscribers(group).values(), strict=True):
        for partition in topic:
            for taker in sorted(readers, key=lambda reader: len(given[reader]))[:copies]:
                given[taker].append(partition)
    readers = subscribers(group)
    while chain := find_improving_chain(given, readers):
        moved(given, chain)
    return given
