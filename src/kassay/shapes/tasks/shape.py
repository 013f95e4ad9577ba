"""The record of the shape of tasks and clients."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from kassay.model.tasks import Application, Given, TaskAssignment
from kassay.model.tasks_json import (
    read_assignment,
    read_beside,
    read_group,
    write_assignment,
    write_beside,
    write_group,
)
from kassay.properties.tasks import sampler
from kassay.properties.tasks.generating.applications import USUAL
from kassay.properties.tasks.rounds import ROUNDS, same
from kassay.properties.tasks.shrinking.steps import smaller
from kassay.shape import Assign, Sampler, Shape
from kassay.shapes.tasks.text_tables import show, show_change

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


def _groups() -> "SearchStrategy[Application]":
    from kassay.properties.tasks.generating.strategies import applications

    return applications()


def _timelines() -> "SearchStrategy[Any]":
    from kassay.properties.tasks.generating.strategies import timelines

    return timelines()


def _play(assign: Assign, timeline: Any) -> Iterator[Application]:
    from kassay.properties.tasks.timelines import play

    return play(assign, timeline)


def present(application: Application) -> TaskAssignment | None:
    """Return what the clients run now, as they claim it; None where nobody runs anything."""
    if not any(client.active or client.standby for client in application.clients):
        return None
    return TaskAssignment(
        {client.id: Given(client.active, client.standby) for client in application.clients}, probing=False
    )


TASKS = Shape(
    name="tasks",
    groups=_groups,
    timelines=_timelines,
    play=_play,
    smaller=smaller,
    read_group=read_group,
    write_group=write_group,
    read_assignment=read_assignment,
    write_assignment=write_assignment,
    write_beside=write_beside,
    read_beside=read_beside,
    show=show,
    sizes={
        "clients": lambda application: len(application.clients),
        "subtopologies": lambda application: len({task.id.subtopology for task in application.tasks}),
        "tasks": lambda application: len(application.tasks),
    },
    items="tasks",
    most_rounds=ROUNDS,
    show_change=show_change,
    same=same,
    present=present,
    sampler=Sampler(sampler.NUMBERS, USUAL, sampler.KINDS, sampler.draw),
)
