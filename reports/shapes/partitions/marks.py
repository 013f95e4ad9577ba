"""What a picture marks: for each member and partition whether it stays, arrives, leaves or is wrong, and who reads from afar."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kassay.model import Assignment, Group, TopicPartition
from kassay.model.hosts import located
from kassay.properties.partitions.owners import owners

STAYS, MOVES, NEW, LEAVES, WRONG = "kept", "moved", "new", "gone", "wrong"
"""A partition that its owner keeps; that comes from another member; that nobody owned; that its owner gives up; that may not be here."""


@dataclass(frozen=True, slots=True)
class Mark:
    """One partition at one member: what becomes of it, how often it is given, whether it is read across racks, and whence it comes."""

    kind: str
    times: int = 1
    crossing: bool = False
    giver: str = ""


@dataclass(frozen=True, slots=True)
class Marks:
    """A group and an assignment as a picture shows them: members down, topics with their partitions across, and the marks.

    `unread` are the topics that a member does not subscribe to; `lost` the partitions with a subscriber that nobody gets,
    `doubled` those that are given more than once, with how often. `loads` says how many a member gets, `gained` how many of them newly.
    """

    members: Sequence[str]
    racks: Mapping[str, str]
    topics: Mapping[str, Sequence[TopicPartition]]
    at: Mapping[tuple[str, TopicPartition], Mark]
    unread: frozenset[tuple[str, str]]
    lost: frozenset[TopicPartition]
    doubled: Mapping[TopicPartition, int]
    loads: Mapping[str, int]
    gained: Mapping[str, int]


def marks(group: Group, assignment: Assignment) -> Marks:
    """Compare what members own, by the claims that stand, with what they get; racks may be those that host names tell."""
    group = located(group)
    standing = owners(group)
    known = {member.id: member for member in group.members}
    existing = {partition for topic in group.topics for partition in topic}
    near = {topic.name: topic.racks for topic in group.topics if topic.racks}
    given = {name: Counter(parts) for name, parts in assignment.items()}
    at: dict[tuple[str, TopicPartition], Mark] = {}
    for name, parts in given.items():
        for partition, times in parts.items():
            member = known.get(name)
            legal = member is not None and partition in existing and partition.topic in member.topics
            before = standing.get(partition, [])
            rack = member.rack if member else None
            racks = near[partition.topic][partition.partition] if legal and partition.topic in near else ()
            kind = WRONG if not legal else STAYS if name in before else MOVES if before else NEW
            giver = next((owner for owner in before if partition not in given.get(owner, ())), "")
            crossing = bool(rack) and any(each is not None for each in racks) and rack not in racks
            at[name, partition] = Mark(kind, times, crossing, giver if kind == MOVES else "")
    for partition, before in standing.items():
        at |= {
            (owner, partition): Mark(LEAVES, 0) for owner in before if partition not in given.get(owner, ())
        }
    totals = Counter(p for parts in given.values() for p in parts.elements())
    read = {topic for member in group.members for topic in member.topics}
    topics: dict[str, list[TopicPartition]] = {topic.name: list(topic) for topic in group.topics}
    for partition in sorted({p for _, p in at} - existing):
        topics.setdefault(partition.topic, []).append(partition)
    return Marks(
        [*known, *sorted(set(assignment) - set(known))],
        {name: member.rack for name, member in known.items() if member.rack},
        {name: parts for name, parts in topics.items() if parts},
        at,
        frozenset(
            (name, topic) for name, member in known.items() for topic in topics if topic not in member.topics
        ),
        frozenset(p for p in existing if p.topic in read and not totals[p]),
        {partition: times for partition, times in totals.items() if times > 1},
        Counter({name: sum(parts.values()) for name, parts in given.items()}),
        Counter(
            name for (name, _), mark in at.items() if mark.kind in (MOVES, NEW) for _ in range(mark.times)
        ),
    )
