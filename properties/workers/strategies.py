"""Hypothesis strategies for Connect's clusters and for timelines."""

from hypothesis import strategies as st

from kassay.model.workers import Cluster
from kassay.properties.partitions.strategies import drawn_choices
from kassay.properties.workers.clusters import choose_settings, generate_cluster, timeline
from kassay.properties.workers.large import choose_edge_cluster
from kassay.properties.workers.timelines import Timeline

MOSTLY_NEW = {"none": 5, "rest": 3, "uneven": 1, "contested": 1}
EVENTS = (0, 10)
"""The least and the greatest number of events of a timeline."""


def clusters() -> st.SearchStrategy[Cluster]:
    """Generate legal clusters of every kind: new ones, running ones, and changed ones."""
    return drawn_choices().map(lambda choices: generate_cluster(choices, choose_settings(choices)))


def draw_edge_clusters() -> st.SearchStrategy[Cluster]:
    """Generate small clusters whose generation and time are around the limits of the machine's integers."""
    return drawn_choices().map(choose_edge_cluster)


def timelines() -> st.SearchStrategy[Timeline]:
    """Generate clusters with events between their rounds."""
    return drawn_choices().map(
        lambda choices: timeline(choices, choose_settings(choices, MOSTLY_NEW, EVENTS))
    )
