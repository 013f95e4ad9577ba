"""The consumer family's mutants and what each must break; the honest assignors they are made of and what these must keep."""

from families.tables import Honest, mutants_of
from mutants import honest, one_outcome, several_runs

_EVEN = frozenset({"balanced", "locally_balanced"})
_CALM = frozenset(
    {"stable", "settling", "two_rounds", "leaver_minimal", "static_identity", "newest_generation_wins"}
)

HONEST = {
    "sticky": Honest(honest.sticky, honest.COMMON | _EVEN | _CALM | {"exclusive"}),
    "cooperative": Honest(
        honest.cooperative, honest.COMMON - {"complete"} | _CALM | {"exclusive", "cooperative"}
    ),
    "by_topic": Honest(
        honest.by_topic,
        honest.COMMON
        | {"exclusive", "topic_balanced", "co_located", "stable", "settling", "two_rounds", "joined_evenly"},
    ),
    "together": Honest(
        honest.together, honest.COMMON | {"exclusive", "co_partitioned", "stable", "settling", "two_rounds"}
    ),
    "copied": Honest(
        honest.copied, honest.COMMON | _EVEN | {"redundant", "stable", "settling", "two_rounds"}
    ),
}


MUTANTS = mutants_of(
    (one_outcome.forgets_the_last_partition, "complete settling"),
    (one_outcome.reads_one_subscription, "complete settling member_order_independent"),
    (one_outcome.drops_contested, "complete"),
    (one_outcome.believes_everybody, "exclusive"),
    (one_outcome.lists_what_is_kept_again, "exclusive"),
    (one_outcome.gives_to_strangers_of_the_topic, "subscribed"),
    (one_outcome.keeps_what_is_unsubscribed, "subscribed"),
    (one_outcome.keeps_what_has_vanished, "existing"),
    (one_outcome.counts_from_one, "existing complete"),
    (one_outcome.omits_the_idle, "every_member"),
    (one_outcome.names_the_static_by_instance, "every_member"),
    (one_outcome.fills_the_least_loaded, "balanced"),
    (one_outcome.improves_by_single_moves, "balanced"),
    (one_outcome.never_evens, "balanced locally_balanced"),
    (one_outcome.one_too_many, "balanced locally_balanced"),
    (one_outcome.shares_from_the_first, "topic_balanced balanced"),
    (one_outcome.shares_the_sum_alone, "topic_balanced"),
    (one_outcome.deals_by_twos, "topic_balanced"),
    (one_outcome.hands_over_at_once, "cooperative"),
    (one_outcome.forgets_older_owners, "cooperative"),
    (one_outcome.lets_the_overruled_keep, "cooperative newest_generation_wins"),
    (one_outcome.believes_the_oldest, "newest_generation_wins"),
    (one_outcome.looks_at_no_racks, "near_before_far"),
    (one_outcome.strides_through_topics, "co_located"),
    (one_outcome.begins_each_topic_elsewhere, "co_located"),
    (one_outcome.begins_each_join_elsewhere, "co_partitioned"),
    (one_outcome.forgets_the_last_join, "co_partitioned"),
    (one_outcome.joins_who_reads_any, "co_partitioned"),
    (one_outcome.copies_once, "redundant"),
    (one_outcome.copies_to_one_member, "redundant exclusive"),
    (one_outcome.copies_thrice, "redundant exclusive"),
    (several_runs.gives_up_on_an_empty_subscription, "crash_free"),
    (several_runs.gives_up_on_vanished_claims, "crash_free"),
    (several_runs.gives_up_on_odd_names, "crash_free"),
    (several_runs.gives_up_on_missing_racks, "crash_free"),
    (several_runs.remembers_its_calls, "deterministic"),
    (several_runs.shuffles_its_lists, "deterministic"),
    (several_runs.serves_in_order_of_arrival, "member_order_independent"),
    (several_runs.leaves_contested_to_the_last, "member_order_independent"),
    (several_runs.deals_topics_as_listed, "topic_order_independent"),
    (several_runs.prefers_first_subscriptions, "topic_order_independent"),
    (several_runs.keeps_what_is_reported_first, "claim_order_independent"),
    (several_runs.deals_by_hash, "renaming_independent"),
    (several_runs.hashes_topics, "renaming_independent"),
    (several_runs.turns_with_generations, "stable settling"),
    (several_runs.swaps_two, "stable settling"),
    (several_runs.withholds_for_ever, "settling two_rounds"),
    (several_runs.hands_over_one_at_a_time, "two_rounds"),
    (several_runs.takes_turns, "stable settling"),
    (several_runs.starts_over, "leaver_minimal moves_optimal moves_bounded"),
    (several_runs.moves_one_more, "leaver_minimal"),
    (several_runs.keeps_the_first_topics, "joined_evenly"),
    (several_runs.sorts_static_members_by_id, "static_identity"),
    (several_runs.reads_from_afar, "rack_aware_no_more_reads"),
    (several_runs.takes_the_last_claims_for_everybodys, "instance_isolated"),
)
"""Name -> mutant; the name says what is wrong with it."""
