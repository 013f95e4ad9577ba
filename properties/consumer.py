"""Properties, measures and situations of the consumer family, in the order in which they are read.

Also what the command line lists: each function's first sentence.
"""

from collections.abc import Callable, Iterator, Mapping

from kassay.model import Assignment, Group
from kassay.properties.laws import crash_free, deterministic
from kassay.properties.partitions import measures, situations
from kassay.properties.partitions.invariants import contract
from kassay.properties.partitions.invariants.balance import balanced, locally_balanced, moves_bounded
from kassay.properties.partitions.invariants.contract import (
    co_located,
    co_partitioned,
    near_before_far,
    newest_generation_wins,
)
from kassay.properties.partitions.laws import several_runs
from kassay.properties.partitions.laws.membership import leaver_minimal, static_identity
from kassay.properties.partitions.laws.several_runs import joined_evenly, rack_aware_no_more_reads
from kassay.properties.partitions.rounds import Assign

INVARIANTS: Mapping[str, Callable[[Group, Assignment], Iterator[str]]] = {
    "complete": contract.complete,
    "exclusive": contract.exclusive,
    "subscribed": contract.subscribed,
    "existing": contract.existing,
    "every_member": contract.every_member,
    "balanced": balanced,
    "locally_balanced": locally_balanced,
    "topic_balanced": contract.topic_balanced,
    "cooperative": contract.cooperative,
    "redundant": contract.redundant,
    "newest_generation_wins": newest_generation_wins,
    "moves_bounded": moves_bounded,
    "near_before_far": near_before_far,
    "co_located": co_located,
    "co_partitioned": co_partitioned,
}
"""Name -> what can be true of one outcome."""

LAWS: Mapping[str, Callable[[Assign, Group], Iterator[str]]] = {
    "crash_free": crash_free,
    "deterministic": deterministic,
    "member_order_independent": several_runs.member_order_independent,
    "topic_order_independent": several_runs.topic_order_independent,
    "claim_order_independent": several_runs.claim_order_independent,
    "renaming_independent": several_runs.renaming_independent,
    "stable": several_runs.stable,
    "settling": several_runs.settling,
    "two_rounds": several_runs.two_rounds,
    "leaver_minimal": leaver_minimal,
    "joined_evenly": joined_evenly,
    "static_identity": static_identity,
    "rack_aware_no_more_reads": rack_aware_no_more_reads,
    "instance_isolated": several_runs.instance_isolated,
}
"""Name -> what can be true of several runs."""

MEASURES: Mapping[str, Callable[[Group, Assignment], int]] = {
    "imbalance": measures.imbalance,
    "greatest_load": measures.greatest_load,
    "square_imbalance": measures.square_imbalance,
    "excess": measures.excess,
    "topic_spread": measures.topic_spread,
    "topic_excess": measures.topic_excess,
    "greatest_weight": measures.greatest_weight,
    "over_capacity": measures.over_capacity,
    "moves": measures.moves,
    "moved_weight": measures.moved_weight,
    "kept": measures.kept,
    "cross_rack": measures.cross_rack,
    "idle_members": measures.idle_members,
}
"""Name -> number of one outcome."""

RUN_MEASURES: Mapping[str, Callable[[Assign, Group], int]] = {
    "rounds": measures.rounds,
}
"""Name -> number of several runs."""

SITUATIONS: Mapping[str, Callable[[Group], bool]] = {
    "single_member": situations.single_member,
    "uneven_split": situations.uneven_split,
    "uneven_splits": situations.uneven_splits,
    "idle_members": situations.idle_members,
    "mixed_subscriptions": situations.mixed_subscriptions,
    "no_subscription": situations.no_subscription,
    "no_subscription_first": situations.no_subscription_first,
    "repeated_topic": situations.repeated_topic,
    "unknown_topic": situations.unknown_topic,
    "unread_topic": situations.unread_topic,
    "empty_topic": situations.empty_topic,
    "copartitioned_topics": situations.copartitioned_topics,
    "permuted_members": situations.permuted_members,
    "permuted_topics": situations.permuted_topics,
    "large_group": situations.large_group,
    "many_partitions": situations.many_partitions,
    "first_generation": situations.first_generation,
    "newcomer": situations.newcomer,
    "orphaned_partition": situations.orphaned_partition,
    "uneven_claims": situations.uneven_claims,
    "unsorted_claims": situations.unsorted_claims,
    "stale_claim": situations.stale_claim,
    "double_claim": situations.double_claim,
    "overruled_claim": situations.overruled_claim,
    "claim_without_generation": situations.claim_without_generation,
    "unsubscribed_owner": situations.unsubscribed_owner,
    "stale_unsubscribed_owner": situations.stale_unsubscribed_owner,
    "vanished_partition": situations.vanished_partition,
    "vanished_topic": situations.vanished_topic,
    "racks": situations.racks,
    "partial_racks": situations.partial_racks,
    "replica_without_rack": situations.replica_without_rack,
    "partition_without_racks": situations.partition_without_racks,
    "topic_without_racks": situations.topic_without_racks,
    "empty_rack": situations.empty_rack,
    "empty_replica_rack": situations.empty_replica_rack,
    "distant_member": situations.distant_member,
    "racks_decide": situations.racks_decide,
    "user_data": situations.user_data,
    "racks_by_host": situations.racks_by_host,
    "joined_topics": situations.joined_topics,
    "unjoinable": situations.unjoinable,
    "other_strategy": situations.other_strategy,
    "static_members": situations.static_members,
    "mixed_static": situations.mixed_static,
    "permuted_instances": situations.permuted_instances,
    "hostile_name": situations.hostile_name,
    "hostile_rack": situations.hostile_rack,
    "partition_like_topic": situations.partition_like_topic,
    "astral_name": situations.astral_name,
    "utf16_order": situations.utf16_order,
    "hash_collision": situations.hash_collision,
    "topic_hash_collision": situations.topic_hash_collision,
}
"""Name -> named feature of groups."""
LEGAL = frozenset({"complete", "exclusive", "subscribed", "existing"})
"""The invariants that an answer breaks when it loses, doubles or misgives a partition."""

EXPECTED = frozenset({"crash_free", "deterministic", "every_member"}) | LEGAL
"""What is demanded of an assignor that promises nothing itself."""
