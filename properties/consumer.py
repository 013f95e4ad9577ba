"""Properties, measures and situations of the consumer family.

Tables are in the order in which they are read; what the command line lists is each function's first sentence.
"""

from collections.abc import Callable, Iterator, Mapping

from kassay.model import Assignment, Group
from kassay.properties import by_name, functions_of
from kassay.properties.laws import crash_free, deterministic
from kassay.properties.partitions import measures, situations
from kassay.properties.partitions.invariants import balance, contract
from kassay.properties.partitions.laws import membership, several_runs
from kassay.properties.partitions.rounds import Assign

INVARIANTS: Mapping[str, Callable[[Group, Assignment], Iterator[str]]] = by_name(
    contract.complete, contract.exclusive, contract.subscribed, contract.existing, contract.every_member,
    balance.balanced, balance.locally_balanced, contract.topic_balanced, contract.cooperative,
    contract.redundant, contract.newest_generation_wins, balance.moves_bounded, contract.near_before_far,
    contract.co_located, contract.co_partitioned,
)  # fmt: skip
"""Name -> what can be true of one outcome."""

LAWS: Mapping[str, Callable[[Assign, Group], Iterator[str]]] = by_name(
    crash_free, deterministic, several_runs.member_order_independent, several_runs.topic_order_independent,
    several_runs.claim_order_independent, several_runs.renaming_independent, several_runs.stable,
    several_runs.settling, several_runs.two_rounds, membership.leaver_minimal, several_runs.joined_evenly,
    membership.static_identity, several_runs.rack_aware_no_more_reads, several_runs.instance_isolated,
)  # fmt: skip
"""Name -> what can be true of several runs."""

MEASURES: Mapping[str, Callable[[Group, Assignment], int]] = by_name(
    measures.imbalance, measures.greatest_load, measures.square_imbalance, measures.excess,
    measures.topic_spread, measures.topic_excess, measures.greatest_weight, measures.over_capacity,
    measures.moves, measures.moved_weight, measures.kept, measures.cross_rack, measures.idle_members,
)  # fmt: skip
"""Name -> number of one outcome."""

RUN_MEASURES: Mapping[str, Callable[[Assign, Group], int]] = by_name(measures.rounds)
"""Name -> number of several runs."""

SITUATIONS: Mapping[str, Callable[[Group], bool]] = {
    name: situation for name, situation in functions_of(situations).items() if name != "withheld_partition"
}
"""Name -> named feature of groups; only share groups withhold partitions."""

LEGAL = frozenset({"complete", "exclusive", "subscribed", "existing"})
"""The invariants that an answer breaks when it loses, doubles or misgives a partition."""

EXPECTED = frozenset({"crash_free", "deterministic", "every_member"}) | LEGAL
"""What is demanded of an assignor that promises nothing itself."""
