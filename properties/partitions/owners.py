"""Owners of partitions by the reports of the members, and the legal part of an assignment, which may be wrong in any way."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import wraps
from itertools import chain
from typing import TypeAlias, TypeVar

from kassay.model import Assignment, Group, Member, TopicPartition

R = TypeVar("R")


def keep_last_of_group(compute: Callable[[Group], R]) -> Callable[[Group], R]:
    """Return the function with a cache of its last result: many properties ask about one group. The result must not be changed."""
    last: tuple[Group, R] | None = None

    @wraps(compute)
    def ask(group: Group) -> R:
        nonlocal last
        known = last
        if known is None or known[0] is not group:
            known = last = group, compute(group)
        return known[1]

    return ask


def keep_last_of_answer(
    compute: Callable[[Group, Assignment], R],
) -> Callable[[Group, Assignment], R]:
    """Return the function with a cache of its last result, as :func:`keep_last_of_group`; an assignment may change in between."""
    last: tuple[Group, Assignment, R] | None = None

    @wraps(compute)
    def ask(group: Group, assignment: Assignment) -> R:
        nonlocal last
        known, given = last, {member: tuple(partitions) for member, partitions in assignment.items()}
        if known is None or known[0] is not group or known[1] != given:
            known = last = group, given, compute(group, given)
        return known[2]

    return ask


NO_GENERATION = -1
"""The generation of a member that reports no generation: below all others, as Kafka's DEFAULT_GENERATION."""


def generation(member: Member) -> int:
    """Return the generation of the member's owned partitions, NO_GENERATION if it reports none."""
    return NO_GENERATION if member.generation is None else member.generation


@keep_last_of_group
def owners(group: Group) -> Mapping[TopicPartition, Sequence[str]]:
    """Return the owners of each reported partition, in the group's order.

    A member owns a partition that it reports unless another member reports it with a higher generation: then the partition was
    reassigned while the first one was away (KAFKA-12984). With equal generations both are owners (KAFKA-7026). The partition
    may not exist any more, and its owner may no longer subscribe to the topic.
    """
    standing: dict[TopicPartition, list[str]] = {}
    highest: dict[TopicPartition, int] = {}
    for member in group.members:
        current = generation(member)
        for partition in member.owned:
            if partition not in standing or current > highest[partition]:
                standing[partition] = [member.id]
                highest[partition] = current
            elif current == highest[partition]:
                standing[partition].append(member.id)
    return standing


def present(group: Group) -> Assignment | None:
    """Return the partitions of each member as their owner, None if no member reports any."""
    standing = owners(group)
    return {
        member.id: tuple(p for p in dict.fromkeys(member.owned) if member.id in standing[p])
        for member in group.members
    } if standing else None  # fmt: skip


def owned_once(group: Group) -> Group:
    """Return the group in which only the first owner of each partition reports it.

    An assignor of a coordinator gets such groups (KIP-848): a target assignment has one owner of each partition.
    """
    first = {partition: claimants[0] for partition, claimants in owners(group).items()}
    return replace(
        group,
        members=tuple(
            replace(member, owned=tuple(p for p in dict.fromkeys(member.owned) if first[p] == member.id))
            for member in group.members
        ),
    )


def is_owned_once(group: Group) -> bool:
    """Return True if no partition is reported twice, with any generations."""
    claims = [partition for member in group.members for partition in member.owned]
    return len(claims) == len(set(claims))


@keep_last_of_answer
def list_partings(
    group: Group, assignment: Assignment
) -> Sequence[tuple[TopicPartition, Sequence[str], bool]]:
    """Return each existing partition that had owners, its owners, and True if it leaves them all."""
    counts = partition_counts(group)
    given = {member.id: frozenset(assignment.get(member.id, ())) for member in group.members}
    return [
        (partition, owned_by, all(partition not in given[owner] for owner in owned_by))
        if len(owned_by) > 1
        else (partition, owned_by, partition not in given[owned_by[0]])
        for partition, owned_by in owners(group).items()
        if partition.partition < counts.get(partition.topic, 0)
    ]


Holdings: TypeAlias = Mapping[str, Sequence[TopicPartition]]
"""Member id -> its legal partitions, each once, in the order of the assignment."""


