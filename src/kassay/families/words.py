"""Known defects in the words of somebody who uses Kafka: what an assignor does, and when."""

from collections.abc import Iterable

from kassay.family import Family
from kassay.sentences import first_sentence

_DOES = {
    "exclusive": "gives {one} twice",
    "complete": "leaves {one} with nobody",
    "distinct": "gives {one} twice to one member",
    "one_copy_per_client": "gives a task twice to one client",
    "one_copy_per_process": "gives a task twice to one process",
    "revoked_first": "gives away what its owner has not stopped yet",
    "existing": "gives {one} that does not exist",
    "crash_free": "throws an exception",
    "subscribed": "gives {one} to who does not read it",
    "cooperative": "gives {one} away before its owner has handed it over",
    "newest_generation_wins": "lets an older claim win over a newer one",
    "every_member": "leaves a member out of its answer",
    "every_client": "leaves a client out of its answer",
    "every_worker": "leaves a worker out of its answer",
    "kept_or_revoked": "neither leaves a worker what it runs nor tells it to stop that",
    "settling": "never comes to rest",
    "settles": "never comes to rest",
    "reconciles": "never comes to rest",
    "probing_ends": "asks for rebalances without end",
    "all_run_at_rest": "leaves {one} with nobody for good, or has something run twice",
    "given_out_after_delay": "leaves what is lost with nobody when its time is over",
    "delay_limited": "delays longer than is set",
    "delay_honoured": "gives out what is lost before its time",
    "nothing_revoked_while_waiting": "stops what runs while what is lost waits",
    "revokes_what_runs": "stops what does not run",
    "keeps_running": "starts a task where its state is missing, though another client has it",
    "caught_up": "runs a task where its state is missing, though another client has it",
    "active_stays": "takes an active task from everybody who had it",
    "enough_standbys": "gives a task fewer standbys than are set",
    "standbys_limited": "gives a task more standbys than are set",
    "stateful_standbys": "gives a standby to a task without state",
    "no_warm_ups": "gives warm-ups, which are the coordinator's to give",
    "warm_ups_limited": "gives more warm-ups than are set",
    "warm_ups_needed": "warms up what is not moving",
    "warm_ups_in_order": "warms tasks up in the wrong order",
    "restart_keeps_state": "gives a task to who has to restore it after all have restarted",
    "least_to_restore": "restores more than needed",
    "stable": "moves something though nothing has changed",
    "stable_in_any_order": "moves something though only the order of members has changed",
    "revoked_once": "takes something from two workers, one after the other",
    "settles_in_time": "needs more rebalances than it has to restore",
    "two_rounds": "needs more than two rebalances",
    "static_identity": "takes something from a static member that restarts",
    "returning_gets_back": "does not give a worker back what it ran",
    "replaced_minimal": "moves more than needed when a member takes another's place",
    "leaver_minimal": "moves more than needed when one leaves",
    "leaver_keeps_standbys": "moves standbys that need not move when one leaves",
    "joiner_minimal": "moves more than needed when one joins",
    "moves_optimal": "moves more than needed",
    "moves_bounded": "moves more than the better balance is worth",
    "near_before_far": "lets members read from afar what they could read near",
    "balanced": "does not make loads as even as they can be",
    "locally_balanced": "leaves loads uneven that one move would even",
    "active_balanced": "leaves active tasks uneven that one move would even",
    "total_balanced": "leaves tasks uneven that one move of a standby would even",
    "topic_balanced": "shares a topic unevenly",
    "joined_evenly": "shares topics unevenly when a second member joins",
    "subtopologies_spread": "runs too much of a subtopology in one place",
    "even_at_rest": "leaves connectors or tasks uneven when it comes to rest",
    "together_even_at_rest": "leaves connectors and tasks uneven together when it comes to rest",
    "connectors_spread_at_rest": "leaves the tasks of a connector uneven when it comes to rest",
    "distinct_racks": "puts copies into fewer racks than it could",
    "rack_aware_keeps_counts": "has uneven active tasks with a rack strategy, even ones without",
    "busy": "leaves a member with nothing",
    "distinct_tags": "puts standbys where the tags are alike",
    "rack_aware_no_more_reads": "reads more across racks with racks than without any",
    "rack_aware_no_more_traffic": "reads more across racks with the strategy than without",
    "renaming_independent": "answers differently when names change",
    "member_order_independent": "answers differently when members are listed in another order",
    "client_order_independent": "answers differently when clients are listed in another order",
    "topic_order_independent": "answers differently when topics are listed in another order",
    "task_order_independent": "answers differently when tasks are listed in another order",
    "connector_order_independent": "answers differently when connectors are listed in another order",
    "claim_order_independent": "answers differently when what members own is listed in another order",
    "deterministic": "answers differently when asked again",
    "instance_isolated": "answers differently after it was asked about another group",
    "thread_scale_independent": "answers differently when every client has twice as many threads",
    "idle_settings_ignored": "answers differently for a setting that says nothing",
    "redundant": "does not give {one} to two members",
    "co_located": "tears topics apart that have equal numbers of partitions",
    "co_partitioned": "tears joined topics apart",
    "evenly_shared": "shares {one} among too few or too many members",
    "equal": "answers differently from what it is to equal",
    "time": "takes too long",
}
"""Property -> what an assignor does that breaks it, the worst first; every property of every family stands here."""

