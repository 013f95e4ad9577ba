"""Properties, measures and situations of the streams family, in the order in which they are read.

Also what the command line lists: each function's first sentence.
"""

from collections.abc import Callable, Iterator, Mapping

from kassay.model.tasks import Application, TaskAssignment
from kassay.properties.laws import crash_free, deterministic
from kassay.properties.tasks import invariants as contract
from kassay.properties.tasks import laws, measures, settling, situations
from kassay.properties.tasks.invariants import (
    active_balanced,
    active_stays,
    caught_up,
    distinct_racks,
    distinct_tags,
    least_to_restore,
    subtopologies_spread,
    total_balanced,
)
from kassay.properties.tasks.laws import (
    idle_settings_ignored,
    rack_aware_keeps_counts,
    rack_aware_no_more_traffic,
    thread_scale_independent,
    warm_ups_in_order,
)
from kassay.properties.tasks.rounds import Assign

INVARIANTS: Mapping[str, Callable[[Application, TaskAssignment], Iterator[str]]] = {
    "complete": contract.complete,
    "exclusive": contract.exclusive,
    "existing": contract.existing,
    "every_client": contract.every_client,
    "stateful_standbys": contract.stateful_standbys,
    "one_copy_per_client": contract.one_copy_per_client,
    "enough_standbys": contract.enough_standbys,
    "warm_ups_limited": contract.warm_ups_limited,
    "warm_ups_needed": contract.warm_ups_needed,
    "distinct_tags": distinct_tags,
    "distinct_racks": distinct_racks,
    "active_balanced": active_balanced,
    "total_balanced": total_balanced,
    "caught_up": caught_up,
    "least_to_restore": least_to_restore,
    "active_stays": active_stays,
    "subtopologies_spread": subtopologies_spread,
}
"""Name -> what can be true of one answer."""

LAWS: Mapping[str, Callable[[Assign, Application], Iterator[str]]] = {
    "crash_free": crash_free,
    "deterministic": deterministic,
    "client_order_independent": laws.client_order_independent,
    "task_order_independent": laws.task_order_independent,
    "renaming_independent": laws.renaming_independent,
    "thread_scale_independent": thread_scale_independent,
    "rack_aware_no_more_traffic": rack_aware_no_more_traffic,
    "rack_aware_keeps_counts": rack_aware_keeps_counts,
    "idle_settings_ignored": idle_settings_ignored,
    "warm_ups_in_order": warm_ups_in_order,
    "settles": settling.settles,
    "settles_in_time": settling.settles_in_time,
    "probing_ends": settling.probing_ends,
    "stable": settling.stable,
    "keeps_running": settling.keeps_running,
}
"""Name -> what can be true of several runs."""

MEASURES: Mapping[str, Callable[[Application, TaskAssignment], int]] = {
    "active_imbalance": measures.active_imbalance,
    "total_imbalance": measures.total_imbalance,
    "subtopology_excess": measures.subtopology_excess,
    "standbys_missing": measures.standbys_missing,
    "warm_ups": measures.warm_ups,
    "active_moves": measures.active_moves,
    "standby_moves": measures.standby_moves,
    "cross_rack": measures.cross_rack,
    "cross_rack_standby": measures.cross_rack_standby,
    "not_caught_up": measures.not_caught_up,
    "tag_collisions": measures.tag_collisions,
    "probing": measures.probing,
}
"""Name -> number of one answer."""

RUN_MEASURES: Mapping[str, Callable[[Assign, Application], int]] = {
    "rounds": settling.rebalances,
    "tasks_moved": settling.tasks_moved,
    "time_without_caught_up_active": settling.time_without_caught_up_active,
}
"""Name -> number of several runs."""

SITUATIONS: Mapping[str, Callable[[Application], bool]] = {
    "single_client": situations.single_client,
    "more_clients_than_tasks": situations.more_clients_than_tasks,
    "more_threads_than_tasks": situations.more_threads_than_tasks,
    "mixed_threads": situations.mixed_threads,
    "negative_id": situations.negative_id,
    "permuted_clients": situations.permuted_clients,
    "hash_order": situations.hash_order,
    "stateless_only": situations.stateless_only,
    "stateful_only": situations.stateful_only,
    "mixed_state": situations.mixed_state,
    "several_subtopologies": situations.several_subtopologies,
    "uneven_subtopologies": situations.uneven_subtopologies,
    "uneven_tasks": situations.uneven_tasks,
    "permuted_tasks": situations.permuted_tasks,
    "several_inputs": situations.several_inputs,
    "several_changelogs": situations.several_changelogs,
    "source_changelog": situations.source_changelog,
    "unlogged_state": situations.unlogged_state,
    "standbys": situations.standbys,
    "more_standbys_than_clients": situations.more_standbys_than_clients,
    "one_warmup": situations.one_warmup,
    "tags": situations.tags,
    "several_tags": situations.several_tags,
    "missing_tag": situations.missing_tag,
    "idle_tag": situations.idle_tag,
    "custom_costs": situations.custom_costs,
    "odd_costs": situations.odd_costs,
    "racks": situations.racks,
    "partial_racks": situations.partial_racks,
    "unknown_topic_racks": situations.unknown_topic_racks,
    "rack_strategy": situations.rack_strategy,
    "min_traffic": situations.min_traffic,
    "balance_subtopology": situations.balance_subtopology,
    "overflowing_costs": situations.overflowing_costs,
    "idle_strategy": situations.idle_strategy,
    "strategy_with_some_racks": situations.strategy_with_some_racks,
    "distant_client": situations.distant_client,
    "new_application": situations.new_application,
    "newcomer": situations.newcomer,
    "orphaned_task": situations.orphaned_task,
    "double_claim": situations.double_claim,
    "vanished_task": situations.vanished_task,
    "double_running": situations.double_running,
    "uneven_holdings": situations.uneven_holdings,
    "behind": situations.behind,
    "uneven_lags": situations.uneven_lags,
    "caught_up_nowhere": situations.caught_up_nowhere,
    "restorable": situations.restorable,
    "unknown_lag": situations.unknown_lag,
    "unlimited_lag": situations.unlimited_lag,
}
"""Name -> named feature of applications."""

LEGAL = frozenset({"complete", "exclusive", "existing", "stateful_standbys", "one_copy_per_client"})
"""The invariants that an answer breaks when it loses, doubles or misgives a task."""

EXPECTED = frozenset({"crash_free", "deterministic", "every_client"}) | LEGAL
"""What is demanded of an assignor that promises nothing itself."""
