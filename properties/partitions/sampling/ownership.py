"""Pasts: what the members of a drawn group claim from its earlier generations."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from random import Random
from typing import TypeAlias

from kassay.model import Group, TopicPartition

Dealt: TypeAlias = dict[str, list[TopicPartition]]
Counts: TypeAlias = dict[str, int]
GENERATION = 5
"""The generation of claims that are not stale."""


def with_past(random: Random, group: Group, kind: str) -> Group:
    """Return the group with the claims of one of PASTS."""
    return PASTS[kind](random, group)


def _none(_: Random, group: Group) -> Group:
    """Nobody claims anything."""
    return group


def _even(random: Random, group: Group) -> Group:
    """The last generation dealt evenly among the same members."""
    return _claimed(group, _in_turn(random, group, _ids(group)))


def _newcomers(random: Random, group: Group) -> Group:
    """Some members have joined since, and claim nothing."""
    ids = _ids(group)
    return _claimed(group, _in_turn(random, group, _part(random, ids)))


def _joined(random: Random, group: Group) -> Group:
    """The last member of the list has joined since."""
    ids = _ids(group)
    return _claimed(group, _in_turn(random, group, ids[:-1] or ids))


def _leavers(random: Random, group: Group) -> Group:
    """Some members have left since, and what they owned is nobody's."""
    ids = _ids(group)
    gone = [f"\n gone {at}" for at in range(random.randrange(1, len(ids) + 1))]
    return _claimed(group, _in_turn(random, group, random.sample([*ids, *gone], len(ids) + len(gone))))


def _uneven(random: Random, group: Group) -> Group:
    """The last generation dealt at random."""
    readers = _readers(group, _ids(group))
    dealt: Dealt = {}
    for partition in _partitions(_counts(group)):
        if readers[partition.topic]:
            owner = readers[partition.topic][random.randrange(len(readers[partition.topic]))]
            dealt.setdefault(owner, []).append(partition)
    return _claimed(group, dealt)


def _stale(random: Random, group: Group) -> Group:
    """Some members have missed the last generation, and claim what they had before (KAFKA-12984)."""
    ids = _ids(group)
    late = set(_part(random, ids))
    before = _in_turn(random, group, ids)
    dealt = _in_turn(random, group, [name for name in ids if name not in late] or ids[:1])
    group = _claimed(
        group, {name: before.get(name, []) if name in late else dealt.get(name, []) for name in ids}
    )
    members = (replace(m, generation=GENERATION - 1) if m.id in late else m for m in group.members)
    return replace(group, members=tuple(members))


def _contested(random: Random, group: Group) -> Group:
    """Two members claim the same partition in the same generation (KAFKA-7026)."""
    dealt = _in_turn(random, group, _ids(group))
    held = [(owner, partition) for owner, partitions in dealt.items() for partition in partitions]
    for owner, partition in random.sample(held, min(len(held), random.randrange(1, 4))):
        rivals = [name for name in _readers(group, _ids(group))[partition.topic] if name != owner]
        if rivals:
            dealt.setdefault(rivals[random.randrange(len(rivals))], []).append(partition)
    return _claimed(group, dealt)


def _vanished(random: Random, group: Group) -> Group:
    """Topics have lost partitions since, or are gone, and are claimed still."""
    counts = {name: count + random.randrange(4) for name, count in _counts(group).items()}
    gone = {"vanished": random.randrange(1, 4)}
    return _claimed(group, _in_turn(random, group, _ids(group), counts | gone, anybody=True))


def _resubscribed(random: Random, group: Group) -> Group:
    """Everybody read everything at the last generation, and claims it still."""
    return _claimed(group, _in_turn(random, group, _ids(group), anybody=True))


PASTS: Mapping[str, Callable[[Random, Group], Group]] = {
    "none": _none,
    "even": _even,
    "newcomers": _newcomers,
    "joined": _joined,
    "leavers": _leavers,
    "uneven": _uneven,
    "stale": _stale,
    "contested": _contested,
    "vanished": _vanished,
    "resubscribed": _resubscribed,
}
"""Kind of past -> how it is drawn."""


def _ids(group: Group) -> list[str]:
    return [member.id for member in group.members]


def _counts(group: Group) -> Counts:
    return {topic.name: topic.partitions for topic in group.topics}


def _partitions(counts: Counts) -> Iterable[TopicPartition]:
    return (TopicPartition(name, number) for name, count in counts.items() for number in range(count))


def _part(random: Random, ids: list[str]) -> list[str]:
    """Choose some of the members, neither none nor all of them where there are several."""
    return random.sample(ids, random.randrange(1, max(2, len(ids))))


def _readers(group: Group, present: Iterable[str]) -> dict[str, list[str]]:
    """Tell who of those present reads each topic; who is no member any more read them all."""
    topics = {member.id: frozenset(member.topics) for member in group.members}
    return {
        topic.name: [p for p in present if topic.name in topics.get(p, (topic.name,))]
        for topic in group.topics
    }


def _in_turn(
    random: Random, group: Group, present: list[str], counts: Counts | None = None, *, anybody: bool = False
) -> Dealt:
    """Deal each topic's partitions in turn to those of its readers who are present, or to anybody."""
    readers = {} if anybody else _readers(group, present)
    dealt: Dealt = {}
    turn = random.randrange(len(present))
    for name, count in (_counts(group) if counts is None else counts).items():
        takers = readers.get(name, present if anybody else [])
        for number in range(count if takers else 0):
            dealt.setdefault(takers[turn % len(takers)], []).append(TopicPartition(name, number))
            turn += 1
    return dealt


def _claimed(group: Group, dealt: Dealt) -> Group:
    """Return the group with these claims; who claims nothing is new."""
    members = (
        replace(m, owned=tuple(dealt[m.id]), generation=GENERATION) if dealt.get(m.id) else m
        for m in group.members
    )
    return replace(group, members=tuple(members))
