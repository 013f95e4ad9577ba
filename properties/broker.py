"""Properties, measures and situations of the broker family: assignors of group coordinators for consumer groups (KIP-848)."""

from collections.abc import Callable, Iterator, Mapping

from kassay.model import Assignment, Group
from kassay.properties import consumer, map_names
from kassay.properties.partitions.laws import (
    joiner_minimal,
    reconciles,
    replaced_minimal,
    stable_in_any_order,
)
from kassay.properties.partitions.rounds import Assign

_OF_CLIENTS = frozenset({"cooperative", "redundant", "newest_generation_wins", "co_partitioned"})
"""Invariants that only assignors of clients have. A coordinator knows the owners, and passes neither generations nor joins to
its assignor.
"""

TOLD_TO_CLIENTS = frozenset({"user_data", "racks_by_host", "joined_topics", "unjoinable", "other_strategy"})
"""Situations of data that only assignors of clients receive."""

INVARIANTS: Mapping[str, Callable[[Group, Assignment], Iterator[str]]] = {
    name: invariant for name, invariant in consumer.INVARIANTS.items() if name not in _OF_CLIENTS
}
"""Name -> invariant of one assignment."""

LAWS: Mapping[str, Callable[[Assign, Group], Iterator[str]]] = {
    **{name: law for name, law in consumer.LAWS.items() if name != "two_rounds"},
    **map_names(stable_in_any_order, replaced_minimal, joiner_minimal, reconciles),
}
"""Name -> metamorphic property of several runs."""

MEASURES = consumer.MEASURES
RUN_MEASURES = consumer.RUN_MEASURES
SITUATIONS = {
    name: situation for name, situation in consumer.SITUATIONS.items() if name not in TOLD_TO_CLIENTS
}
LEGAL = consumer.LEGAL
EXPECTED = consumer.EXPECTED | {"reconciles"}
"""The properties demanded of an assignor that declares none itself."""
