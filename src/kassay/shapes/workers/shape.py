"""The record of the shape of connectors, tasks and workers."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from kassay.model.workers import Cluster
from kassay.model.workers_json import (
    read_assignment,
    read_beside,
    read_group,
    write_assignment,
    write_beside,
    write_group,
)
from kassay.properties.workers import sampler
from kassay.properties.workers.generating.clusters import USUAL
from kassay.properties.workers.rounds import ROUNDS, present, same
from kassay.properties.workers.shrinking import smaller
from kassay.shape import Assign, Sampler, Shape
from kassay.shapes.workers.text_tables import show, show_change

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


def _groups() -> "SearchStrategy[Cluster]":
    from kassay.properties.workers.generating.strategies import clusters

    return clusters()


def _timelines() -> "SearchStrategy[Any]":
    from kassay.properties.workers.generating.strategies import timelines

    return timelines()


def _play(assign: Assign, timeline: Any) -> Iterator[Cluster]:
    from kassay.properties.workers.timelines import play

    return play(assign, timeline)


WORKERS = Shape(
    name="workers",
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
        "workers": lambda cluster: len(cluster.workers),
        "connectors": lambda cluster: len(cluster.connectors),
        "tasks": lambda cluster: sum(connector.tasks for connector in cluster.connectors),
    },
    items="connectors and tasks",
    most_rounds=ROUNDS,
    show_change=show_change,
    same=same,
    present=present,
    goes_on=True,
    sampler=Sampler(sampler.NUMBERS, USUAL, sampler.KINDS, sampler.draw),
)
