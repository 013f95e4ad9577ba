"""Invariants of groups in which several members may read one partition (share groups, KIP-932)."""

from collections import Counter
from collections.abc import Iterator

from kassay.model import Assignment, Group, Topic
from kassay.properties.partitions.holdings import holdings, sharing
from kassay.properties.runs import Violation
from kassay.properties.words import counted, listed


def distinct(group: Group, assignment: Assignment) -> Iterator[str]:
    """No partition is given to one member twice.

    Source: ShareGroupPartitionAssignor answers with sets.
    """
    for member in group.members:
        for partition, times in Counter(assignment.get(member.id, ())).items():
            if times > 1:
                yield Violation(f"{partition} is given to {member.id} {times} times", partition)


def busy(group: Group, assignment: Assignment) -> Iterator[str]:
    """Every member has a partition, if it subscribes to any that may be given: there is always one to share.

    Source: KIP-932, whose share groups may have more members than partitions, so that all of them consume.
    """
    held = holdings(group, assignment)
    for member in group.members:
        readable = [
            topic.name for topic in group.topics if topic.name in member.topics and _assignable(topic)
        ]
        if readable and not held[member.id]:
            said = f"{member.id} has nothing, though it could share {listed(readable, ' or ')}"
            yield Violation(said, member.id)


def evenly_shared(group: Group, assignment: Assignment) -> Iterator[str]:
    """Every partition goes to as many members as there are for each partition, rounded up.

    Counted over all topics where all members subscribe to the same ones, and otherwise topic by topic. Source: the desired sharing
    of SimpleAssignor, Kafka 4.2.
    """
    owners = Counter(partition for given in holdings(group, assignment).values() for partition in given)
    wanted = sharing(group)
    for topic in group.topics:
        for partition in topic if wanted[topic.name] else ():
            if owners[partition] != wanted[topic.name] and partition.partition not in topic.unassignable:
                shared = counted(owners[partition], "member")
                said = f"{partition} is shared by {shared} instead of {wanted[topic.name]}"
                yield Violation(said, partition)


def _assignable(topic: Topic) -> int:
    """Return how many partitions of a topic may be given."""
    return topic.partitions - len(set(topic.unassignable))
