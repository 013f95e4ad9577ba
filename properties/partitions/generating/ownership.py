"""Claims for generated groups: what earlier generations gave the members, and how it went stale since."""

from collections.abc import Sequence
from dataclasses import replace

from kassay.model import Group, TopicPartition
from kassay.properties.choices import Choices

SCATTERED = 24
"""How many different partitions are claimed at most where claims are scattered."""


def scattered(choices: Choices, group: Group) -> Group:
    """Let members claim partitions anyhow: of any generation, twice, never subscribed to, and in half the groups vanished."""
    beyond = choices.below(2)
    known = [
        TopicPartition(topic.name, n)
        for topic in group.topics
        for n in range(min(topic.partitions + beyond, 8))
    ]
    if beyond and choices.chance(40):
        known.insert(0, TopicPartition("vanished", choices.below(3)))
    known = known[:SCATTERED]
    members = []
    for member in group.members:
        owned = choices.some(known)
        if choices.chance(60):  # half as many
            owned = owned[choices.below(2) :: 2]
        members.append(replace(member, owned=owned, generation=(1, 1, 1, 2, 2, 3, None, 0)[choices.below(8)]))
    return replace(group, members=tuple(members))


def handed_down(choices: Choices, group: Group) -> Group:
    """Let members claim what the last generation gave them, or one of the two before to those that missed it.

    Since then members may have joined or left, subscriptions changed, partitions been added or vanished, topics
    been deleted. Within one generation no two members claim the same, but rarely two do (KAFKA-7026).
    """
    ids = [member.id for member in group.members]
    kind = choices.below(8)  # who was there before
    joined = set() if kind < 3 else {choices.pick(ids)} if kind < 6 else set(choices.some(ids))
    missed = {name for name in choices.some(ids) if name not in joined} if choices.chance(20) else set()
    twice = {name for name in choices.some(ids) if name in missed} if missed else set()
    generation = 2 + choices.below(4)
    gone = ["\n gone"] * choices.below(3)  # no member, so what it owned is nobody's now
    there = [name for name in ids if name not in joined]
    present = ([name for name in there if name not in missed], [n for n in there if n not in twice], there)
    last = _dealt(choices, group, present[0] + gone)
    dealt = (last, *(_dealt(choices, group, names + gone) if missed else {} for names in present[1:]))
    if choices.chance(8):
        _contest(choices, last, ids)
    style = choices.below(5)
    members = []
    for member in group.members:
        late = (member.id in missed) + (member.id in twice)
        members.append(
            replace(
                member,
                owned=_reported(choices, style, dealt[late].get(member.id, [])),
                generation=None if member.id in joined else generation - late,
            )
        )
    return replace(group, members=tuple(members))


def _dealt(choices: Choices, group: Group, present: Sequence[str]) -> dict[str, list[TopicPartition]]:
    """Deal the partitions of an earlier time to those present then, in one of five ways."""
    dealt: dict[str, list[TopicPartition]] = {name: [] for name in present}
    if not dealt:
        return dealt
    way = choices.below(6)
    everybody = choices.chance(12)  # whoever reads nothing of it now did then
    topics = {member.id: frozenset(member.topics) for member in group.members}
    number = choices.below(len(present))
    for name, count in _earlier(choices, group):
        readers = [one for one in dealt if everybody or one not in topics or name in topics[one]]
        if not readers:
            continue
        for partition in range(count):
            number += 1
            match way:
                case 0 | 1:
                    reader = min(readers, key=lambda one: len(dealt[one]))
                case 2:
                    reader = readers[number % len(readers)]
                case 3:
                    reader = readers[partition * len(readers) // count]
                case 4:
                    reader = choices.pick(readers)
                case _:
                    reader = readers[0]
            dealt[reader].append(TopicPartition(name, partition))
    return dealt


def _earlier(choices: Choices, group: Group) -> list[tuple[str, int]]:
    """Tell the topics of an earlier time and their numbers of partitions."""
    topics = [(topic.name, topic.partitions) for topic in group.topics]
    if topics and choices.chance(30):
        at = choices.below(len(topics))
        name, count = topics[at]
        topics[at] = (name, max(0, count + (-1, 1, -2, 2, 3)[choices.below(5)]))
    if choices.chance(10):
        topics.append(("vanished", 1 + choices.below(3)))
    return topics


def _contest(choices: Choices, dealt: dict[str, list[TopicPartition]], ids: Sequence[str]) -> None:
    """Let one member claim a partition of another's."""
    name, rival = choices.pick(ids), choices.pick(ids)
    if dealt.get(name) and rival in dealt:
        partition = choices.pick(dealt[name])
        if partition not in dealt[rival]:
            dealt[rival].append(partition)


def _reported(choices: Choices, style: int, owned: list[TopicPartition]) -> tuple[TopicPartition, ...]:
    """Put claims into the order of their report: as dealt, backwards, by number, or shuffled (KAFKA-16277)."""
    match style:
        case 2:
            return tuple(reversed(owned))
        case 3:
            return tuple(sorted(owned, key=lambda partition: (partition.partition, partition.topic)))
        case 4:
            return tuple(choices.shuffled(owned))
        case _:
            return tuple(owned)
