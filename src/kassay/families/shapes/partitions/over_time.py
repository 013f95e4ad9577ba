"""Sequences of rebalances of groups of topics and members, as the engine asks for them.

What in a group of topics and members only one side knows: the clients of the classic protocol, or a group coordinator.
"""

from collections.abc import Iterator
from functools import lru_cache, partial
from typing import Any

from kassay.family import Sequences
from kassay.model import Assignment, Group, Member
from kassay.model.config import UNCONFIGURED
from kassay.oracles.answers import OverTime
from kassay.oracles.assignment.own_levels import BALANCE
from kassay.oracles.levels import summed
from kassay.oracles.partitions.levels import LEVELS, OVER_TIME
from kassay.properties.partitions import timelines
from kassay.properties.partitions.measures import square_imbalance


def _uneven(group: Group, answer: Assignment) -> bool:
    return square_imbalance(group, answer) > _least(group)


@lru_cache(maxsize=256)  # several targets come through the same rebalances
def _least(group: Group) -> int:
    from kassay.oracles.partitions.optimum import optimum

    return square_imbalance(group, optimum(BALANCE, group).assignment)


def _optimum(question: str, timeline: Any, time_limit_s: float | None) -> OverTime:
    from kassay.oracles.partitions.over_time import over_time

    return over_time(question, timelines.stages(timeline), time_limit_s)


def _members(group: Group) -> list[str]:
    return [each.id for each in group.members]


ASSUMED = {
    "restart": "members come back under new ids. Static members (group.instance.id) that come back in time cause no rebalance at all.",
    "bounce": "members leave one after the other before the first is back, and come back under new ids.",
}
SUMMED = [level for level in LEVELS.values() if level.words.counts != "loads" and not level.weighs]
SEQUENCES = Sequences(
    timelines.SEQUENCES,
    OVER_TIME,
    timelines.rounds,
    partial(summed, SUMMED),
    _uneven,
    _optimum,
    _members,
    ASSUMED,
)


def untold(group: Group) -> str | None:
    """Say what a coordinator's assignor is not told, in a sentence that names the field; None where there is nothing such (KIP-848, KIP-932)."""
    return next(_untold(group), None)


def _untold(group: Group) -> Iterator[str]:
    if group.config != UNCONFIGURED:
        yield "config: a coordinator's assignors are not configured by the group; leave it out"
    for n, topic in enumerate(group.topics):
        if topic.hosts is not None:
            yield f"topics[{n}].hosts: a coordinator's assignors are told racks, but no hosts; give racks"
    for n, member in enumerate(group.members):
        if member.user_data is not None:
            yield f"members[{n}].user_data: is for assignors of clients alone; leave it out"


def beyond_coordinators(group: Group) -> Iterator[str]:
    """Say what a coordinator's assignor is not handed, or what cannot come about in a coordinator (KIP-848)."""
    yield from _untold(group)
    counts = {topic.name: topic.partitions for topic in group.topics}
    for n, member in enumerate(group.members):
        for name in member.topics:
            if name not in counts:
                yield (
                    f"members[{n}].topics: there is no topic {name!r}, which a coordinator leaves out; "
                    "leave it out, or give the topic"
                )
        for topic_name, number in member.owned:
            if number >= counts.get(topic_name, number + 1):
                yield (
                    f"members[{n}].owned: topic {topic_name!r} has {counts[topic_name]} partitions, and a coordinator "
                    f"knows no {topic_name}-{number}; leave it out"
                )
    yield from _contradicting(group)


def _contradicting(group: Group) -> Iterator[str]:
    """Say where claims contradict each other: a coordinator knows who owns what."""
    owning = [(n, member) for n, member in enumerate(group.members) if member.owned]
    first: dict[object, Member] = {}
    for n, member in owning:
        if member.generation != owning[0][1].generation:
            yield (
                f"members[{n}].generation: is {_written(member)}, and that of {owning[0][1].id!r} is {_written(owning[0][1])}; "
                "a coordinator knows no older claims, so give all that own partitions the same, or none"
            )
        for partition in member.owned:
            if first.setdefault(partition, member) is not member:
                yield (
                    f"members[{n}].owned: {partition} is listed by {first[partition].id!r} too, and a coordinator knows one owner "
                    "of each partition; leave it out of one"
                )


def _written(member: Member) -> str:
    return "left out" if member.generation is None else str(member.generation)


def beyond_clients(group: Group) -> Iterator[str]:
    """Say what assignors of clients are not handed."""
    for n, topic in enumerate(group.topics):
        if topic.unassignable:
            yield f"topics[{n}].unassignable: assignors of clients do not know it; leave it out"
