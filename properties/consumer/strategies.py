"""Strategies: Hypothesis strategies for consumer groups, for rebalances of running groups and for whole timelines."""

from hypothesis import strategies as st

from kassay.model import Group
from kassay.properties.consumer.churn import churned
from kassay.properties.consumer.claiming import handed_down, scattered
from kassay.properties.consumer.growing import fresh
from kassay.properties.consumer.tape import LENGTH, Tape
from kassay.properties.consumer.timelines import Timeline


def groups() -> st.SearchStrategy[Group]:
    """Generate legal groups of every kind: new ones, running ones, and ones with claims that contradict each other."""
    return _tapes().map(_group)


def rebalances() -> st.SearchStrategy[Group]:
    """Generate running groups, which own what an earlier generation gave, and in which something changed since."""
    return _tapes().map(_rebalance)


def timelines() -> st.SearchStrategy[Timeline]:
    """Generate groups with what happens to them: members join, leave, resubscribe, miss generations; topics change."""
    return _tapes().map(_timeline)


def _tapes() -> st.SearchStrategy[Tape]:
    return st.binary(min_size=LENGTH, max_size=LENGTH).map(Tape)


def _group(tape: Tape) -> Group:
    kind = tape.below(16)
    group = fresh(tape)
    if kind < 4:
        return group
    return scattered(tape, group) if kind < 7 else handed_down(tape, group)


def _rebalance(tape: Tape) -> Group:
    return handed_down(tape, fresh(tape))


def _timeline(tape: Tape) -> Timeline:
    group = fresh(tape)
    if tape.chance(30):
        group = handed_down(tape, group)
    return Timeline(group, churned(tape, group))
