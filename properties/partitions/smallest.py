"""The order in which the minimiser descends, and the smallest groups of topics and members.

The order is size, then how far names are from plain ones and from their order. The smallest groups have up to three members
and two topics; the less common a feature, the fewer have it. A minimum among them is found from every start.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain, combinations, product
from typing import TypeVar

from kassay.model import Group, Member, Topic, TopicPartition
from kassay.model.config import UNCONFIGURED
from kassay.properties.minimise import distance, inversions
from kassay.properties.partitions.owners import partition_counts, topic_names

T = TypeVar("T")
Names = tuple[str, ...]
Claims = tuple[TopicPartition, ...]

RACK = "r0"


def order_key(group: Group) -> tuple[int, ...]:
    """Return the key by which every step makes a group smaller, so that minimising ends: size, then disorder."""
    return (*size(group), *disorder(group))


def size(group: Group) -> tuple[int, ...]:
    """Return how large a group is: the weightiest first, features before their numbers."""
    members = group.members
    owned = [partition for member in members for partition in member.owned]
    replicas = [near for topic in group.topics for near in topic.racks or ()]
    racks = [rack for near in replicas for rack in near]
    return (
        len(members),
        len(topic_names(group)),
        oddities(group),
        _extras(group),
        bool(racks) or any(member.rack is not None for member in members),
        any(member.instance_id is not None for member in members),
        any(member.generation is not None for member in members),
        sum(topic.partitions for topic in group.topics),
        sum(len(member.topics) for member in members),
        len(owned),
        sum(partition.partition for partition in owned),
        sum(len(member.user_data or b"") for member in members),
        sum(member.generation is not None for member in members),
        sum(member.generation or 0 for member in members),
        sum(member.instance_id is not None for member in members),
        sum(member.rack is not None for member in members),
        sum(topic.racks is not None for topic in group.topics),
        len(racks),
        sum(rack is None for rack in racks),
        len({rack for rack in racks if rack is not None} | {m.rack for m in members if m.rack is not None}),
    )


def oddities(group: Group) -> int:
    """Return how much is amiss: claims to what does not exist or is not subscribed to, subscriptions to nothing.

    Also subscriptions that are empty or name a topic twice.
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


def _extras(group: Group) -> int:
    """Count what is set in addition to subscriptions, claims and racks: configuration, user data, hosts of replicas, ids, weights."""
    config = group.config
    return (
        (config.rack_from_host is not None)
        + (config.other_topics_assignor != UNCONFIGURED.other_topics_assignor)
        + sum(map(len, config.joined_topics))
        + sum((m.user_data is not None) + (m.capacity is not None) for m in group.members)
        + sum(len(near) for topic in group.topics for near in topic.hosts or ())
        + sum((t.hosts is not None) + (t.id is not None) + len(t.unassignable) for t in group.topics)
        + (group.weight_unit is not None)
        + sum(
            1 + sum(1 + weight.bit_length() for weight in topic.weights if weight is not None)
            for topic in group.topics
            if topic.weights is not None
        )
    )


def disorder(group: Group) -> tuple[int, ...]:
    """Return how far a group is from plain names (members m0, m1, ..., topics t0, t1, ...) and from their order."""
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
        "r": rack_names(group),
    }


def rack_names(group: Group) -> list[str]:
    """Return all racks that are named, members' first, each once."""
    replicas = (rack for topic in group.topics for near in topic.racks or () for rack in near)
    named = (*(member.rack for member in group.members), *replicas)
    return list(dict.fromkeys(rack for rack in named if rack is not None))


@cache
def catalogue() -> tuple[tuple[tuple[int, ...], Group], ...]:
    """Return the smallest groups with their keys, in ascending order; without instance ids."""
    groups = dict.fromkeys(chain(_new(), _running(), _odd(), _racked()))
    return tuple(sorted(((order_key(group), group) for group in groups), key=lambda pair: pair[0]))


