"""The record of the shape of topics, members and owned partitions."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from kassay.model import Group
from kassay.model.partitions_json import (
    decode_group,
    read_assignment,
    read_group,
    write_assignment,
    write_group,
)
from kassay.properties.partitions import sampler
from kassay.properties.partitions.generating.events import ANY, USUAL
from kassay.properties.partitions.owners import is_owned_once, owned_once, present
from kassay.properties.partitions.rounds import ROUNDS, same
from kassay.properties.partitions.shrinking.catalogue import smaller
from kassay.shape import Assign, Sampler, Shape
from kassay.shapes.partitions.text_tables import show, show_change

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


def _groups(extras: Mapping[str, int] = ANY["extras"]) -> "SearchStrategy[Group]":
    from kassay.properties.partitions.generating.strategies import groups

    return groups(extras)


def _members_apart() -> "SearchStrategy[Group]":
    from kassay.properties.partitions.generating.strategies import members_apart

    return members_apart()


def _timelines(extras: Mapping[str, int] = ANY["extras"]) -> "SearchStrategy[Any]":
    from kassay.properties.partitions.generating.strategies import timelines

    return timelines(extras)


def _play(assign: Assign, timeline: Any) -> Iterator[Group]:
    from kassay.properties.partitions.timelines import play

    return play(assign, timeline)


PARTITIONS = Shape(
    name="partitions",
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
        "topics": lambda group: len(group.topics),
        "partitions": lambda group: sum(topic.partitions for topic in group.topics),
    },
    items="partitions",
    most_rounds=ROUNDS,
    show_change=show_change,
    same=same,
    present=present,
    sampler=Sampler(sampler.NUMBERS, USUAL, sampler.KINDS, sampler.draw),
    decode_group=decode_group,
    directed=_members_apart,
)


def told(extras: Mapping[str, int]) -> Shape:
    """Return the shape with generated groups in which these extras are told, by weight, such as ids of topics."""
    return replace(
        PARTITIONS, groups=partial(_groups, extras), timelines=partial(_timelines, extras), directed=None
    )


def told_owners(extras: Mapping[str, int]) -> Shape:
    """Return the shape told these extras, with generated groups in which no partition is claimed twice, nor comes to be."""
    shape = told(extras)
    return replace(
        shape,
        groups=lambda: shape.groups().map(owned_once),
        timelines=lambda: shape.timelines().map(_never_missing),
        smaller=_smaller_owned_once,
    )


def _never_missing(timeline: Any) -> Any:
    """Leave out members that come back with old claims, which a coordinator does not believe."""
    from kassay.properties.partitions.timelines import Miss, Return

    events = tuple(event for event in timeline.events if not isinstance(event, Miss | Return))
    return replace(timeline, start=owned_once(timeline.start), events=events)


def _smaller_owned_once(group: Group) -> Iterator[Group]:
    """Yield what is a little smaller; of a group in which nothing is claimed twice, none in which something is."""
    candidates = smaller(group)
    return filter(is_owned_once, candidates) if is_owned_once(group) else candidates
