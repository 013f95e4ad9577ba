"""Hypothesis strategies for applications of Kafka Streams and for timelines."""

from hypothesis import strategies as st

from kassay.model.tasks import Application
from kassay.properties.partitions.strategies import drawn_choices
from kassay.properties.tasks.applications import anything, application, timeline
from kassay.properties.tasks.timelines import Timeline

MOSTLY_NEW = {"none": 5, "even": 2, "anyhow": 3}
EVENTS = (0, 7)
"""The least and the greatest number of events of a timeline."""


def applications() -> st.SearchStrategy[Application]:
    """Generate legal applications of every kind: new ones, running ones, and ones to which something has happened."""
    return drawn_choices().map(lambda choices: application(choices, anything(choices)))


def timelines() -> st.SearchStrategy[Timeline]:
    """Generate applications with what happens to them between their rebalances."""
    return drawn_choices().map(lambda choices: timeline(choices, anything(choices, MOSTLY_NEW, EVENTS)))
