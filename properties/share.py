"""Properties, measures and situations of the share family: several members may read one partition (KIP-932)."""

from collections.abc import Callable, Iterator, Mapping

from kassay.model import Assignment, Group
from kassay.properties import broker, consumer, map_names
from kassay.properties.partitions import invariants, measures, situations
from kassay.properties.partitions.laws import stable_in_any_order
from kassay.properties.partitions.rounds import Assign

INVARIANTS: Mapping[str, Callable[[Group, Assignment], Iterator[str]]] = map_names(
    invariants.complete, invariants.distinct, invariants.subscribed, invariants.existing, invariants.every_member, invariants.busy,
    invariants.evenly_shared, invariants.balanced, invariants.locally_balanced,
)  # fmt: skip
"""Name -> invariant of one assignment."""

_OF_ONE_OWNER = frozenset({"two_rounds", "leaver_minimal", "joined_evenly", "rack_aware_no_more_reads"})
"""Metamorphic properties that need one owner of each partition."""

LAWS: Mapping[str, Callable[[Assign, Group], Iterator[str]]] = {
    **{name: law for name, law in consumer.LAWS.items() if name not in _OF_ONE_OWNER},
    **map_names(stable_in_any_order),
}
"""Name -> metamorphic property of several runs."""

MEASURES = {**consumer.MEASURES, "moves": measures.copies_lost, "kept": measures.copies_kept}
RUN_MEASURES = consumer.RUN_MEASURES
SITUATIONS = {**broker.SITUATIONS, "withheld_partition": situations.withheld_partition}
LEGAL = frozenset({"complete", "distinct", "subscribed", "existing"})
"""The invariants of legal answers: nothing is lost, assigned twice or assigned to a wrong member."""

EXPECTED = frozenset({"crash_free", "deterministic", "every_member"}) | LEGAL
"""The properties demanded of an assignor that declares none itself."""
