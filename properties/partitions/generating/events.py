"""Churn: what happens to a generated group between its rebalances."""

from collections.abc import Iterator

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

LONGEST = 7
"""How many events a timeline has at most."""


def churned(choices: Choices, group: Group) -> tuple[Event, ...]:
    """Choose up to seven events for a group; who misses a generation may come back later."""
    return tuple(_events(choices, group, choices.below(LONGEST + 1)))


def _events(choices: Choices, group: Group, number: int) -> Iterator[Event]:
    ids = [member.id for member in group.members]
    topics = {topic.name: topic for topic in group.topics}
    names = list(dict.fromkeys(name for member in group.members for name in member.topics)) or ["t0"]
    racks = list(dict.fromkeys(member.rack for member in group.members))
    missing: list[str] = []
    for at in range(number):
        kind = choices.below(16)
        if missing and kind % 2:
            yield Return(missing.pop())
        elif kind < 3:
            newcomer = Member(f"n{at}", choices.pick(group.members).topics, rack=choices.pick(racks))
            ids.insert(0, newcomer.id)
            yield Join(newcomer)
        elif kind < 6:
            yield Leave(choices.pick(ids))
        elif kind < 9:
            missing.append(choices.pick(ids))
            yield Miss(missing[-1])
        elif kind < 11:
            yield Resubscribe(choices.pick(ids), choices.some(names))
        elif kind < 13:
            name = choices.pick(names)
            topics[name] = _altered(choices, topics.get(name, Topic(name, 0)), racks)
            yield Alter(topics[name])
        elif kind == 13:
            yield Delete(choices.pick(names))
        elif kind == 14:
            yield Move(choices.pick(ids), choices.pick(racks))
        else:
            yield Rest()


def _altered(choices: Choices, topic: Topic, racks: list[str | None]) -> Topic:
    """Add partitions to a topic, or have its replicas move."""
    count = topic.partitions + choices.below(4)
    if topic.racks is None:
        return Topic(topic.name, count)
    return Topic(topic.name, count, tuple((choices.pick(racks), choices.pick(racks)) for _ in range(count)))
