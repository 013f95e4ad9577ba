"""Churn: what happens to a generated group between its rebalances."""

from collections.abc import Iterator

from kassay.model import Group, Member, Topic
from kassay.properties.consumer.tape import Tape
from kassay.properties.consumer.timelines import (
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


def churned(tape: Tape, group: Group) -> tuple[Event, ...]:
    """Choose up to seven events for a group; who misses a generation may come back later."""
    return tuple(_events(tape, group, tape.below(LONGEST + 1)))


def _events(tape: Tape, group: Group, number: int) -> Iterator[Event]:
    ids = [member.id for member in group.members]
    topics = {topic.name: topic for topic in group.topics}
    names = list(dict.fromkeys(name for member in group.members for name in member.topics)) or ["t0"]
    racks = list(dict.fromkeys(member.rack for member in group.members))
    missing: list[str] = []
    for at in range(number):
        kind = tape.below(16)
        if missing and kind % 2:
            yield Return(missing.pop())
        elif kind < 3:
            newcomer = Member(f"n{at}", tape.pick(group.members).topics, rack=tape.pick(racks))
            ids.insert(0, newcomer.id)
            yield Join(newcomer)
        elif kind < 6:
            yield Leave(tape.pick(ids))
        elif kind < 9:
            missing.append(tape.pick(ids))
            yield Miss(missing[-1])
        elif kind < 11:
            yield Resubscribe(tape.pick(ids), tape.some(names))
        elif kind < 13:
            name = tape.pick(names)
            topics[name] = _altered(tape, topics.get(name, Topic(name, 0)), racks)
            yield Alter(topics[name])
        elif kind == 13:
            yield Delete(tape.pick(names))
        elif kind == 14:
            yield Move(tape.pick(ids), tape.pick(racks))
        else:
            yield Rest()


def _altered(tape: Tape, topic: Topic, racks: list[str | None]) -> Topic:
    """Add partitions to a topic, or have its replicas move."""
    count = topic.partitions + tape.below(4)
    if topic.racks is None:
        return Topic(topic.name, count)
    return Topic(topic.name, count, tuple((tape.pick(racks), tape.pick(racks)) for _ in range(count)))
