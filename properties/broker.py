"""Properties, measures and situations of the broker family: what group coordinators ask of assignors of consumer groups (KIP-848)."""

from collections.abc import Callable, Iterator, Mapping

from kassay.model import Assignment, Group
from kassay.properties import by_name, consumer
from kassay.properties.partitions.laws import (
    joiner_minimal,
    reconciles,
    replaced_minimal,
    stable_in_any_order,
)
from kassay.properties.partitions.rounds import Assign

_OF_CLIENTS = frozenset({"cooperative", "redundant", "newest_generation_wins", "co_partitioned"})
"""Invariants for assignors of clients alone: a coordinator knows which member owns what, and neither generations nor joins reach its assignor."""

TOLD_TO_CLIENTS = frozenset({"user_data", "racks_by_host", "joined_topics", "unjoinable", "other_strategy"})
"""Situations in what only assignors of clients are told."""

INVARIANTS: Mapping[str, Callable[[Group, Assignment], Iterator[str]]] = {
    name: invariant for name, invariant in consumer.INVARIANTS.items() if name not in _OF_CLIENTS
}
"""Name -> what can be true of one outcome."""

LAWS: Mapping[str, Callable[[Assign, Group], Iterator[str]]] = {
    **{name: law for name, law in consumer.LAWS.items() if name != "two_rounds"},
    **by_name(stable_in_any_order, replaced_minimal, joiner_minimal, reconciles),
}
"""Name -> what can be true of several runs."""

MEASURES = consumer.MEASURES
RUN_MEASURES = consumer.RUN_MEASURES
SITUATIONS = {
    name: situation for name, situation in consumer.SITUATIONS.items() if name not in TOLD_TO_CLIENTS
}
LEGAL = consumer.LEGAL
EXPECTED = consumer.EXPECTED | {"reconciles"}
"""What is demanded of an assignor that promises nothing itself."""
