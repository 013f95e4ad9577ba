"""Whom franz-go takes for a partition's owner where several members claim it, as in sticky.go, parseMemberMetadata and tryRestickyStales."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations
from typing import TypeAlias

from kassay.model import Group, Member, TopicPartition

Owners: TypeAlias = dict[TopicPartition, str]
Late: TypeAlias = dict[TopicPartition, str]
MOST_LATE = 6
"""Late claims whose 720 orders are all tried."""


def by_franz_go(group: Group) -> Iterator[Group]:
    """Yield the group with each partition claimed by its owner alone, in every way that some order of the late claims leads to.

    Go walks through them as through any map, in an order of its own each time. Yields nothing where they are over MOST_LATE.
    """
    owners, late = _first_two(group)
    orders = permutations(late) if len(late) <= MOST_LATE else ()
    ways = {frozenset(_given_back(group, dict(owners), late, order).items()) for order in orders}
    for own in map(dict, sorted(map(sorted, ways))):
        members = (
            replace(m, owned=tuple(p for p in own if own[p] == m.id), generation=1) for m in group.members
        )
        yield Group(group.topics, tuple(members))


def _first_two(group: Group) -> tuple[Owners, Late]:
    """Return the owner of each partition, the first claimant of the newest generation, and who comes next; no third one counts."""
    counts = {topic.name: topic.partitions for topic in group.topics}
    standing: dict[TopicPartition, list[tuple[int, str]]] = {}
    for member in sorted(group.members, key=_place):
        generation = member.generation or 0
        for partition in member.owned:
            if partition.partition < counts.get(partition.topic, 0):
                best = standing.setdefault(partition, [])
                if not best or generation > best[0][0]:
                    best[:] = [(generation, member.id), *best[:1]]
                elif len(best) < 2 or generation > best[1][0]:
                    best[1:] = [(generation, member.id)]
    reads = {member.id: member.topics for member in group.members}
    owners = {p: best[0][1] for p, best in standing.items() if p.topic in reads[best[0][1]]}
    late = {p: best[1][1] for p, best in standing.items() if len(best) > 1 and p.topic in reads[best[1][1]]}
    return owners, late


def _given_back(group: Group, owners: Owners, late: Late, order: tuple[TopicPartition, ...]) -> Owners:
    """Give partitions to their late claimants where nobody else may own them, or the owner has two more of what is owned yet."""
    loads = {member.id: 0 for member in group.members}
    for owner in owners.values():
        loads[owner] += 1
    for partition in order:
        owner, claimant = owners.get(partition), late[partition]
        if owner is None or loads[claimant] + 1 < loads[owner]:
            owners[partition] = claimant
            loads[claimant] += 1
            if owner is not None:
                loads[owner] -= 1
    return owners


def _place(member: Member) -> tuple[bool, str]:
    return member.instance_id is None, member.id if member.instance_id is None else member.instance_id