_WHEN = {
    "vanished_partition": "a topic deleted and made again with fewer partitions",
    "vanished_topic": "a topic deleted",
    "withheld_partition": "a partition that may not be given yet",
    "no_subscription_first": "a first member that reads nothing",
    "no_subscription": "a member that reads nothing",
    "mixed_subscriptions": "members that read different topics",
    "unknown_topic": "a topic that does not exist",
    "repeated_topic": "a topic listed twice",
    "uneven_splits": "several topics that cannot be divided evenly",
    "double_claim": "two members that claim one partition",
    "overruled_claim": "a claim of an older generation",
    "unsubscribed_owner": "a member that owns what it no longer reads",
    "stale_unsubscribed_owner": "an older claim to what is no longer read",
    "uneven_claims": "loads that are uneven before",
    "orphaned_partition": "a partition whose owner has left",
    "newcomer": "one that joins",
    "distant_member": "a member in a rack without replicas",
    "partial_racks": "racks that only some members tell",
    "partition_without_racks": "a partition whose replicas are in no known rack",
    "racks_decide": "racks",
    "copartitioned_topics": "topics of one size with the same readers",
    "static_members": "static members",
    "user_data": "user data that the group states",
    "joined_topics": "topics that are joined",
    "unjoinable": "joined topics that do not fit",
    "other_strategy": "another strategy for the other topics",
    "mixed_threads": "clients with unlike numbers of threads",
    "several_threads": "a process with several members",
    "nearly_even_copies": "copies that divide nearly evenly among the members",
    "more_members_than_tasks": "more members than tasks",
    "mixed_state": "tasks with state beside tasks without",
    "unlogged_state": "a task with state but without a changelog",
    "uneven_tasks": "tasks that cannot be divided evenly",
    "standbys": "standbys",
    "tags": "tags",
    "several_tags": "several tags",
    "missing_tag": "a client without a tag",
    "idle_tag": "a tag of a client that no setting names",
    "odd_costs": "costs that ask for more traffic",
    "overflowing_costs": "costs of racks beyond 32 bits",
    "rack_strategy": "a rack strategy",
    "strategy_with_some_racks": "a rack strategy with racks of replicas known in part",
    "unknown_lag": "a lag that is not known",
    "reported_offsets": "members that report state they do not hold",
    "crowded_candidates": "lost work for workers that have enough",
    "forgotten_deletion": "work deleted that the leader forgot",
}
"""Situation -> when that is, the plainest first; every one that an exception names stands here."""