def _new() -> Iterator[Group]:
    """Yield groups without claims: all subscriptions to one topic or two with few partitions."""
    for members, topics, least, most in (
        (1, 1, 0, 3),
        (2, 1, 0, 4),
        (3, 1, 0, 5),
        (2, 2, 0, 3),
        (3, 2, 1, 3),
    ):
        for counts in product(range(least, most + 1), repeat=topics):
            existing = _topics(counts)
            for read in product(_subsets([topic.name for topic in existing]), repeat=members):
                yield _group(existing, read, [()] * members)


def _running() -> Iterator[Group]:
    """Yield groups with claims to existing partitions of the members' subscriptions."""
    for members, counts in ((2, (1,)), (2, (2,)), (2, (1, 1))):
        topics = _topics(counts)
        for read in product(_subsets([topic.name for topic in topics]), repeat=members):
            readable = [[p for topic in topics if topic.name in names for p in topic] for names in read]
            for owned in product(*map(_subsets, readable)):
                for generations in product((None, 0, 1) if len(counts) == 1 else (None,), repeat=members):
                    yield _group(topics, read, owned, generations)
    for members, most in ((2, 4), (3, 4)):  # each partition with one owner or none
        for count in range(1, most + 1):
            for owned in _divided(count, members):
                yield _group(_topics((count,)), [("t0",)] * members, owned)


def _odd() -> Iterator[Group]:
    """Yield groups with claims to what has vanished or is not subscribed to."""
    for members, most in ((1, 2), (2, 1)):  # of one topic, which may not exist
        for count in range(-1, most + 1):
            topics = () if count < 0 else _topics((count,))
            claims = _subsets([TopicPartition("t0", number) for number in range(max(count, 0) + 1)])
            for carried in product(product(((), ("t0",)), claims), repeat=members):
                for generations in product((None, 0, 1), repeat=members):
                    yield _group(
                        topics, [names for names, _ in carried], [owned for _, owned in carried], generations
                    )
    for owned in product(_subsets([TopicPartition("t0", number) for number in range(3)]), repeat=2):
        yield _group(_topics((2,)), [("t0",)] * 2, owned)
    for counts in ((1, 1), (1, 2), (2, 1)):  # up to two claims in two topics
        topics = _topics(counts)
        claims = _up_to(
            2, [TopicPartition(topic.name, n) for topic in topics for n in range(topic.partitions + 1)]
        )
        for owned in product(claims, repeat=2):
            if len(owned[0]) + len(owned[1]) <= 2:
                for read in product((("t0",), ("t1",), ("t0", "t1")), repeat=2):
                    yield _group(topics, read, owned)


def _racked() -> Iterator[Group]:
    """Yield groups in which one rack holds some members and replicas."""
    for members, most, claimed in ((1, 2, 1), (2, 3, 3), (3, 4, 0)):
        for count in range(1, most + 1):
            for near in product(((), (RACK,)), repeat=count):
                topics = (Topic("t0", count, near),)
                for homes in product((None, RACK), repeat=members):
                    for owned in _divided(count, members) if count <= claimed else [((),) * members]:
                        yield _group(topics, [("t0",)] * members, owned, racks=homes)


def _divided(count: int, members: int) -> Iterator[tuple[Claims, ...]]:
    """Yield the ways to give each partition of t0 to one of the members, or to none."""
    for owners in product(range(members + 1), repeat=count):
        yield tuple(
            tuple(TopicPartition("t0", number) for number in range(count) if owners[number] == member)
            for member in range(members)
        )


def _topics(counts: Sequence[int]) -> tuple[Topic, ...]:
    return tuple(Topic(f"t{at}", count) for at, count in enumerate(counts))


def _group(
    topics: tuple[Topic, ...],
    read: Sequence[Names],
    owned: Sequence[Claims],
    generations: Sequence[int | None] = (None,) * 3,
    racks: Sequence[str | None] = (None,) * 3,
) -> Group:
    return Group(
        topics,
        tuple(
            Member(f"m{at}", names, owned[at], generations[at], rack=racks[at])
            for at, names in enumerate(read)
        ),
    )


def _subsets(items: Sequence[T]) -> list[tuple[T, ...]]:
    return _up_to(len(items), items)


def _up_to(most: int, items: Sequence[T]) -> list[tuple[T, ...]]:
    return list(chain.from_iterable(combinations(items, number) for number in range(most + 1)))
