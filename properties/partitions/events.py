"""Settings by which groups are generated, and the events between their rebalances."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from kassay.model import Group, Member, Topic
from kassay.properties.choices import Choices, Settings
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

USUAL: Mapping[str, tuple[int, int]] = {
    "members": (1, 6),
    "topics": (1, 4),
    "partitions": (0, 6),
    "partitions_per_member": (0, 0),
    "racks": (0, 0),
    "replication": (1, 3),
    "static_percent": (0, 0),
    "churn": (0, 0),
}
"""The default limits: `partitions` of each topic, `churn` changes, no known racks.

`partitions_per_member` above 0 replaces `partitions`: the topics share this number for each member evenly."""
PLAIN: Mapping[str, Mapping[str, int]] = {
    "subscriptions": {"all": 1},
    "claims": {"none": 1},
    "sizes": {"any": 1},
    "order": {"listed": 1},
    "names": {"plain": 1},
    "static": {"percent": 1},
    "racks": {"plain": 1},
    "replicas": {"in turn": 1},
    "homes": {"in turn": 1},
    "extras": {"none": 1},
    "events": {"rest": 2, "join": 5, "leave": 5, "miss": 2, "resubscribe": 2, "grow": 2},
}
"""The default weights of the kinds."""

SIZES: Mapping[str, Mapping[str, tuple[int, int]]] = {
    "small": {"racks": (1, 4)},
    "medium": {"members": (1, 20), "topics": (1, 12), "partitions": (0, 12), "racks": (1, 4)},
    "large": {"members": (50, 80), "topics": (4, 8), "partitions": (0, 99), "racks": (1, 4)},
}
"""How large groups of any kind are."""
_WEIGHTS = {"small": 215, "medium": 37, "large": 4}
ANY_CLAIMS = {"none": 4, "scattered": 3, "anyhow": 9}
ANY: Mapping[str, Mapping[str, int]] = {
    "subscriptions": {"all": 3, "same": 1, "any": 3, "odd": 1},
    "sizes": {"any": 1},
    "order": {"listed": 17, "members": 17, "topics": 3, "shuffled": 3},
    "names": {"plain": 58, "hostile": 20, "topics": 16, "both": 6},
    "static": {"none": 4, "all": 1, "some": 1},
    "racks": {"none": 60, "plain": 35, "hostile": 5},
    "replicas": {"in turn": 6, "anywhere": 6, "some unknown": 3, "unknown": 1},
    "homes": {"anywhere": 4, "some unknown": 2, "some elsewhere": 1, "unknown": 1},
    "extras": {"none": 48, "user data": 4, "hosts": 6, "joined": 6},
    "events": {
        "rest": 1, "join": 3, "leave": 3, "miss": 3, "subscribe": 2, "alter": 2, "delete": 1, "move": 1
    },
}  # fmt: skip
OF_BROKERS = {"none": 3, "ids": 1}
OF_SHARES = {"none": 3, "ids": 1, "withheld": 1}
"""Optional fields of groups for assignors of coordinators, which receive no user data, hosts or joins."""

ODDITIES = {"unknown topic": 9, "repeated topic": 4, "permuted subscriptions": 12, "permuted instances": 40}


def choose_settings(
    choices: Choices,
    claims: Mapping[str, int] = ANY_CLAIMS,
    churn: tuple[int, int] = (0, 0),
    extras: Mapping[str, int] = ANY["extras"],
) -> Settings:
    """Choose settings for groups of every kind: mostly small, sometimes medium, rarely large."""
    size = SIZES[choices.pick_weighted(_WEIGHTS)]
    return Settings({**USUAL, **size, "churn": churn}, {**ANY, "claims": claims, "extras": extras}, ODDITIES)


BACK = 50
"""Percentage of cases in which a member that misses generations comes back with the next event."""


def choose_events(choices: Choices, settings: Settings, group: Group) -> tuple[Event, ...]:
    """Choose the events of a group."""
    number = settings.number(choices, "churn")
    happening: list[Event] = []
    running = _Running(group) if number else None
    while running and len(happening) < number:
        if running.missing and choices.chance(BACK):
            running.ids.append(running.missing.pop())
            happening.append(Return(running.ids[-1]))
        else:
            happening.append(EVENTS[settings.kind(choices, "events")](choices, running))
    return tuple(happening)


@dataclass
class _Running:
    """A group after its events: the present and the missing members, the topics, and the start."""

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
        """Choose and remove a member, None if only one is left."""
        return self.ids.pop(choices.below(len(self.ids))) if len(self.ids) > 1 else None


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


def _grow(choices: Choices, running: _Running) -> Event:
    """Add one to three partitions to a topic, with the racks of the first partitions."""
    if not running.topics:
        return Rest()
    topic = choices.pick(list(running.topics.values()))
    count = topic.partitions + 1 + choices.below(3)
    racks = tuple(topic.racks[n % len(topic.racks)] for n in range(count)) if topic.racks else None
    return _alter_topic(running, Topic(topic.name, count, racks))


def _alter(choices: Choices, running: _Running) -> Event:
    """Add up to three partitions to a topic, which may be new, and move its replicas."""
    name = choices.pick(running.subscribed)
    topic = running.topics.get(name, Topic(name, 0))
    count = topic.partitions + choices.below(4)
    if topic.racks is None:
        return _alter_topic(running, Topic(name, count))
    racks = tuple((choices.pick(running.racks), choices.pick(running.racks)) for _ in range(count))
    return _alter_topic(running, Topic(name, count, racks))


def _alter_topic(running: _Running, topic: Topic) -> Event:
    running.topics[topic.name] = topic
    return Alter(topic)


EVENTS: Mapping[str, Callable[[Choices, _Running], Event]] = {
    "rest": lambda _choices, _running: Rest(),
    "join": _join,
    "leave": _leave,
    "miss": _miss,
    # To what another member subscribes to, or to any topics that some member subscribed to.
    "resubscribe": lambda choices, running: Resubscribe(
        choices.pick(running.ids), choices.pick(running.subscriptions)
    ),
    "subscribe": lambda choices, running: Resubscribe(
        choices.pick(running.ids), choices.some(running.subscribed)
    ),
    "grow": _grow,
    "alter": _alter,
    "delete": lambda choices, running: Delete(choices.pick(running.subscribed)),
    "move": lambda choices, running: Move(choices.pick(running.ids), choices.pick(running.racks)),
}
"""Kind of event -> the function that chooses it; an impossible event becomes a rest."""