@keep_last_of_answer
def holdings(group: Group, assignment: Assignment) -> Holdings:
    """Return the existing partitions of subscribed topics that are assigned to each member of the group."""
    counts = partition_counts(group)
    held: dict[str, list[TopicPartition]] = {}
    for member in group.members:
        subscribed = {name: counts[name] for name in member.topics if name in counts}
        given = dict.fromkeys(assignment.get(member.id, ()))
        held[member.id] = [p for p in given if 0 <= p[1] < subscribed.get(p[0], 0)]
    return held


def is_legal(group: Group, assignment: Assignment) -> bool:
    """Return True if only existing partitions are assigned, to members that subscribe to them, and to no member twice."""
    return sum(map(len, assignment.values())) == sum(map(len, holdings(group, assignment).values()))


@keep_last_of_answer
def complete_and_legal(group: Group, assignment: Assignment) -> bool:
    """Return True if every partition of a subscribed topic is assigned to one subscriber, once, and nothing else is assigned."""
    given = sum(map(len, assignment.values()))
    readers = subscribers(group)
    if given != sum(topic.partitions for topic in group.topics if readers[topic.name]):
        return False
    return given == len(set(chain.from_iterable(holdings(group, assignment).values())))


def topic_names(group: Group) -> list[str]:
    """Return the names of all topics that exist or are subscribed to, owned or joined, each once."""
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


@keep_last_of_group
def subscribers(group: Group) -> Mapping[str, Sequence[str]]:
    """Return the ids of each existing topic's subscribers, each once, in the group's order."""
    found: dict[str, list[str]] = {topic.name: [] for topic in group.topics}
    for member in group.members:
        for name in dict.fromkeys(member.topics):
            if name in found:
                found[name].append(member.id)
    return found


def wanted_copies(group: Group) -> dict[str, int]:
    """Return, for each topic of a share group, the wanted number of members for each assignable partition.

    It is the number of members per partition, rounded up: over all subscribed topics if all members have the same subscription,
    otherwise topic by topic. Source: the desired sharing of SimpleAssignor, Kafka 4.2.
    """
    readers = subscribers(group)
    places = {topic.name: topic.partitions - len(set(topic.unassignable)) for topic in group.topics}
    if len({frozenset(member.topics) for member in group.members}) == 1:
        every = sum(places[topic.name] for topic in group.topics if readers[topic.name])
        places = dict.fromkeys(places, every)
    return {topic: -(-len(readers[topic]) // each) if each else 0 for topic, each in places.items()}


def list_able(group: Group) -> list[str]:
    """Return the ids of the members that subscribe to something that has partitions."""
    counts = partition_counts(group)
    return [member.id for member in group.members if any(counts.get(name, 0) for name in member.topics)]


def topic_loads(group: Group, assignment: Assignment) -> dict[str, dict[str, int]]:
    """Return, for each existing topic, the number of legal partitions of each subscriber."""
    loads = {topic: dict.fromkeys(readers, 0) for topic, readers in subscribers(group).items()}
    for member, given in holdings(group, assignment).items():
        for partition in given:
            loads[partition.topic][member] += 1
    return loads


def rename(group: Group, new: Mapping[str, Mapping[str, str]]) -> Group:
    """Return the group under other names: of members ("m"), topics ("t"), instances ("i") and racks ("r").

    Two racks may get one name.
    """
    ids, topics, instances, racks = (new.get(kind, {}) for kind in "mtir")

    def named(names: Mapping[str, str], name: str | None) -> str | None:
        return None if name is None else names.get(name, name)

    return replace(
        group,
        config=group.config.renamed(topics),
        topics=tuple(
            replace(
                topic,
                name=topics.get(topic.name, topic.name),
                racks=tuple(tuple(named(racks, rack) for rack in near) for near in topic.racks)
                if racks and topic.racks
                else topic.racks,
            )
            for topic in group.topics
        ),
        members=tuple(
            replace(
                m,
                id=ids.get(m.id, m.id),
                topics=tuple(topics.get(name, name) for name in m.topics),
                owned=tuple(TopicPartition(topics.get(p.topic, p.topic), p.partition) for p in m.owned),
                instance_id=named(instances, m.instance_id),
                rack=named(racks, m.rack),
            )
            for m in group.members
        ),
    )
