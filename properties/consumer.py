"""Properties, measures and situations of the consumer family.

Tables are in reading order. The command line lists the first sentence of each function.
"""

from collections.abc import Callable, Iterator, Mapping

from kassay.model import Assignment, Group
from kassay.properties import list_functions, map_names
from kassay.properties.laws import crash_free, deterministic
from kassay.properties.partitions import invariants, laws, measures, situations
from kassay.properties.partitions.rounds import Assign

INVARIANTS: Mapping[str, Callable[[Group, Assignment], Iterator[str]]] = map_names(
    invariants.complete, invariants.exclusive, invariants.subscribed, invariants.existing, invariants.every_member,
    invariants.balanced, invariants.locally_balanced, invariants.topic_balanced, invariants.cooperative,
    invariants.redundant, invariants.newest_generation_wins, invariants.moves_bounded, invariants.near_before_far,
    invariants.co_located, invariants.co_partitioned,
)  # fmt: skip
"""Name -> invariant of one assignment."""

LAWS: Mapping[str, Callable[[Assign, Group], Iterator[str]]] = map_names(
    crash_free, deterministic, laws.member_order_independent, laws.topic_order_independent,
    laws.claim_order_independent, laws.renaming_independent, laws.stable,
    laws.settling, laws.two_rounds, laws.leaver_minimal, laws.joined_evenly,
    laws.static_identity, laws.rack_aware_no_more_reads, laws.instance_isolated,
)  # fmt: skip
"""Name -> metamorphic property of several runs."""

MEASURES: Mapping[str, Callable[[Group, Assignment], int]] = map_names(
    measures.imbalance, measures.greatest_load, measures.square_imbalance, measures.excess,
    measures.topic_spread, measures.topic_excess, measures.greatest_weight, measures.over_capacity,
    measures.moves, measures.moved_weight, measures.kept, measures.cross_rack, measures.idle_members,
)  # fmt: skip
"""Name -> measure of one assignment."""

RUN_MEASURES: Mapping[str, Callable[[Assign, Group], int]] = map_names(measures.rounds)
"""Name -> measure of several runs."""

SITUATIONS: Mapping[str, Callable[[Group], bool]] = {
    name: situation for name, situation in list_functions(situations).items() if name != "withheld_partition"
}
"""Name -> situation of groups. Only share groups withhold partitions."""

LEGAL = frozenset({"complete", "exclusive", "subscribed", "existing"})
"""The invariants of legal answers: nothing is lost, assigned twice or assigned to a wrong member."""

EXPECTED = frozenset({"crash_free", "deterministic", "every_member"}) | LEGAL
"""The properties demanded of an assignor that declares none itself."""
