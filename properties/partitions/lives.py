"""The life of one leader: a small group without owned partitions, and many events.

The leader is the first member, which stays. Static members restart: after their session has timed out, they join under new member ids with the same instance id (KIP-345).
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from kassay.model import Member
from kassay.properties.choices import Choices, Settings
from kassay.properties.partitions.events import ANY, USUAL
from kassay.properties.partitions.groups import generate_timeline
from kassay.properties.partitions.timelines import Event, Join, Leave, Miss, Timeline

EVENTS = (6, 12)
"""The least and the greatest number of events, without restarts."""
RESTART = 70
"""Percentage of the members that leave and come back with the next event."""
_KINDS: Mapping[str, Mapping[str, int]] = {
    **ANY,
    "claims": {"none": 1},
    "subscriptions": {"all": 3, "any": 2},
    "names": {"plain": 4, "hostile": 1},
    "static": {"none": 2, "all": 3, "some": 2},
    "events": {
        "rest": 1,
        "join": 2,
        "leave": 6,
        "miss": 1,
        "subscribe": 2,
        "alter": 2,
        "delete": 1,
        "move": 1,
    },
}


def generate_life(choices: Choices, extras: Mapping[str, int]) -> Timeline:
    """Generate a group of two to six members with events; most members that leave come back under new ids."""
    limits = {**USUAL, "members": (2, 6), "partitions": (1, 6), "racks": (1, 3), "churn": EVENTS}
    timeline = generate_timeline(choices, Settings(limits, {**_KINDS, "extras": extras}, {}))
    return replace(timeline, events=tuple(_list_events(choices, timeline)))


def _list_events(choices: Choices, timeline: Timeline) -> Iterator[Event]:
    known: dict[str, Member] = {member.id: member for member in timeline.start.members}
    leader = timeline.start.members[0].id
    for number, event in enumerate(timeline.events):
        if isinstance(event, Leave | Miss) and event.member == leader:
            continue
        yield event
        match event:
            case Join(member):
                known[member.id] = member
            case Leave(name) if name in known and choices.chance(RESTART):
                back = known.pop(name)
                yield Join(replace(back, id=f"{name}-back{number}", owned=(), generation=None))
            case _:
                pass
