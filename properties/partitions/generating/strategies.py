"""Strategies: Hypothesis strategies for consumer groups, for rebalances of running groups and for whole timelines."""

from hypothesis import strategies as st

from kassay.model import Group
from kassay.properties.choices import LENGTH, Choices
from kassay.properties.partitions.generating.events import churned
from kassay.properties.partitions.generating.groups import fresh
from kassay.properties.partitions.generating.ownership import handed_down, scattered
from kassay.properties.partitions.timelines import Timeline


def groups() -> st.SearchStrategy[Group]:
    """Generate legal groups of every kind: new ones, running ones, and ones with claims that contradict each other."""
    return _tapes().map(_group)


def rebalances() -> st.SearchStrategy[Group]:
    """Generate running groups, which own what an earlier generation gave, and in which something changed since."""
    return _tapes().map(_rebalance)


def timelines() -> st.SearchStrategy[Timeline]:
    """Generate groups with what happens to them: members join, leave, resubscribe, miss generations; topics change."""
    return _tapes().map(_timeline)


def _tapes() -> st.SearchStrategy[Choices]:
    return st.binary(min_size=LENGTH, max_size=LENGTH).map(Choices)


def _group(choices: Choices) -> Group:
    kind = choices.below(16)
    group = fresh(choices)
    if kind < 4:
        return group
    return scattered(choices, group) if kind < 7 else handed_down(choices, group)


def _rebalance(choices: Choices) -> Group:
    return handed_down(choices, fresh(choices))


def _timeline(choices: Choices) -> Timeline:
    group = fresh(choices)
    if choices.chance(30):
        group = handed_down(choices, group)
    return Timeline(group, churned(choices, group))
