"""The order of groups of topics and members for shrinking, and the smallest groups.

The order is size, then the distance from plain names and from their order. The smallest groups have up to three members and
two topics. The less common a feature is, the fewer of them have it.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain, product

from kassay.model import Group, Member, Topic, TopicPartition
from kassay.model.config import UNCONFIGURED
from kassay.properties.minimise import distance, inversions, list_subsets, rack_names
from kassay.properties.partitions.owners import partition_counts, topic_names

Names = tuple[str, ...]
Claims = tuple[TopicPartition, ...]

RACK = "r0"


def size(group: Group) -> tuple[int, ...]:
    """Return the size of a group: the most important number first, features before their numbers."""
    members, topics = group.members, group.topics
    owned = [partition for member in members for partition in member.owned]
    replicas = [near for topic in topics for near in topic.racks or ()]
    racks = [rack for near in replicas for rack in near]
    config = group.config
    extras = (
        (config.rack_from_host is not None)
        + (config.other_topics_assignor != UNCONFIGURED.other_topics_assignor)
        + sum(map(len, config.joined_topics))
        + sum((m.user_data is not None) + (m.capacity is not None) for m in members)
        + sum(len(near) for topic in topics for near in topic.hosts or ())
        + sum((t.hosts is not None) + (t.id is not None) + len(t.unassignable) for t in topics)
        + (group.weight_unit is not None)
        + sum(
            1 + sum(1 + weight.bit_length() for weight in topic.weights if weight is not None)
            for topic in topics
            if topic.weights is not None
        )
    )
    return (
        len(members),
        len(topic_names(group)),
        count_oddities(group),
        extras,
        bool(racks) or any(member.rack is not None for member in members),
        any(member.instance_id is not None for member in members),
        any(member.generation is not None for member in members),
        sum(topic.partitions for topic in topics),
        sum(len(member.topics) for member in members),
        len(owned),
        sum(partition.partition for partition in owned),
        sum(len(member.user_data or b"") for member in members),
        sum(member.generation is not None for member in members),
        sum(member.generation or 0 for member in members),
        sum(member.instance_id is not None for member in members),
        sum(member.rack is not None for member in members),
        sum(topic.racks is not None for topic in topics),
        len(racks),
        sum(rack is None for rack in racks),
        len({rack for rack in racks if rack is not None} | {m.rack for m in members if m.rack is not None}),
    )


def count_oddities(group: Group) -> int:
    """Return the number of inconsistencies.

    These are owned partitions that do not exist or whose topic is not subscribed to, subscriptions to topics that do not exist,
    repeated topics, and empty subscriptions.
    """
    counts = partition_counts(group)
    odd = 0
    for member in group.members:
        topics = set(member.topics)
        odd += (len(member.topics) - len(topics)) if topics else 1
        odd += len(topics.difference(counts))
        for partition in member.owned:
            odd += partition.partition >= counts.get(partition.topic, 0)
            odd += partition.topic not in topics
    return odd


def disorder(group: Group) -> tuple[int, ...]:
    """Return the distance from plain names (members m0, m1, ..., topics t0, t1, ...) and from their order."""
    return (
        *distance(names_by_kind(group)),
        inversions([member.id for member in group.members]),
        inversions([topic.name for topic in group.topics]),
        sum(inversions(member.topics) for member in group.members),
        sum(inversions(member.owned) for member in group.members),
    )


def names_by_kind(group: Group) -> dict[str, Sequence[str]]:
    """Return the names of members, topics, instances and racks, by the letter of plain ones."""
    return {
        "m": [member.id for member in group.members],
        "t": topic_names(group),
        "i": [m.instance_id for m in group.members if m.instance_id is not None],
        "r": rack_names(group.members, group.topics),
    }


@cache
def list_smallest() -> tuple[tuple[tuple[int, ...], Group], ...]:
    """Return the smallest groups with their keys, in ascending order; without instance ids."""
    groups = dict.fromkeys(chain(_list_new(), _list_running(), _list_odd(), _list_racked()))
    keyed = (((*size(group), *disorder(group)), group) for group in groups)
    return tuple(sorted(keyed, key=lambda pair: pair[0]))


def _list_new() -> Iterator[Group]:
    """Yield groups without owned partitions: all subscriptions to one or two topics with few partitions."""
    for members, topics, least, most in (
        (1, 1, 0, 3),
        (2, 1, 0, 4),
        (3, 1, 0, 5),
        (2, 2, 0, 3),
        (3, 2, 1, 3),
    ):
        for counts in product(range(least, most + 1), repeat=topics):
            existing = _build_topics(counts)
            for read in product(list_subsets([topic.name for topic in existing]), repeat=members):
                yield _build_group(existing, read, [()] * members)


def _list_running() -> Iterator[Group]:
    """Yield groups whose members own existing partitions of their subscriptions."""
    for members, counts in ((2, (1,)), (2, (2,)), (2, (1, 1))):
        topics = _build_topics(counts)
        for read in product(list_subsets([topic.name for topic in topics]), repeat=members):
            readable = [[p for topic in topics if topic.name in names for p in topic] for names in read]
            for owned in product(*map(list_subsets, readable)):
                for generations in product((None, 0, 1) if len(counts) == 1 else (None,), repeat=members):
                    yield _build_group(topics, read, owned, generations)
    for members, count in product((2, 3), range(1, 5)):
        for owned in _list_divisions(count, members):
            yield _build_group(_build_topics((count,)), [("t0",)] * members, owned)


def _list_odd() -> Iterator[Group]:
    """Yield groups whose members own partitions that do not exist or whose topic they are not subscribed to."""
    for members, most in ((1, 2), (2, 1)):
        for count in range(-1, most + 1):  # of the only topic, which does not exist if the number is -1
            topics = () if count < 0 else _build_topics((count,))
            claims = list_subsets([TopicPartition("t0", number) for number in range(max(count, 0) + 1)])
            for carried in product(product(((), ("t0",)), claims), repeat=members):
                for generations in product((None, 0, 1), repeat=members):
                    read, owned = zip(*carried, strict=True)
                    yield _build_group(topics, read, owned, generations)
    for owned in product(list_subsets([TopicPartition("t0", number) for number in range(3)]), repeat=2):
        yield _build_group(_build_topics((2,)), [("t0",)] * 2, owned)
    for counts in ((1, 1), (1, 2), (2, 1)):  # up to two owned partitions of two topics
        topics = _build_topics(counts)
        some = [TopicPartition(topic.name, n) for topic in topics for n in range(topic.partitions + 1)]
        for owned in product(list_subsets(some, 2), repeat=2):
            if len(owned[0]) + len(owned[1]) <= 2:
                for read in product((("t0",), ("t1",), ("t0", "t1")), repeat=2):
                    yield _build_group(topics, read, owned)


def _list_racked() -> Iterator[Group]:
    """Yield groups in which one rack has some of the members and replicas."""
    for members, most, claimed in ((1, 2, 1), (2, 3, 3), (3, 4, 0)):
        for count in range(1, most + 1):
            for near in product(((), (RACK,)), repeat=count):
                topics = (Topic("t0", count, near),)
                for homes in product((None, RACK), repeat=members):
                    for owned in _list_divisions(count, members) if count <= claimed else [((),) * members]:
                        yield _build_group(topics, [("t0",)] * members, owned, racks=homes)


def _list_divisions(count: int, members: int) -> Iterator[tuple[Claims, ...]]:
    """Yield the ways to assign each partition of t0 to one of the members, or to no member."""
    for owners in product(range(members + 1), repeat=count):
        yield tuple(
            tuple(TopicPartition("t0", number) for number in range(count) if owners[number] == member)
            for member in range(members)
        )


def _build_topics(counts: Sequence[int]) -> tuple[Topic, ...]:
    return tuple(Topic(f"t{at}", count) for at, count in enumerate(counts))


def _build_group(
    topics: tuple[Topic, ...],
    read: Sequence[Names],
    owned: Sequence[Claims],
    generations: Sequence[int | None] = (None,) * 3,
    racks: Sequence[str | None] = (None,) * 3,
) -> Group:
    members = (
        Member(f"m{at}", names, owned[at], generations[at], rack=racks[at]) for at, names in enumerate(read)
    )
    return Group(topics, tuple(members))
