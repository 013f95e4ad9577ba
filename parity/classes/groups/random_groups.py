"""Random groups that are as hostile as members, metadata and names can be; a seed gives the same groups everywhere."""

import itertools
import random
from collections.abc import Iterator
from dataclasses import replace

from kassay.model import Group, Member, Topic, TopicPartition

# All of one length share a hash code ("Aa" and "BB" do), so that they fill one slot of a Java hash table.
COLLIDING = ["".join(parts) for parts in itertools.product(("Aa", "BB"), repeat=5)]
# Java sorts the code point above U+FFFF before U+FF5E, Python after it.
STRANGE = ["\U0001f600", "\uff5e", "\U0001f600a", "\uff5ea", "é", "", "Zz", "a b", "-", "t-1", "t-10", "0"]
RACKS = ["a", "b", "c", "d"]


def groups(seed: int) -> Iterator[Group]:
    """Yield groups without end."""
    rng = random.Random(seed)
    while True:
        yield random_group(rng)


def random_group(rng: random.Random) -> Group:
    """Make one group; most are small, some have enough members or topics to fill hash tables."""
    large = rng.random() < 0.05
    topics = _topics(rng, rng.randint(0, 30 if large else 5), 12 if large else 8)
    missing = _names(rng, rng.choice((0, 0, 1, 2)), "gone")
    members = _members(rng, topics, [name for name in missing if name not in {t.name for t in topics}], large)
    return Group(tuple(topics), tuple(members))


def _names(rng: random.Random, count: int, prefix: str) -> list[str]:
    kind = rng.random()
    if kind < 0.6:
        names = [f"{prefix}{number}" for number in range(count + rng.randint(0, 8))]
    elif kind < 0.8:
        names = COLLIDING + [f"{prefix}{number}" for number in range(count)]
    else:
        names = STRANGE + [f"{prefix}{number}" for number in range(count)]
    return rng.sample(names, count)


def _topics(rng: random.Random, count: int, most: int) -> list[Topic]:
    same = rng.randint(1, most) if rng.random() < 0.4 else None  # co-partitioned
    with_racks = rng.choice((0.0, 0.0, 1.0, 1.0, 0.7))
    replicas = rng.randint(1, 3)
    racks = RACKS[: rng.randint(1, 4)]
    topics = []
    for name in _names(rng, count, "t"):
        partitions = rng.randint(0, most) if same is None else same
        known = None
        if rng.random() < with_racks:
            known = tuple(_replicas(rng, racks, replicas) for _ in range(partitions))
        topics.append(Topic(name, partitions, known))
    shared = next((topic.racks for topic in topics if topic.racks), None)
    if shared and rng.random() < 0.2:  # topics of one size are on the same racks
        return [replace(t, racks=shared) if t.partitions == len(shared) else t for t in topics]
    return topics


def _replicas(rng: random.Random, racks: list[str], count: int) -> tuple[str | None, ...]:
    kind = rng.random()
    if kind < 0.85:
        return tuple(rng.sample(racks, min(count, len(racks))))
    return tuple(rng.choice((*racks, None, "", "unseen")) for _ in range(rng.randint(0, count)))


def _members(rng: random.Random, topics: list[Topic], missing: list[str], large: bool) -> list[Member]:
    ids = _names(rng, rng.randint(1, 60 if large else 7), "m")
    there = [topic.name for topic in topics]
    every = there + missing
    subscriptions = _subscriptions(rng, every, len(ids))
    owned = _owned(rng, topics, every, subscriptions)
    static = rng.choice((0.0, 0.0, 0.5, 1.0))
    instances = _names(rng, len(ids), "i")
    racked = rng.choice((0.0, 0.0, 1.0, 1.0, 0.6))
    racks = [*RACKS[: rng.randint(1, 4)], *rng.choice(([], ["", "far"]))]
    newest = rng.choice((0, 1, 5, 2**31 - 1))
    aged = rng.choice((0.0, 0.0, 0.3, 0.8))
    return [
        Member(
            id=id_,
            topics=subscriptions[n],
            owned=owned[n],
            generation=_generation(rng, newest, aged, bool(owned[n])),
            instance_id=instances[n] if rng.random() < static else None,
            rack=rng.choice(racks) if rng.random() < racked else None,
        )
        for n, id_ in enumerate(ids)
    ]


def _generation(rng: random.Random, newest: int, aged: float, owns: bool) -> int | None:
    if rng.random() < aged:
        return rng.choice((None, max(0, newest - 1), max(0, newest - 2)))
    return newest if owns or rng.random() < 0.5 else None


def _subscriptions(rng: random.Random, names: list[str], count: int) -> list[tuple[str, ...]]:
    kind = rng.random()
    if kind < 0.4:  # all equal, each in an order of its own
        some = rng.sample(names, rng.randint(min(1, len(names)), len(names)))
        return [tuple(rng.sample(some, len(some))) for _ in range(count)]
    pools = [rng.sample(names, rng.randint(0, len(names))) for _ in range(rng.randint(1, 3))]
    subscriptions = []
    for _ in range(count):
        topics = list(rng.choice(pools)) if kind < 0.7 else rng.sample(names, rng.randint(0, len(names)))
        if topics and kind > 0.85 and rng.random() < 0.3:
            topics.append(rng.choice(topics))
        subscriptions.append(tuple(topics))
    return subscriptions


def _owned(
    rng: random.Random, topics: list[Topic], names: list[str], subscriptions: list[tuple[str, ...]]
) -> list[tuple[TopicPartition, ...]]:
    """Make what members claim: mostly what some earlier assignment could have been, sometimes spoiled."""
    kind = rng.random()
    if kind < 0.25:
        return [() for _ in subscriptions]
    owned = _handed_out(rng, topics, subscriptions)
    if kind > 0.6:
        for claims in owned:
            if rng.random() < 0.3:
                claims.extend(_stale(rng, topics, names))
    if rng.random() < 0.5:
        for claims in owned:
            rng.shuffle(claims)
    return [tuple(dict.fromkeys(claims)) for claims in owned]


def _handed_out(
    rng: random.Random, topics: list[Topic], subscriptions: list[tuple[str, ...]]
) -> list[list[TopicPartition]]:
    """Give most partitions to one member each, usually to a subscriber; some members have just joined."""
    owned: list[list[TopicPartition]] = [[] for _ in subscriptions]
    hole = rng.choice((0.0, 0.0, 0.3, 0.7))
    foreign = rng.choice((0.0, 0.0, 0.2))
    old = range(rng.randint(1, len(owned)))
    for topic in topics:
        subscribers = [n for n in old if topic.name in subscriptions[n]]
        for partition in topic:
            if rng.random() >= hole:
                near = subscribers and rng.random() >= foreign
                owned[rng.choice(subscribers if near else old)].append(partition)
    return owned


def _stale(rng: random.Random, topics: list[Topic], names: list[str]) -> Iterator[TopicPartition]:
    """Yield claims of others' partitions, and of partitions and topics that are gone."""
    sizes = {topic.name: topic.partitions for topic in topics}
    beyond = rng.random() < 0.3
    for _ in range(rng.randint(1, 3)):
        name = rng.choice([*names, "vanished"])
        size = sizes.get(name, 3)
        if size and not (beyond and rng.random() < 0.5):
            yield TopicPartition(name, rng.randrange(size))
        elif beyond:
            yield TopicPartition(name, size + rng.randrange(3))
