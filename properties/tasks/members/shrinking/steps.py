"""The steps that the minimiser tries on a streams group, boldest first."""

from collections.abc import Callable, Iterator

from kassay.model.streams_group import StreamsGroup
from kassay.properties.minimise import in_pairs
from kassay.properties.tasks.members.shrinking.canonicalise import canonical_names, canonical_order
from kassay.properties.tasks.members.shrinking.drop_features import (
    drop_features,
    drop_holdings,
    drop_state,
    lower_offsets,
    lower_settings,
    split_processes,
)
from kassay.properties.tasks.members.shrinking.order import order_key
from kassay.properties.tasks.members.shrinking.remove import (
    merge_subtopologies,
    remove_members,
    remove_partitions,
    remove_subtopologies,
)

STEPS: tuple[Callable[[StreamsGroup], Iterator[StreamsGroup]], ...] = (
    remove_members,
    remove_subtopologies,
    remove_partitions,
    merge_subtopologies,
    lower_settings,
    drop_state,
    drop_features,
    drop_holdings,
    lower_offsets,
    split_processes,
    canonical_order,
    canonical_names,
)
"""The kinds of step, in the order in which they are tried."""


def smaller(group: StreamsGroup) -> Iterator[StreamsGroup]:
    """Yield groups smaller than this one by `order_key`: those a step away, then those two steps away. Never one without members."""
    own = order_key(group)
    for candidate in in_pairs(group, steps):
        if order_key(candidate) < own:
            yield candidate


def steps(group: StreamsGroup) -> Iterator[StreamsGroup]:
    """Yield the groups that are a step away; a few are not smaller, but a second step leads on from them."""
    for step in STEPS:
        yield from step(group)
