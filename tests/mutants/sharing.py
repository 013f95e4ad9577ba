"""An honest assignor of share groups, and mutants of it."""

from mutants.honest import tidy

from kassay.model import Assignment, Group, TopicPartition
from kassay.properties.partitions.owners import subscribers


def in_turn(group: Group) -> Assignment:
    """Deal copies of partitions in turn, as many of each as it takes for every reader to have one.

    Over all topics where all members read the same ones, and otherwise topic by topic.
    """
    withheld = {(topic.name, number) for topic in group.topics for number in topic.unassignable}
    group = tidy(group)
    readers = subscribers(group)
    alike = len({frozenset(member.topics) for member in group.members}) <= 1
    read = [topic for topic in group.topics if readers[topic.name]]
    blocks = [read] if alike else [[topic] for topic in read]
    given: dict[str, list[TopicPartition]] = {member.id: [] for member in group.members}
    for block in blocks:
        partitions = [partition for topic in block for partition in topic if partition not in withheld]
        takers = readers[block[0].name] if block else []
        copies = -(-len(takers) // len(partitions)) if partitions else 0
        for at in range(copies * len(partitions)):
            given[takers[at % len(takers)]].append(partitions[at // copies])
    return given


def leaves_the_idle_out(group: Group) -> Assignment:
    """Takes each partition's second and further copies back."""
    taken: set[TopicPartition] = set()
    given: dict[str, list[TopicPartition]] = {}
    for member, partitions in in_turn(group).items():
        given[member] = [partition for partition in partitions if partition not in taken]
        taken.update(partitions)
    return given


def gives_everybody_everything(group: Group) -> Assignment:
    """Gives all readers of a topic all its partitions (SimpleAssignor of Kafka 3.9)."""
    readers = subscribers(group)
    return {
        m.id: [p for topic in group.topics if m.id in readers[topic.name] for p in topic]
        for m in group.members
    }


def lists_copies_for_one_member(group: Group) -> Assignment:
    """Lists the partitions of a member twice."""
    return {member: [*given, *given] for member, given in in_turn(group).items()}
