"""The streams family's mutants and what each must break; the honest assignors they are made of and what these must keep."""

from families.tables import Honest, Mutant, mutants_of
from mutants import tasks_honest, tasks_one_outcome, tasks_orders, tasks_several_runs

HONEST = {
    "high_availability": Honest(
        tasks_honest.high_availability,
        tasks_honest.COMMON | {"caught_up", "least_to_restore", "subtopologies_spread"},
    ),
    "even": Honest(
        tasks_honest.even, tasks_honest.COMMON | {"active_balanced", "total_balanced", "distinct_tags"}
    ),
    "by_rack": Honest(tasks_honest.by_rack, tasks_honest.LEGAL | {"active_balanced", "distinct_racks"}),
    "fallback": Honest(tasks_honest.fallback, tasks_honest.LEGAL | {"active_stays", "enough_standbys"}),
}


MUTANTS = {
    **mutants_of(
        (tasks_one_outcome.loses_the_last_task, "complete"),
        (tasks_one_outcome.forgets_what_nobody_ran, "complete"),
        (tasks_one_outcome.drops_what_two_claim, "complete"),
        (tasks_one_outcome.runs_a_task_twice, "exclusive"),
        (tasks_one_outcome.lists_what_runs_on_again, "exclusive"),
        (tasks_one_outcome.counts_partitions_from_one, "existing complete"),
        (tasks_one_outcome.omits_the_idle, "every_client"),
        (tasks_one_outcome.answers_the_dead, "every_client"),
        (tasks_one_outcome.gives_stateless_standbys, "stateful_standbys"),
        (tasks_one_outcome.puts_the_standby_beside_its_active, "one_copy_per_client enough_standbys"),
        (tasks_one_outcome.leaves_a_standby_where_it_takes_over, "one_copy_per_client exclusive"),
        (tasks_one_outcome.lists_standbys_twice, "one_copy_per_client"),
        (tasks_one_outcome.forgets_one_standby, "enough_standbys"),
        (tasks_one_outcome.counts_the_active_copy, "enough_standbys"),
        (tasks_one_outcome.stops_where_tags_are_used_up, "enough_standbys"),
        (tasks_one_outcome.warms_up_without_limit, "warm_ups_limited"),
        (tasks_one_outcome.counts_warm_ups_by_client, "warm_ups_limited"),
        (tasks_one_outcome.one_standby_too_many, "warm_ups_needed warm_ups_limited"),
        (tasks_one_outcome.warms_up_what_stays, "warm_ups_needed"),
        (tasks_one_outcome.warms_up_but_never_probes, "warm_ups_needed"),
        (tasks_one_outcome.ignores_tags, "distinct_tags"),
        (tasks_one_outcome.reads_the_last_tag_only, "distinct_tags"),
        (tasks_one_outcome.keeps_tags_apart_from_the_active_only, "distinct_tags"),
        (tasks_one_outcome.puts_all_standbys_into_one_rack, "distinct_racks"),
        (tasks_one_outcome.takes_a_rack_for_another, "distinct_racks"),
        (tasks_one_outcome.ignores_threads, "active_balanced"),
        (tasks_one_outcome.gives_stateless_tasks_to_the_first, "active_balanced"),
        (tasks_one_outcome.leaves_standbys_out_of_loads, "total_balanced"),
        (tasks_one_outcome.takes_the_least_loaded_instead_of_the_caught_up, "caught_up least_to_restore"),
        (tasks_one_outcome.counts_unknown_lag_as_caught_up, "caught_up least_to_restore"),
        (tasks_one_outcome.finds_every_lag_acceptable, "caught_up"),
        (tasks_one_outcome.restores_where_most_is_missing, "least_to_restore"),
        (tasks_one_outcome.crowds_a_subtopology, "subtopologies_spread"),
        (tasks_one_outcome.starts_over, "active_stays"),
        (tasks_one_outcome.falls_back_to_standbys, "active_stays"),
        (tasks_orders.gives_up_on_missing_racks, "crash_free"),
        (tasks_orders.gives_up_on_unknown_lags, "crash_free"),
        (tasks_orders.remembers_its_calls, "deterministic"),
        (tasks_orders.probes_every_second_time, "deterministic"),
        (tasks_orders.serves_in_order_of_arrival, "client_order_independent"),
        (tasks_orders.believes_the_last_claim, "client_order_independent"),
        (tasks_orders.deals_tasks_as_listed, "task_order_independent"),
        (tasks_orders.keeps_what_is_listed_first, "task_order_independent"),
        (tasks_orders.deals_by_hash, "renaming_independent"),
        (tasks_orders.hashes_topics, "renaming_independent"),
        (tasks_orders.fills_threads_first, "thread_scale_independent active_balanced"),
        (tasks_orders.reads_more_across_racks, "rack_aware_no_more_traffic"),
        (tasks_orders.trades_counts_for_racks, "rack_aware_keeps_counts"),
        (tasks_orders.warms_up_the_last, "warm_ups_in_order"),
        (tasks_orders.charges_costs_without_a_strategy, "idle_settings_ignored"),
        (tasks_orders.reads_tags_without_standbys, "idle_settings_ignored"),
        (tasks_orders.probes_while_warm_ups_are_allowed, "idle_settings_ignored"),
    ),
    **{name: Mutant(*mutant) for name, mutant in tasks_several_runs.MUTANTS.items()},
}
"""Name -> mutant; the name says what is wrong with it."""
