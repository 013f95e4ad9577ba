"""Changes: what happens to a drawn group, one event between two rebalances."""

from collections.abc import Iterator, Sequence
from random import Random

from kassay.model import Group, Member, Topic
from kassay.properties.partitions.timelines import Alter, Event, Join, Leave, Miss, Rest, Resubscribe, Return

KINDS = ("join", "leave", "miss", "resubscribe", "grow", "rest")
WEIGHTS = (5, 5, 2, 2, 2, 2)
"""How often each kind of change happens; who missed a generation comes back with the next change."""


def changes(random: Random, group: Group, number: int, racks: Sequence[str]) -> tuple[Event, ...]:
    """Draw so many changes of a group."""
    return tuple(_changes(random, group, number, racks)) if number else ()


def _changes(random: Random, group: Group, number: int, racks: Sequence[str]) -> Iterator[Event]:
    ids = [member.id for member in group.members]
    topics = {topic.name: topic for topic in group.topics}
    subscriptions = list(dict.fromkeys(member.topics for member in group.members))
    missing: list[str] = []
    for at in range(number):
        kind = random.choices(KINDS, WEIGHTS)[0]
        if missing:
            yield Return(missing.pop())
        elif kind == "join":
            rack = racks[random.randrange(len(racks))] if racks else None
            newcomer = Member(f"n{at}", subscriptions[random.randrange(len(subscriptions))], rack=rack)
            ids.append(newcomer.id)
            yield Join(newcomer)
        elif kind == "leave" and len(ids) > 1:
            yield Leave(ids.pop(random.randrange(len(ids))))
        elif kind == "miss" and len(ids) > 1:
            missing.append(ids[random.randrange(len(ids))])
            yield Miss(missing[-1])
        elif kind == "resubscribe":
            yield Resubscribe(
                ids[random.randrange(len(ids))], subscriptions[random.randrange(len(subscriptions))]
            )
        elif kind == "grow" and topics:
            name = list(topics)[random.randrange(len(topics))]
            topics[name] = _grown(random, topics[name])
            yield Alter(topics[name])
        else:
            yield Rest()


def _grown(random: Random, topic: Topic) -> Topic:
    """Add one to three partitions to a topic; their replicas are in the racks that its first ones are in."""
    count = topic.partitions + random.randrange(1, 4)
    if not topic.racks:
        return Topic(topic.name, count)
    return Topic(topic.name, count, tuple(topic.racks[n % len(topic.racks)] for n in range(count)))
