"""Timelines: a group and what happens to it, one event between two rebalances, played with an assignor."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

from kassay.model import Group, Member, Topic
from kassay.properties.partitions.rounds import Assign, after


@dataclass(frozen=True, slots=True)
class Join:
    """A member joins, with no claims; nothing happens if its id or instance id is there already."""

    member: Member


@dataclass(frozen=True, slots=True)
class Leave:
    """A member leaves for good."""

    member: str


@dataclass(frozen=True, slots=True)
class Resubscribe:
    """A member changes its subscription, and still claims what it owned."""

    member: str
    topics: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Alter:
    """A topic is created or altered: partitions are added, replicas move; or it is deleted and created again."""

    topic: Topic


@dataclass(frozen=True, slots=True)
class Delete:
    """A topic is deleted; its subscribers still ask for it and its owners still claim it."""

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
    """A member that missed generations comes back with the claims and the generation it had (KAFKA-12984)."""

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
    """Yield the group of each rebalance, complete in itself: members own what the assignor gave them before.

    Raises AssignorError when the assignor fails on a group, which has been yielded then.
    """
    group = timeline.start
    absent: dict[str, Member] = {}
    yield group
    for event in timeline.events:
        group = happen(after(group, assign(group)), event, absent)
        yield group


def happen(group: Group, event: Event, absent: dict[str, Member]) -> Group:
    """Return the group after an event; `absent` holds the members that miss generations, and is brought up to date.

    An event that cannot happen (an unknown member leaves, the last one, a topic is deleted twice) changes nothing.
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
