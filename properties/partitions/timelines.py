"""Timelines: a group and its events, one between two rebalances, played with an assignor."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from kassay.errors import InputError
from kassay.model import Assignment, Group, Member, Topic
from kassay.properties.partitions.rounds import Assign, apply_assignment, build_follow_up
from kassay.properties.runs import run_until_converged


@dataclass(frozen=True, slots=True)
class Join:
    """A member joins and owns nothing; no effect if its id or instance id exists already."""

    member: Member


@dataclass(frozen=True, slots=True)
class Leave:
    """A member leaves permanently."""

    member: str


@dataclass(frozen=True, slots=True)
class Resubscribe:
    """A member changes its subscription, and still owns its partitions."""

    member: str
    topics: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Alter:
    """A topic is created or altered: partitions are added, replicas move; or it is deleted and created again."""

    topic: Topic


@dataclass(frozen=True, slots=True)
class Delete:
    """A topic is deleted; its subscribers and owners still report it."""

    topic: str


@dataclass(frozen=True, slots=True)
class Move:
    """A member comes back from another rack, or from none."""

    member: str
    rack: str | None


@dataclass(frozen=True, slots=True)
class Miss:
    """A member misses generations, from this rebalance on, until it comes back."""

    member: str


@dataclass(frozen=True, slots=True)
class Return:
    """A member that missed generations comes back with its old partitions and generation (KAFKA-12984)."""

    member: str


@dataclass(frozen=True, slots=True)
class Rest:
    """Nothing happens: a follow-up rebalance."""


Event: TypeAlias = Join | Leave | Resubscribe | Alter | Delete | Move | Miss | Return | Rest


@dataclass(frozen=True, slots=True)
class Timeline:
    """A group as it starts and the events before each further rebalance."""

    start: Group
    events: tuple[Event, ...]


def play(assign: Assign, timeline: Timeline) -> Iterator[Group]:
    """Yield the complete group of each rebalance: members own their previous assignment.

    Raises AssignorError if the assignor fails on a group, after yielding it.
    """
    group = timeline.start
    absent: dict[str, Member] = {}
    yield group
    for event in timeline.events:
        group = apply_event(apply_assignment(group, assign(group)), event, absent)
        yield group


def apply_event(group: Group, event: Event, absent: dict[str, Member]) -> Group:
    """Return the group after an event; `absent` has the members that miss generations, and is updated.

    An impossible event (an unknown member or the last one leaves, a topic is deleted twice) changes nothing.
    """
    match event:
        case Join(member):
            return _with(group, member)
        case Return(name):
            return _with(group, absent.pop(name)) if name in absent else group
        case Leave(name):
            return _without(group, name)
        case Miss(name):
            absent.update((m.id, m) for m in group.members if m.id == name and len(group.members) > 1)
            return _without(group, name)
        case Resubscribe(name, topics):
            return replace(
                group, members=tuple(replace(m, topics=topics) if m.id == name else m for m in group.members)
            )
        case Move(name, rack):
            return replace(
                group, members=tuple(replace(m, rack=rack) if m.id == name else m for m in group.members)
            )
        case Alter(topic):
            others = [other for other in group.topics if other.name != topic.name]
            at = next((n for n, other in enumerate(group.topics) if other.name == topic.name), len(others))
            known = next((other.id for other in group.topics if other.name == topic.name), None)
            return replace(group, topics=(*others[:at], replace(topic, id=topic.id or known), *others[at:]))
        case Delete(name):
            return replace(group, topics=tuple(topic for topic in group.topics if topic.name != name))
        case Rest():
            return group


def _with(group: Group, member: Member) -> Group:
    for other in group.members:
        if other.id == member.id or (
            member.instance_id is not None and other.instance_id == member.instance_id
        ):
            return group
    return replace(group, members=(*group.members, member))


def _without(group: Group, name: str) -> Group:
    left = tuple(member for member in group.members if member.id != name)
    return replace(group, members=left) if left else group


Racks: TypeAlias = tuple[tuple[str | None, ...], ...]


def restart(group: Group, number: int) -> Timeline:
    """Return the rolling restart of the first `number` members: each leaves and rejoins before the next one leaves.

    It rejoins without partitions.

    The session of a static member times out; a faster restart causes no rebalance (KIP-345). Raises InputError if there are
    fewer members, or none would be left.
    """
    if len(group.members) < 2 or not 1 <= number <= len(group.members):
        raise InputError(
            f"restart: {number} of {len(group.members)} members. Take a group of 2 or more and restart 1 to all of them"
        )
    events: list[Event] = []
    for member in group.members[:number]:
        events += [Leave(member.id), _rejoin(member)]
    return Timeline(group, tuple(events))


def bounce(group: Group, number: int) -> Timeline:
    """Return the timeline in which the first `number` members leave one by one, and then rejoin one by one without partitions.

    Raises InputError if there are fewer members, or none would be left.
    """
    if not 1 <= number < len(group.members):
        raise InputError(
            f"bounce: {number} of {len(group.members)} members. Take 1 or more, and fewer than there are"
        )
    gone = group.members[:number]
    return Timeline(group, (*(Leave(member.id) for member in gone), *map(_rejoin, gone)))


def _rejoin(member: Member) -> Join:
    return Join(replace(member, owned=(), generation=None))


def scale_out(group: Group, number: int) -> Timeline:
    """Return the timeline in which `number` members join one by one, with subscriptions and racks of the members in turn.

    Raises InputError if the group has no member, or none is to join.
    """
    if not group.members or number < 1:
        raise InputError(f"scale-out: {number} join {len(group.members)} members. Give 1 or more for each")
    known = {member.id for member in group.members}
    names = [name for n in range(number + len(known)) if (name := f"joined-{n:05}") not in known]
    events = [
        Join(Member(name, like.topics, rack=like.rack))
        for n, name in enumerate(names[:number])
        for like in [group.members[n % len(known)]]
    ]
    return Timeline(group, tuple(events))


def apply_changes(group: Group, join: int, leave: Sequence[str], partitions: Mapping[str, int]) -> Group:
    """Return the group of the next rebalance after `join` members join, others leave, and topics get new partition counts.

    Members join as in a scale-out. The replicas of new partitions are in the racks of the first ones, in turn.
    """
    events: list[Event] = [*(scale_out(group, join).events if join else ()), *map(Leave, leave)]
    events += [
        Alter(_add_partitions(one, partitions[one.name])) for one in group.topics if one.name in partitions
    ]
    return stages(Timeline(group, tuple(events)))[-1]


def _add_partitions(topic: Topic, partitions: int) -> Topic:
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
"""Kind of sequence -> its timeline for a number of members."""


def stages(timeline: Timeline) -> tuple[Group, ...]:
    """Return the groups of each rebalance of a timeline, with unchanged assignments."""
    found, absent = [timeline.start], dict[str, Member]()
    for event in timeline.events:
        found.append(apply_event(found[-1], event, absent))
    return tuple(found)


def rounds(assign: Assign, timeline: Timeline) -> Iterator[Sequence[tuple[Group, Assignment]]]:
    """Play a timeline: yield for each event the groups and assignments until no follow-up rebalance is needed (KIP-429).

    Raises AssignorError if the assignor fails.
    """
    group, absent = timeline.start, dict[str, Member]()
    for event in (None, *timeline.events):
        group = group if event is None else apply_event(group, event, absent)
        played = run_until_converged(assign, build_follow_up, group)
        yield played
        group = apply_assignment(*played[-1])
