"""Hypothesis strategies for applications of Kafka Streams and for timelines."""

from collections.abc import Iterator

from hypothesis import strategies as st

from kassay.model.streams_group import StreamsGroup
from kassay.model.tasks import Application, Client
from kassay.properties.choices import LENGTH, from_bytes
from kassay.properties.partitions.strategies import drawn_choices
from kassay.properties.tasks.applications import application, choose_settings, generate_timeline
from kassay.properties.tasks.large import choose_edge_application, choose_edge_streams_group
from kassay.properties.tasks.members.processes import (
    Assign,
    build_group,
    generate_any_group,
    group_by_process,
    with_members,
)
from kassay.properties.tasks.rounds import apply_answer
from kassay.properties.tasks.timelines import Timeline, apply_event

MOSTLY_NEW = {"none": 5, "even": 2, "anyhow": 3}
EVENTS = (0, 7)
"""The least and the greatest number of events of a timeline."""


def applications() -> st.SearchStrategy[Application]:
    """Generate legal applications of every kind: new ones, running ones, and changed ones."""
    return drawn_choices().map(lambda choices: application(choices, choose_settings(choices)))


def draw_edge_applications() -> st.SearchStrategy[Application]:
    """Generate small applications whose changelogs and acceptable lag are around the limits of the machine's integers."""
    return drawn_choices().map(choose_edge_application)


def draw_edge_streams_groups() -> st.SearchStrategy[StreamsGroup]:
    """Generate small streams groups whose changelogs are around the limits of the machine's integers."""
    return drawn_choices().map(choose_edge_streams_group)


def timelines() -> st.SearchStrategy[Timeline]:
    """Generate applications with events between their rebalances."""
    return drawn_choices().map(
        lambda choices: generate_timeline(choices, choose_settings(choices, MOSTLY_NEW, EVENTS))
    )


def groups() -> st.SearchStrategy[StreamsGroup]:
    """Generate legal groups of every kind: new ones, running ones, and ones to which something has happened."""
    return st.binary(min_size=LENGTH, max_size=LENGTH).map(
        lambda drawn: generate_any_group(from_bytes(drawn))
    )


def play(assign: Assign, timeline: Timeline) -> Iterator[StreamsGroup]:
    """Yield the complete group of each rebalance: members have their previous assignment.

    Processes that join or come back have nothing assigned, but report the state on their disks. Raises AssignorError if the
    assignor fails on a group, after yielding it.
    """
    application, group = timeline.start, build_group(timeline.start)
    stopped: dict[str, Client] = {}
    yield group
    for event in timeline.events:
        answer = assign(group)
        joining = apply_answer(
            application, group_by_process(group, answer), restored=timeline.restored, written=timeline.written
        )
        application = apply_event(with_members(joining, answer), event, stopped)
        there = {client.id for client in joining.clients}
        group = build_group(
            application, [client.id for client in application.clients if client.id not in there]
        )
        yield group
