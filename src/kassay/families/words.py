"""Known defects in the words of somebody who uses Kafka: what an assignor does, and when."""

from collections.abc import Iterable

from kassay.docstring import first_sentence
from kassay.family import Family

_DOES = {
    "exclusive": "gives {one} twice",
    "complete": "leaves {one} with nobody",
    "existing": "gives {one} that does not exist",
    "crash_free": "throws an exception",
    "subscribed": "gives {one} to who does not read it",
    "cooperative": "gives {one} away before its owner has handed it over",
    "newest_generation_wins": "lets an older claim win over a newer one",
    "every_member": "leaves a member out of its answer",
    "settling": "never comes to rest",
    "settles": "never comes to rest",
    "reconciles": "never comes to rest",
    "all_run_at_rest": "leaves {one} with nobody for good, or has something run twice",
    "given_out_after_delay": "leaves what is lost with nobody when its time is over",
    "revokes_what_runs": "stops what does not run",
    "keeps_running": "starts a task where its state is missing, though another client has it",
    "caught_up": "runs a task where its state is missing, though another client has it",
    "restart_keeps_state": "gives a task to who has to restore it after all have restarted",
    "least_to_restore": "restores more than needed",
    "stable": "moves something though nothing has changed",
    "stable_in_any_order": "moves something though only the order of members has changed",
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
    "busy": "leaves a member with nothing",
    "distinct_tags": "puts standbys where the tags are alike",
    "rack_aware_no_more_reads": "reads more across racks with racks than without any",
    "rack_aware_no_more_traffic": "reads more across racks with the strategy than without",
    "renaming_independent": "answers differently when names change",
    "member_order_independent": "answers differently when members are listed in another order",
}
"""Property -> what an assignor does that breaks it, the worst first; every promise that has exceptions stands here."""

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
    "racks_decide": "racks",
    "user_data": "user data that the group states",
    "joined_topics": "topics that are joined",
    "unjoinable": "joined topics that do not fit",
    "other_strategy": "another strategy for the other topics",
    "mixed_threads": "clients with unlike numbers of threads",
    "several_threads": "a process with several members",
    "even_copies": "copies that divide evenly among the members",
    "more_members_than_tasks": "more members than tasks",
    "mixed_state": "tasks with state beside tasks without",
    "uneven_tasks": "tasks that cannot be divided evenly",
    "standbys": "standbys",
    "tags": "tags",
    "several_tags": "several tags",
    "missing_tag": "a client without a tag",
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
