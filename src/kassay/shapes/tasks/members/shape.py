"""The record of the shape of streams groups."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from kassay.model.streams_group import MemberTasks, StreamsAssignment, StreamsGroup
from kassay.model.streams_group_json import read_assignment, read_group, write_assignment, write_group
from kassay.properties.tasks.members.laws import ROUNDS, same
from kassay.properties.tasks.members.sampler import KINDS, NUMBERS, USUAL
from kassay.properties.tasks.members.shrinking import smaller
from kassay.properties.tasks.sampler import draw
from kassay.shape import Assign, Sampler, Shape
from kassay.shapes.tasks.members.text_tables import show, show_change

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


def _groups() -> "SearchStrategy[StreamsGroup]":
    from kassay.properties.tasks.members.strategies import groups

    return groups()


def _timelines() -> "SearchStrategy[Any]":
    from kassay.properties.tasks.generating.strategies import timelines

    return timelines()


def _play(assign: Assign, timeline: Any) -> Iterator[StreamsGroup]:
    from kassay.properties.tasks.members.timelines import play

    return play(assign, timeline)


def _present(group: StreamsGroup) -> StreamsAssignment | None:
    """Return what the members have now; None where nobody has anything."""
    held = {member.id: MemberTasks(member.active, member.standby, member.warmup) for member in group.members}
    return held if any(map(any, held.values())) else None


STREAMS_GROUPS = Shape(
    name="streams groups",
    groups=_groups,
    timelines=_timelines,
    play=_play,
    smaller=smaller,
    read_group=read_group,
    write_group=write_group,
    read_assignment=read_assignment,
    write_assignment=write_assignment,
    show=show,
    sizes={
        "members": lambda group: len(group.members),
        "processes": lambda group: len(group.processes),
        "subtopologies": lambda group: len(group.subtopologies),
        "tasks": lambda group: sum(each.partitions for each in group.subtopologies),
    },
    items="tasks",
    most_rounds=ROUNDS,
    show_change=show_change,
    same=same,
    present=_present,
    sampler=Sampler(NUMBERS, USUAL, KINDS, draw),
)
