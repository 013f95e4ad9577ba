"""Hypothesis strategies for groups of topics and members, for running groups and for timelines."""

from collections.abc import Mapping

from hypothesis import strategies as st

from kassay.model import Group
from kassay.properties.choices import LENGTH, Choices, Settings, from_bytes
from kassay.properties.partitions.events import ANY, PLAIN, USUAL, choose_settings
from kassay.properties.partitions.groups import generate_group, generate_timeline
from kassay.properties.partitions.large import choose_directed_group, choose_edge_group
from kassay.properties.partitions.lives import generate_life
from kassay.properties.partitions.ownership import choose_distant_group
from kassay.properties.partitions.timelines import Timeline

RUNNING = {"anyhow": 1}
MOSTLY_NEW = {"none": 7, "anyhow": 3}
EVENTS = (0, 7)
"""The least and the greatest number of events of a timeline."""


def groups(extras: Mapping[str, int] = ANY["extras"]) -> st.SearchStrategy[Group]:
    """Generate legal groups of every kind: new ones, running ones, and ones with contradicting reports."""
    return drawn_choices().map(
        lambda choices: generate_group(choices, choose_settings(choices, extras=extras))
    )


def distant_groups() -> st.SearchStrategy[Group]:
    """Generate groups in which racks and different subscriptions conflict."""
    return drawn_choices().map(choose_distant_group)


def draw_edge_groups() -> st.SearchStrategy[Group]:
    """Generate small groups with integers around the limits of the machine's."""
    return drawn_choices().map(choose_edge_group)


def draw_directed_groups(extras: Mapping[str, int]) -> st.SearchStrategy[Group]:
    """Generate groups in which racks conflict with subscriptions, groups around limits, and groups of 7 to 20 members."""
    return drawn_choices().map(lambda choices: choose_directed_group(choices, extras))


def scaled_out_groups() -> st.SearchStrategy[Group]:
    """Generate groups to which members came one by one, with topics of any sizes, a hot one among small ones, or a heavy tail."""
    kinds = {**PLAIN, "claims": {"scaled out": 1}, "sizes": {"any": 1, "hot": 1, "heavy": 1}}
    kinds |= {"subscriptions": {"all": 2, "some": 1}}
    settings = Settings({**USUAL, "members": (1, 4), "topics": (1, 4), "partitions": (1, 12)}, kinds, {})
    return drawn_choices().map(lambda choices: generate_group(choices, settings))


def running_groups() -> st.SearchStrategy[Group]:
    """Generate running groups, whose members own the partitions of an earlier generation, with changes since."""
    return drawn_choices().map(lambda choices: generate_group(choices, choose_settings(choices, RUNNING)))


def timelines(extras: Mapping[str, int] = ANY["extras"]) -> st.SearchStrategy[Timeline]:
    """Generate groups with events: members join, leave, resubscribe, miss generations; topics change."""
    return drawn_choices().map(
        lambda choices: generate_timeline(choices, choose_settings(choices, MOSTLY_NEW, EVENTS, extras))
    )


def draw_lives(extras: Mapping[str, int] = ANY["extras"]) -> st.SearchStrategy[Timeline]:
    """Generate small groups with many events, during which the first member leads."""
    return drawn_choices().map(lambda choices: generate_life(choices, extras))


def drawn_choices() -> st.SearchStrategy[Choices]:
    """Draw the choices of an ordinary group."""
    return st.binary(min_size=LENGTH, max_size=LENGTH).map(from_bytes)
