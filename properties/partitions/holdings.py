"""Holdings: what an assignment, which may be wrong in any way, gives legally, and who could be given what."""

from typing import TypeAlias

from kassay.model import Assignment, Group, TopicPartition

Holdings: TypeAlias = dict[str, list[TopicPartition]]
"""Member id -> the partitions it holds legally, each once, in the order given."""


def holdings(group: Group, assignment: Assignment) -> Holdings:
    """Return what each member of the group holds of existing partitions of topics to which it subscribes."""
    counts = partition_counts(group)
    held: Holdings = {}
    for member in group.members:
        subscribed = {name: counts[name] for name in member.topics if name in counts}
        given = dict.fromkeys(assignment.get(member.id, ()))
        held[member.id] = [p for p in given if 0 <= p[1] < subscribed.get(p[0], 0)]
    return held


def complete_and_legal(group: Group, assignment: Assignment) -> bool:
    """Return whether every partition of a subscribed topic is given to one subscriber, once, and nothing else to anybody."""
    given = sum(map(len, assignment.values()))
    held = {partition for those in holdings(group, assignment).values() for partition in those}
    readers = subscribers(group)
    return given == len(held) == sum(topic.partitions for topic in group.topics if readers[topic.name])


def topic_names(group: Group) -> list[str]:
    """Return the names of all topics that exist, are subscribed to, claimed or joined, each once."""
    found = dict.fromkeys(topic.name for topic in group.topics)
    for member in group.members:
        found.update(dict.fromkeys(member.topics))
        found.update(dict.fromkeys(partition.topic for partition in member.owned))
    for joined in group.config.joined_topics:
        found.update(dict.fromkeys(joined))
    return list(found)


def partition_counts(group: Group) -> dict[str, int]:
    """Return the number of partitions of each topic of the group."""
    return {topic.name: topic.partitions for topic in group.topics}


def subscribers(group: Group) -> dict[str, list[str]]:
    """Return the ids of each existing topic's subscribers, each once, in the group's order."""
    found: dict[str, list[str]] = {topic.name: [] for topic in group.topics}
    for member in group.members:
        for name in dict.fromkeys(member.topics):
            if name in found:
                found[name].append(member.id)
    return found


def sharing(group: Group) -> dict[str, int]:
    """Return, for each topic of a share group, how many members each of its partitions is wanted at that may be given.

    That is as many as there are members for each partition, rounded up: over all topics that are read where all members
    subscribe to the same ones, and otherwise topic by topic. Source: the desired sharing of SimpleAssignor, Kafka 4.2.
    """
    readers = subscribers(group)
    places = {topic.name: topic.partitions - len(set(topic.unassignable)) for topic in group.topics}
    if len({frozenset(member.topics) for member in group.members}) == 1:
        every = sum(places[topic.name] for topic in group.topics if readers[topic.name])
        places = dict.fromkeys(places, every)
    return {topic: -(-len(readers[topic]) // each) if each else 0 for topic, each in places.items()}


def able(group: Group) -> list[str]:
    """Return the ids of the members that subscribe to something that has partitions."""
    counts = partition_counts(group)
    return [member.id for member in group.members if any(counts.get(name, 0) for name in member.topics)]


def topic_loads(group: Group, assignment: Assignment) -> dict[str, dict[str, int]]:
    """Return, for each existing topic, how many of its partitions each subscriber holds legally."""
    loads = {topic: dict.fromkeys(readers, 0) for topic, readers in subscribers(group).items()}
    for member, given in holdings(group, assignment).items():
        for partition in given:
            loads[partition.topic][member] += 1
    return loads
