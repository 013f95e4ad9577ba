"""Events: what happens to a generated group between its rebalances."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from kassay.model import Group, Member, Topic
from kassay.properties.choices import Choices
from kassay.properties.partitions.timelines import (
    Alter,
    Delete,
    Event,
    Join,
    Leave,
    Miss,
    Move,
    Rest,
    Resubscribe,
    Return,
)
from kassay.properties.settings import Settings

BACK = 50
"""Percentage of cases in which a member that misses generations comes back with the next event."""


def events(choices: Choices, settings: Settings, group: Group) -> tuple[Event, ...]:
    """Choose the events of a group."""
    number = settings.number(choices, "churn")
    return tuple(_events(choices, settings, _Running(group), number)) if number else ()


def _events(choices: Choices, settings: Settings, running: "_Running", number: int) -> Iterator[Event]:
    for _ in range(number):
        if running.missing and choices.chance(BACK):
            running.ids.append(running.missing.pop())
            yield Return(running.ids[-1])
        else:
            yield EVENTS[settings.kind(choices, "events")](choices, running)


@dataclass
class _Running:
    """A group as its events leave it: who is there and who misses generations, its topics, and what it began with."""

    group: Group
    missing: list[str] = field(default_factory=list)
    joined: int = 0

    def __post_init__(self) -> None:
        self.ids = [member.id for member in self.group.members]
        self.topics = {topic.name: topic for topic in self.group.topics}
        self.subscriptions = list(dict.fromkeys(member.topics for member in self.group.members))
        self.racks = list(dict.fromkeys(member.rack for member in self.group.members))
        names = dict.fromkeys(name for subscribed in self.subscriptions for name in subscribed)
        self.subscribed = list(names) or ["t0"]

    def some_id(self, choices: Choices) -> str | None:
        """Choose a member to go, None where only one is left."""
        return self.ids.pop(choices.below(len(self.ids))) if len(self.ids) > 1 else None


def _rest(_: Choices, _running: _Running) -> Event:
    return Rest()


def _join(choices: Choices, running: _Running) -> Event:
    running.joined += 1
    running.ids.append(f"n{running.joined}")
    return Join(
        Member(running.ids[-1], choices.pick(running.subscriptions), rack=choices.pick(running.racks))
    )


def _leave(choices: Choices, running: _Running) -> Event:
    name = running.some_id(choices)
    return Rest() if name is None else Leave(name)


def _miss(choices: Choices, running: _Running) -> Event:
    name = running.some_id(choices)
    if name is None:
        return Rest()
    running.missing.append(name)
    return Miss(name)


def _resubscribe(choices: Choices, running: _Running) -> Event:
    """To what another member subscribes to."""
    return Resubscribe(choices.pick(running.ids), choices.pick(running.subscriptions))


def _subscribe(choices: Choices, running: _Running) -> Event:
    """To any topics that somebody subscribed to."""
    return Resubscribe(choices.pick(running.ids), choices.some(running.subscribed))


def _grow(choices: Choices, running: _Running) -> Event:
    """One to three partitions are added to a topic; their replicas are in the racks that its first ones are in."""
    if not running.topics:
        return Rest()
    topic = choices.pick(list(running.topics.values()))
    count = topic.partitions + 1 + choices.below(3)
    racks = tuple(topic.racks[n % len(topic.racks)] for n in range(count)) if topic.racks else None
    return _altered(running, Topic(topic.name, count, racks))


def _alter(choices: Choices, running: _Running) -> Event:
    """Up to three partitions are added to a topic, which may be new, and its replicas move."""
    name = choices.pick(running.subscribed)
    topic = running.topics.get(name, Topic(name, 0))
    count = topic.partitions + choices.below(4)
    if topic.racks is None:
        return _altered(running, Topic(name, count))
    racks = tuple((choices.pick(running.racks), choices.pick(running.racks)) for _ in range(count))
    return _altered(running, Topic(name, count, racks))


def _altered(running: _Running, topic: Topic) -> Event:
    running.topics[topic.name] = topic
    return Alter(topic)


def _delete(choices: Choices, running: _Running) -> Event:
    return Delete(choices.pick(running.subscribed))


def _move(choices: Choices, running: _Running) -> Event:
    return Move(choices.pick(running.ids), choices.pick(running.racks))


EVENTS: Mapping[str, Callable[[Choices, _Running], Event]] = {
    "rest": _rest,
    "join": _join,
    "leave": _leave,
    "miss": _miss,
    "resubscribe": _resubscribe,
    "subscribe": _subscribe,
    "grow": _grow,
    "alter": _alter,
    "delete": _delete,
    "move": _move,
}
"""Kind of event -> how it is chosen; one that cannot happen is a rest."""
