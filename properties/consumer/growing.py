"""Growing groups from a tape of choices: topics, members, racks; what the members claim comes from claiming."""

from kassay.model import Group, Member, Topic
from kassay.properties.consumer.naming import (
    HOSTILE_RACKS,
    RACKS,
    instance_ids,
    member_ids,
    topic_names,
)
from kassay.properties.consumer.tape import Tape

Racks = tuple[tuple[str | None, ...], ...]


def fresh(tape: Tape) -> Group:
    """Choose a group without claims: mostly up to 6 members and 4 topics, sometimes 20 and 12, rarely 50 and 8."""
    members, topics, partitions = _size(tape)
    named = topic_names(tape, topics)
    counts = [tape.below(partitions) for _ in named]
    racks = _rack_pool(tape)
    group_topics = tuple(
        Topic(name, count, _replica_racks(tape, racks, count) if racks else None)
        for name, count in zip(named, counts, strict=True)
    )
    ids = member_ids(tape, members)
    if tape.chance(50):
        ids = tape.shuffled(ids)
    reading = subscriptions(tape, named, members)
    static = _instances(tape, members)
    homes = _homes(tape, racks, members)
    return Group(
        topics=tuple(tape.shuffled(group_topics)) if tape.chance(15) else group_topics,
        members=tuple(
            Member(id=name, topics=topics, instance_id=instance, rack=rack)
            for name, topics, instance, rack in zip(ids, reading, static, homes, strict=True)
        ),
    )


def _size(tape: Tape) -> tuple[int, int, int]:
    """Choose the number of members, the number of topics and a limit of partitions in each."""
    kind = tape.byte()
    if kind < 215:
        return 1 + tape.below(6), 1 + tape.below(4), 7
    if kind < 252:
        return 1 + tape.below(20), 1 + tape.below(12), 13
    return 50 + tape.below(31), 4 + tape.below(5), 100


def subscriptions(tape: Tape, named: list[str], members: int) -> list[tuple[str, ...]]:
    """Choose what each member subscribes to: all the same, or mixed; rarely a topic that does not exist, or one twice."""
    known = (*named, "unknown") if tape.chance(9) else tuple(named)
    kind = tape.below(8)
    if kind < 3:
        chosen = [known] * members
    elif kind < 4:
        chosen = [tape.some(known)] * members
    elif kind < 7:
        chosen = [tape.some(known) for _ in range(members)]
    else:  # one differs from the rest
        chosen = [known] * members
        chosen[tape.below(members)] = tape.some(known)
    if tape.chance(12):
        chosen = [tuple(tape.shuffled(topics)) for topics in chosen]
    if tape.chance(4):
        at = tape.below(members)
        chosen[at] += chosen[at][:1]
    return chosen


def _instances(tape: Tape, members: int) -> list[str | None]:
    kind = tape.below(6)
    if kind < 4:
        return [None] * members
    named = instance_ids(tape, members)
    static = set(named) if kind == 4 else set(tape.some(named))
    return [name if name in static else None for name in named]


def _rack_pool(tape: Tape) -> tuple[str, ...]:
    """Choose the racks of the cluster, none in three of five groups."""
    if not tape.chance(40):
        return ()
    pool = HOSTILE_RACKS if tape.chance(12) else RACKS
    return pool[: 1 + tape.below(len(pool))]


def _replica_racks(tape: Tape, racks: tuple[str, ...], partitions: int) -> Racks | None:
    """Choose the racks of the replicas of a topic: as many replicas each, rack by rack or anywhere, some unknown."""
    kind = tape.below(16)
    if kind == 15:
        return None
    replicas = 1 + tape.below(3)
    unknown: tuple[str | None, ...] = (*racks, None) if kind >= 12 else racks
    if kind >= 6:
        return tuple(tuple(tape.pick(unknown) for _ in range(replicas)) for _ in range(partitions))
    return tuple(tuple(racks[(at + n) % len(racks)] for n in range(replicas)) for at in range(partitions))


def _homes(tape: Tape, racks: tuple[str, ...], members: int) -> list[str | None]:
    if not racks:
        return [None] * members
    kind = tape.below(8)
    if kind == 7:
        return [None] * members
    homes: tuple[str | None, ...] = (
        (*racks, "elsewhere") if kind == 6 else racks if kind < 4 else (*racks, None)
    )
    return [tape.pick(homes) for _ in range(members)]
