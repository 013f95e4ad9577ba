"""Growing groups from a choices of choices: topics, members, racks; what the members claim comes from claiming."""

from kassay.model import Group, Member, Topic
from kassay.properties.choices import Choices
from kassay.properties.partitions.generating.names import (
    HOSTILE_RACKS,
    RACKS,
    instance_ids,
    member_ids,
    topic_names,
)

Racks = tuple[tuple[str | None, ...], ...]


def fresh(choices: Choices) -> Group:
    """Choose a group without claims: mostly up to 6 members and 4 topics, sometimes 20 and 12, rarely 50 and 8."""
    members, topics, partitions = _size(choices)
    named = topic_names(choices, topics)
    counts = [choices.below(partitions) for _ in named]
    racks = _rack_pool(choices)
    group_topics = tuple(
        Topic(name, count, _replica_racks(choices, racks, count) if racks else None)
        for name, count in zip(named, counts, strict=True)
    )
    ids = member_ids(choices, members)
    if choices.chance(50):
        ids = choices.shuffled(ids)
    reading = subscriptions(choices, named, members)
    static = _instances(choices, members)
    homes = _homes(choices, racks, members)
    return Group(
        topics=tuple(choices.shuffled(group_topics)) if choices.chance(15) else group_topics,
        members=tuple(
            Member(id=name, topics=topics, instance_id=instance, rack=rack)
            for name, topics, instance, rack in zip(ids, reading, static, homes, strict=True)
        ),
    )


def _size(choices: Choices) -> tuple[int, int, int]:
    """Choose the number of members, the number of topics and a limit of partitions in each."""
    kind = choices.byte()
    if kind < 215:
        return 1 + choices.below(6), 1 + choices.below(4), 7
    if kind < 252:
        return 1 + choices.below(20), 1 + choices.below(12), 13
    return 50 + choices.below(31), 4 + choices.below(5), 100


def subscriptions(choices: Choices, named: list[str], members: int) -> list[tuple[str, ...]]:
    """Choose what each member subscribes to: all the same, or mixed; rarely a topic that does not exist, or one twice."""
    known = (*named, "unknown") if choices.chance(9) else tuple(named)
    kind = choices.below(8)
    if kind < 3:
        chosen = [known] * members
    elif kind < 4:
        chosen = [choices.some(known)] * members
    elif kind < 7:
        chosen = [choices.some(known) for _ in range(members)]
    else:  # one differs from the rest
        chosen = [known] * members
        chosen[choices.below(members)] = choices.some(known)
    if choices.chance(12):
        chosen = [tuple(choices.shuffled(topics)) for topics in chosen]
    if choices.chance(4):
        at = choices.below(members)
        chosen[at] += chosen[at][:1]
    return chosen


def _instances(choices: Choices, members: int) -> list[str | None]:
    kind = choices.below(6)
    if kind < 4:
        return [None] * members
    named = instance_ids(choices, members)
    static = set(named) if kind == 4 else set(choices.some(named))
    return [name if name in static else None for name in named]


def _rack_pool(choices: Choices) -> tuple[str, ...]:
    """Choose the racks of the cluster, none in three of five groups."""
    if not choices.chance(40):
        return ()
    pool = HOSTILE_RACKS if choices.chance(12) else RACKS
    return pool[: 1 + choices.below(len(pool))]


def _replica_racks(choices: Choices, racks: tuple[str, ...], partitions: int) -> Racks | None:
    """Choose the racks of the replicas of a topic: as many replicas each, rack by rack or anywhere, some unknown."""
    kind = choices.below(16)
    if kind == 15:
        return None
    replicas = 1 + choices.below(3)
    unknown: tuple[str | None, ...] = (*racks, None) if kind >= 12 else racks
    if kind >= 6:
        return tuple(tuple(choices.pick(unknown) for _ in range(replicas)) for _ in range(partitions))
    return tuple(tuple(racks[(at + n) % len(racks)] for n in range(replicas)) for at in range(partitions))


def _homes(choices: Choices, racks: tuple[str, ...], members: int) -> list[str | None]:
    if not racks:
        return [None] * members
    kind = choices.below(8)
    if kind == 7:
        return [None] * members
    homes: tuple[str | None, ...] = (
        (*racks, "elsewhere") if kind == 6 else racks if kind < 4 else (*racks, None)
    )
    return [choices.pick(homes) for _ in range(members)]
