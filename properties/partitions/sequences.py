"""Sequences of rebalances that every group goes through: rolling restarts, bounces and scale-outs, and how assignors come through them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from kassay.errors import InputError
from kassay.model import Assignment, Group, Member, Topic
from kassay.properties.partitions.rounds import Assign, after, rejoined
from kassay.properties.partitions.timelines import Alter, Event, Join, Leave, Timeline, happen
from kassay.properties.runs import until_rest

Racks: TypeAlias = tuple[tuple[str | None, ...], ...]


def restart(group: Group, number: int) -> Timeline:
    """Return the rolling restart of the first `number` members: each leaves, and joins again with no claims before the next one leaves.

    A static member counts as one whose session timed out; a faster one causes no rebalance (KIP-345). Raises InputError where
    there are not so many members, or nobody would be left.
    """
    if len(group.members) < 2 or not 1 <= number <= len(group.members):
        raise InputError(
            f"restart: {number} of {len(group.members)} members; take a group of 2 or more and restart 1 to all of them"
        )
    events: list[Event] = []
    for member in group.members[:number]:
        events += [Leave(member.id), _back(member)]
    return Timeline(group, tuple(events))


def bounce(group: Group, number: int) -> Timeline:
    """Return the timeline in which the first `number` members leave one after the other, and then join again so, with no claims.

    Raises InputError where there are not so many members, or nobody would be left.
    """
    if not 1 <= number < len(group.members):
        raise InputError(
            f"bounce: {number} of {len(group.members)} members; take 1 or more, and fewer than there are"
        )
    gone = group.members[:number]
    return Timeline(group, (*(Leave(member.id) for member in gone), *map(_back, gone)))


def _back(member: Member) -> Join:
    return Join(replace(member, owned=(), generation=None))


def scale_out(group: Group, number: int) -> Timeline:
    """Return the timeline in which `number` members join one by one; the n-th subscribes and is placed as the group's n-th, and so on in turn.

    Raises InputError where the group has no member, or none is to join.
    """
    if not group.members or number < 1:
        raise InputError(f"scale-out: {number} join {len(group.members)} members; give 1 or more for each")
    known = {member.id for member in group.members}
    names = [name for n in range(number + len(known)) if (name := f"joined-{n:05}") not in known]
    events = [
        Join(Member(name, like.topics, rack=like.rack))
        for n, name in enumerate(names[:number])
        for like in [group.members[n % len(known)]]
    ]
    return Timeline(group, tuple(events))


def changed(group: Group, join: int, leave: Sequence[str], partitions: Mapping[str, int]) -> Group:
    """Return the group of the next rebalance, before which so many members join, these leave, and topics get so many partitions.

    Who joins does so as in a scale-out; the replicas of new partitions are in the racks of the first ones, in turn.
    """
    events: list[Event] = [*(scale_out(group, join).events if join else ()), *map(Leave, leave)]
    events += [Alter(_grown(one, partitions[one.name])) for one in group.topics if one.name in partitions]
    return stages(Timeline(group, tuple(events)))[-1]


def _grown(topic: Topic, partitions: int) -> Topic:
    def turned(known: Racks | None) -> Racks | None:
        return tuple(known[n % len(known)] for n in range(partitions)) if known else None

    racks, hosts = turned(topic.racks), turned(topic.hosts)
    weights = topic.weights and (*topic.weights, *[None] * (partitions - topic.partitions))
    return replace(topic, partitions=partitions, racks=racks, hosts=hosts, weights=weights or None)


SEQUENCES: Mapping[str, Callable[[Group, int], Timeline]] = {
    "restart": restart,
    "bounce": bounce,
    "scale-out": scale_out,
}
"""What can happen to a group -> the timeline of it for so many members."""


def stages(timeline: Timeline) -> tuple[Group, ...]:
    """Return who is there at each rebalance of a timeline, whatever they are given."""
    found, absent = [timeline.start], dict[str, Member]()
    for event in timeline.events:
        found.append(happen(found[-1], event, absent))
    return tuple(found)


def rounds(assign: Assign, timeline: Timeline) -> Iterator[Sequence[tuple[Group, Assignment]]]:
    """Play a timeline: yield for each rebalance the group and the answer of each round, until nothing is withheld any more (KIP-429).

    Raises AssignorError when the assignor fails.
    """
    group, absent = timeline.start, dict[str, Member]()
    for event in (None, *timeline.events):
        group = group if event is None else happen(group, event, absent)
        played = until_rest(assign, rejoined, group)
        yield played
        group = after(*played[-1])