_LABELS = {
    "vanished_partition": "topic made again",
    "vanished_topic": "topic deleted",
    "withheld_partition": "waiting partition",
    "no_subscription_first": "no topics first",
    "no_subscription": "no topics",
    "mixed_subscriptions": "different topics",
    "repeated_topic": "topic twice",
    "double_claim": "two owners before",
    "overruled_claim": "older claim",
    "unsubscribed_owner": "left topic",
    "stale_unsubscribed_owner": "older claim to left topic",
    "uneven_claims": "uneven before",
    "orphaned_partition": "owner has left",
    "distant_member": "distant member",
    "racks_decide": "racks",
    "partial_racks": "some members' racks",
    "partition_without_racks": "no rack known",
    "copartitioned_topics": "like topics",
    "other_strategy": "two strategies",
    "unjoinable": "unfit join",
    "mixed_threads": "unlike threads",
    "several_threads": "several members",
    "mixed_state": "partly stateful",
    "unlogged_state": "no changelog",
    "strategy_with_some_racks": "some racks",
    "overflowing_costs": "huge costs",
    "crowded_candidates": "full workers",
}
"""Situation -> what it is called in a row of a table, in two words or so; of the others that is their name."""

_WAY_OUT = {
    "vanished_partition": "restart the members that had the topic: who starts anew owns nothing",
    "vanished_topic": "restart the members that had the topic: who starts anew owns nothing",
    "no_subscription_first": "let no member subscribe to nothing",
    "no_subscription": "let no member subscribe to nothing",
    "mixed_subscriptions": "let all members read the same topics",
    "unknown_topic": "create the topic, or do not subscribe to it",
    "repeated_topic": "list each topic once",
    "double_claim": "restart one of the two members",
    "overruled_claim": "restart the member that has missed a rebalance",
    "stale_unsubscribed_owner": "restart the member that has missed a rebalance",
    "unsubscribed_owner": "restart the member whose subscription has changed",
    "racks_decide": "leave client.rack out on all members",
    "partial_racks": "set client.rack on all members, or on none",
    "user_data": "leave the user data out of the group: it is told here, not by a consumer",
    "other_strategy": "take the usual strategy for the other topics",
    "unjoinable": "give joined topics equal numbers of partitions",
    "joined_topics": "do not join topics",
    "rack_strategy": "set rack.aware.assignment.strategy=none",
    "strategy_with_some_racks": "set rack.aware.assignment.strategy=none",
    "standbys": "set num.standby.replicas=0",
    "several_threads": "run one member in each process",
    "withheld_partition": "wait until the partition may be given",
}
"""Situation -> how a user stays out of it."""


def way_out(situation: str) -> str:
    """Say how a user stays out of a situation, or out of several at once by leaving one of them; "" where that is not known."""
    known = [_WAY_OUT[one] for one in situation.split("+") if one in _WAY_OUT]
    return ", or ".join(known)


def does(family: Family, name: str) -> str:
    """Say what an assignor does that breaks a property; of one without words of its own that it does not keep it."""
    found = _DOES.get(name)
    if found is None:
        doc = first_sentence(family.properties[name].__doc__) if name in family.properties else ""
        return f"does not keep this: {doc}" if doc else f"breaks {name}"
    return found.format(
        one="a " + " or ".join(each.removesuffix("s") for each in family.shape.items.split(" and "))
    )


def worst_first(names: Iterable[str]) -> list[str]:
    """Return properties with those first whose breach is worst; what has no words comes last."""
    order = {name: n for n, name in enumerate(_DOES)}
    return sorted(names, key=lambda name: (order.get(name, len(order)), name))


def when(family: Family, situation: str) -> str:
    """Say when an exception holds: in a situation, or in several at once, joined by ``+``."""
    return " and ".join(_one(family, each) for each in situation.split("+"))


def label(situation: str) -> str:
    """Name a situation, or several at once, in so few words that a row of a table has room for them."""
    return " and ".join(_LABELS.get(one, one.replace("_", " ")) for one in situation.split("+"))


def plainest_first(situations: Iterable[str]) -> list[str]:
    """Return situations with those first that are easiest to understand: single ones in the order of the table."""
    order = {name: n for n, name in enumerate(_WHEN)}
    return sorted(
        situations,
        key=lambda each: (each.count("+"), [order.get(one, len(order)) for one in each.split("+")], each),
    )


def _one(family: Family, situation: str) -> str:
    doc = family.situations[situation].__doc__ if situation in family.situations else ""
    return _WHEN.get(situation) or first_sentence(doc) or situation
