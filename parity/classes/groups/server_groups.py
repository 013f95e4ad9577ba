"""Random groups as a group coordinator may hand them to an assignor, and worse: a seed gives the same ones everywhere.

Topics have ids of their own, also such as sort or hash alike; some partitions may not be given; claims are sound, double or stale.
"""

import random
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from dataclasses import replace

from classes.groups import random_timelines

from kassay.model import Group, Member, Topic, TopicPartition


def stream(seed: int, family: str) -> Iterator[Group]:
    """Yield groups without end."""
    rng = random.Random(f"{seed} {family}")
    for group in random_timelines.stream(seed):
        topics = _with_ids(rng, group.topics)
        if rng.random() < 0.25:
            topics = tuple(replace(t, unassignable=_some(rng, range(t.partitions), 0.3)) for t in topics)
        members = _members(rng, group, shared=family == "share" and rng.random() < 0.6)
        yield Group(topics, members if rng.random() < 0.99 else ())


def _with_ids(rng: random.Random, topics: tuple[Topic, ...]) -> tuple[Topic, ...]:
    """Give topics ids: random ones, or small ones, whose partitions collide in Java's tables; half of the groups have none."""
    kind = rng.random()
    if kind < 0.5:
        return topics
    bits = 64 if kind < 0.75 else 4
    halves = rng.sample(
        [(rng.getrandbits(bits), rng.getrandbits(bits)) for _ in range(40 * len(topics))], len(topics)
    )
    if len(set(halves)) < len(topics):
        return topics
    return tuple(replace(topic, id=_printed(*both)) for topic, both in zip(topics, halves, strict=True))


def _printed(most: int, least: int) -> str:
    return urlsafe_b64encode((most << 64 | least).to_bytes(16)).decode().rstrip("=")


def _some(rng: random.Random, numbers: range, share: float) -> tuple[int, ...]:
    return tuple(number for number in numbers if rng.random() < share)


def _members(rng: random.Random, group: Group, *, shared: bool) -> tuple[Member, ...]:
    sizes = {topic.name: topic.partitions for topic in group.topics}
    unknown, stale, double = rng.random() < 0.1, rng.random() < 0.15, rng.random() < 0.3
    taken: set[TopicPartition] = set()
    members = []
    for member in group.members:
        owned = _of_share(rng, member, sizes) if shared else member.owned
        if not stale:
            owned = tuple(one for one in owned if one.topic not in sizes or one.partition < sizes[one.topic])
        if not (double or shared):
            owned = tuple(one for one in owned if one not in taken)
            taken.update(owned)
        topics = member.topics if unknown else tuple(name for name in member.topics if name in sizes)
        members.append(replace(member, topics=topics, owned=owned))
    return tuple(members)


def _of_share(rng: random.Random, member: Member, sizes: dict[str, int]) -> tuple[TopicPartition, ...]:
    """Let a member own some of what it reads, and sometimes of what it does not, whoever else does."""
    names = list(sizes) if rng.random() < 0.2 else member.topics
    share = rng.choice((0.0, 0.2, 0.5, 1.0))
    every = [
        TopicPartition(name, number) for name in dict.fromkeys(names) for number in range(sizes.get(name, 0))
    ]
    owned = [one for one in every if rng.random() < share]
    if rng.random() < 0.5:
        rng.shuffle(owned)
    return tuple(owned)
