"""The words for promises and situations: one record for each, for lists, checks, reports, documents and advice.

The title of a promise or situation is the first sentence of its function's docstring.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from kassay.families.family import Family
from kassay.sentences import read_first_sentence

ENDLESS, CRASHING, DOUBLING, LOSSY = "endless", "crashing", "doubling", "lossy"
SEVERITIES = {
    ENDLESS: "may never converge",
    CRASHING: "may fail or never answer",
    DOUBLING: "may assign the same twice",
    LOSSY: "may leave something without an owner that reads or runs it",
}
"""Severity of a broken promise -> the possible behaviour of an assignor that breaks it; the most severe first."""


@dataclass(frozen=True, slots=True)
class Promise:
    """The words for a promise."""

    breaks: str
    """The predicate of a sentence whose subject is an assignor that breaks it; ``{one}`` stands for the assigned item."""
    severity: str = ""
    """One of SEVERITIES, or "" if a breach is not severe."""
    seen: str = ""
    """The sentence on a group whose current assignment breaks it."""


@dataclass(frozen=True, slots=True)
class Situation:
    """The words for a situation that exceptions name."""

    when: str
    """The situation as a noun phrase."""
    label: str = ""
    """A name of about two words, for rows of tables; by default the name of the function."""
    way_out: str = ""
    """The instruction that avoids it, "" if it is not known."""


PROMISES: Mapping[str, Promise] = {
    "exclusive": Promise("gives {one} twice", DOUBLING, "two members own the same partition"),
    "complete": Promise("leaves {one} without an owner", LOSSY),
    "distinct": Promise("gives {one} twice to one member", DOUBLING),
    "one_copy_per_client": Promise("gives a task twice to one client", DOUBLING),
    "one_copy_per_process": Promise("gives a task twice to one process", DOUBLING),
    "revoked_first": Promise("gives away what its owner has not stopped yet", DOUBLING),
    "existing": Promise(
        "gives {one} that does not exist", seen="a member owns a partition that does not exist"
    ),
    "crash_free": Promise("throws an exception", CRASHING),
    "subscribed": Promise(
        "gives {one} to a member that does not read it",
        LOSSY,
        "a member owns a partition of a topic that it does not subscribe to",
    ),
    "cooperative": Promise("gives {one} away before its owner has handed it over", DOUBLING),
    "newest_generation_wins": Promise("lets an older claim win over a newer one"),
    "every_member": Promise("leaves a member out of its answer"),
    "every_client": Promise("leaves a client out of its answer"),
    "every_worker": Promise("leaves a worker out of its answer"),
    "kept_or_revoked": Promise("neither leaves a worker what it runs nor tells it to stop that"),
    "settling": Promise("never converges", ENDLESS),
    "settles": Promise("never converges", ENDLESS),
    "reconciles": Promise("never converges", ENDLESS),
    "probing_ends": Promise("asks for rebalances without end", ENDLESS),
    "all_run_at_rest": Promise("leaves {one} without an owner for good, or runs something twice", LOSSY),
    "given_out_after_delay": Promise("leaves lost work without an owner after the delay", LOSSY),
    "delay_limited": Promise("delays longer than is set"),
    "delay_honoured": Promise("assigns lost work before the delay is over"),
    "nothing_revoked_while_waiting": Promise("stops running work while lost work waits"),
    "revokes_what_runs": Promise("stops what does not run"),
    "keeps_running": Promise("starts a task where its state is missing, though another client has it"),
    "caught_up": Promise("runs a task where its state is missing, though another client has it"),
    "active_stays": Promise("takes an active task from every member that had it"),
    "enough_standbys": Promise("gives a task fewer standbys than are set"),
    "standbys_limited": Promise("gives a task more standbys than are set"),
    "stateful_standbys": Promise("gives a standby to a task without state"),
    "no_warm_ups": Promise("gives warm-ups, which are the coordinator's to give"),
    "warm_ups_limited": Promise("gives more warm-ups than are set"),
    "warm_ups_needed": Promise("warms up what is not moving"),
    "warm_ups_in_order": Promise("warms tasks up in the wrong order"),
    "restart_keeps_state": Promise(
        "gives a task to a client that has to restore it after all have restarted"
    ),
    "least_to_restore": Promise("restores more than needed"),
    "stable": Promise("moves something though nothing has changed"),
    "stable_in_any_order": Promise("moves something though only the order of members has changed"),
    "revoked_once": Promise("takes something from two workers, one after the other"),
    "settles_in_time": Promise("needs more rebalances than it has to restore"),
    "two_rounds": Promise("needs more than two rebalances"),
    "static_identity": Promise("takes something from a static member that restarts"),
    "returning_gets_back": Promise("does not give a worker back what it ran"),
    "replaced_minimal": Promise("moves more than needed when a member takes another's place"),
    "leaver_minimal": Promise("moves more than needed when one leaves"),
    "leaver_keeps_standbys": Promise("moves standbys that need not move when one leaves"),
    "joiner_minimal": Promise("moves more than needed when one joins"),
    "moves_optimal": Promise("moves more than needed"),
    "moves_bounded": Promise("moves more than the better balance is worth"),
    "near_before_far": Promise("lets members read from afar what they could read near"),
    "balanced": Promise("does not make loads as even as they can be"),
    "locally_balanced": Promise("leaves loads uneven that one move would even"),
    "active_balanced": Promise("leaves active tasks uneven that one move would even"),
    "total_balanced": Promise("leaves tasks uneven that one move of a standby would even"),
    "topic_balanced": Promise("shares a topic unevenly"),
    "joined_evenly": Promise("shares topics unevenly when a second member joins"),
    "subtopologies_spread": Promise("runs too much of a subtopology in one place"),
    "even_at_rest": Promise("leaves connectors or tasks uneven when it converges"),
    "together_even_at_rest": Promise("leaves connectors and tasks uneven together when it converges"),
    "connectors_spread_at_rest": Promise("leaves the tasks of a connector uneven when it converges"),
    "distinct_racks": Promise("puts copies into fewer racks than it could"),
    "rack_aware_keeps_counts": Promise("has uneven active tasks with a rack strategy, even ones without"),
    "busy": Promise("leaves a member with nothing"),
    "distinct_tags": Promise("puts standbys where the tags are alike"),
    "rack_aware_no_more_reads": Promise("reads more across racks with racks than without any"),
    "rack_aware_no_more_traffic": Promise("reads more across racks with the strategy than without"),
    "renaming_independent": Promise("answers differently when names change"),
    "member_order_independent": Promise("answers differently when members are listed in another order"),
    "client_order_independent": Promise("answers differently when clients are listed in another order"),
    "topic_order_independent": Promise("answers differently when topics are listed in another order"),
    "task_order_independent": Promise("answers differently when tasks are listed in another order"),
    "connector_order_independent": Promise("answers differently when connectors are listed in another order"),
    "claim_order_independent": Promise(
        "answers differently when what members own is listed in another order"
    ),
    "deterministic": Promise("answers differently when asked again"),
    "instance_isolated": Promise("answers differently after it was asked about another group"),
    "thread_scale_independent": Promise("answers differently when every client has twice as many threads"),
    "idle_settings_ignored": Promise("answers differently for a setting that says nothing"),
    "redundant": Promise("does not give {one} to two members"),
    "co_located": Promise("tears topics apart that have equal numbers of partitions"),
    "co_partitioned": Promise("tears joined topics apart"),
    "evenly_shared": Promise("shares {one} among too few or too many members"),
    "equal": Promise("answers differently from the target that it should equal"),
    "time": Promise("takes too long"),
}
"""Every promise of every family; the promise with the worst breach is first."""

SITUATIONS: Mapping[str, Situation] = {
    "vanished_partition": Situation(
        "a topic deleted and created again with fewer partitions",
        "topic created again",
        "restart the members that had the topic: a new member owns nothing",
    ),
    "vanished_topic": Situation(
        "a topic deleted",
        "topic deleted",
        "restart the members that had the topic: a new member owns nothing",
    ),
    "withheld_partition": Situation(
        "a partition that may not be given yet", "waiting partition", "wait until the partition may be given"
    ),
    "no_subscription_first": Situation(
        "a first member that reads nothing", "no topics first", "let no member subscribe to nothing"
    ),
    "no_subscription": Situation(
        "a member that reads nothing", "no topics", "let no member subscribe to nothing"
    ),
    "mixed_subscriptions": Situation(
        "members that read different topics", "different topics", "let all members read the same topics"
    ),
    "unknown_topic": Situation(
        "a topic that does not exist", way_out="create the topic, or do not subscribe to it"
    ),
    "repeated_topic": Situation("a topic listed twice", "topic twice", "list each topic once"),
    "uneven_splits": Situation("several topics that cannot be divided evenly"),
    "double_claim": Situation(
        "two members that claim one partition", "two owners before", "restart one of the two members"
    ),
    "overruled_claim": Situation(
        "a claim of an older generation", "older claim", "restart the member that has missed a rebalance"
    ),
    "unsubscribed_owner": Situation(
        "a member that owns what it no longer reads",
        "left topic",
        "restart the member whose subscription has changed",
    ),
    "stale_unsubscribed_owner": Situation(
        "an older claim to what is no longer read",
        "older claim to left topic",
        "restart the member that has missed a rebalance",
    ),
    "uneven_claims": Situation("loads that are uneven before", "uneven before"),
    "orphaned_partition": Situation("a partition whose owner has left", "owner has left"),
    "newcomer": Situation("a new member"),
    "distant_member": Situation("a member in a rack without replicas", "distant member"),
    "partial_racks": Situation(
        "racks that only some members state",
        "some members' racks",
        "set client.rack on all members, or on none",
    ),
    "partition_without_racks": Situation("a partition whose replicas are in no known rack", "no rack known"),
    "racks_decide": Situation("racks", "racks", "leave client.rack out on all members"),
    "copartitioned_topics": Situation("topics of one size with the same readers", "like topics"),
    "static_members": Situation("static members"),
    "user_data": Situation(
        "user data that the group states",
        way_out="leave the user data out of the group: no consumer has sent it",
    ),
    "joined_topics": Situation("topics that are joined", way_out="do not join topics"),
    "unjoinable": Situation(
        "joined topics that do not fit", "unfit join", "give joined topics equal numbers of partitions"
    ),
    "other_strategy": Situation(
        "another strategy for the other topics",
        "two strategies",
        "take the usual strategy for the other topics",
    ),
    "mixed_threads": Situation("clients with different numbers of threads", "different threads"),
    "several_threads": Situation(
        "a process with several members", "several members", "run one member in each process"
    ),
    "nearly_even_copies": Situation("copies that divide nearly evenly among the members"),
    "more_members_than_tasks": Situation("more members than tasks"),
    "mixed_state": Situation("stateful and stateless tasks", "partly stateful"),
    "unlogged_state": Situation("a task with state but without a changelog", "no changelog"),
    "uneven_tasks": Situation("tasks that cannot be divided evenly"),
    "standbys": Situation("standbys", way_out="set num.standby.replicas=0"),
    "tags": Situation("tags"),
    "several_tags": Situation("several tags"),
    "missing_tag": Situation("a client without a tag"),
    "idle_tag": Situation("a tag of a client that no setting names"),
    "odd_costs": Situation("costs that ask for more traffic"),
    "overflowing_costs": Situation("costs of racks beyond 32 bits", "huge costs"),
    "rack_strategy": Situation("a rack strategy", way_out="set rack.aware.assignment.strategy=none"),
    "strategy_with_some_racks": Situation(
        "a rack strategy with racks of replicas known in part",
        "some racks",
        "set rack.aware.assignment.strategy=none",
    ),
    "unknown_lag": Situation("an unknown lag"),
    "reported_offsets": Situation("members that report state they do not hold"),
    "crowded_candidates": Situation("lost work for workers that have enough", "full workers"),
    "forgotten_deletion": Situation("work deleted that the leader forgot"),
}
"""Every situation that an exception names; the easiest to understand is first."""


def does(family: Family, name: str) -> str:
    """Return the predicate for an assignor that breaks a property; without a record, it refers to the title of the property."""
    known = PROMISES.get(name)
    if known is None:
        doc = read_first_sentence(family.properties[name].__doc__) if name in family.properties else ""
        return f"does not keep this: {doc}" if doc else f"breaks {name}"
    items = (each.removesuffix("s") for each in family.shape.items.split(" and "))
    return known.breaks.format(one=f"a {' or '.join(items)}")


def worst_first(names: Iterable[str]) -> list[str]:
    """Return properties sorted by the severity of a breach; properties without a record are last."""
    order = {name: n for n, name in enumerate(PROMISES)}
    return sorted(names, key=lambda name: (order.get(name, len(order)), name))


def severity(promise: str) -> str:
    """Return the severity of a broken promise: one of SEVERITIES, or "" if it is not severe."""
    return PROMISES[promise].severity if promise in PROMISES else ""


def gravest(promises: Collection[str]) -> list[str]:
    """Return the promises with a severe breach, the most severe first, then by name."""
    order = list(SEVERITIES)
    return sorted(filter(severity, promises), key=lambda name: (order.index(severity(name)), name))


def when(family: Family, situation: str) -> str:
    """Return the condition of an exception as a noun phrase: a situation, or several at once, joined by ``+``."""

    def one(name: str) -> str:
        if name in SITUATIONS:
            return SITUATIONS[name].when
        doc = family.situations[name].__doc__ if name in family.situations else ""
        return read_first_sentence(doc) or name

    return " and ".join(map(one, situation.split("+")))


def label(situation: str) -> str:
    """Return a short name of a situation, or of several at once, for a row of a table."""
    named = ((name, SITUATIONS.get(name)) for name in situation.split("+"))
    return " and ".join((known and known.label) or name.replace("_", " ") for name, known in named)


def way_out(situation: str) -> str:
    """Return the instruction that avoids a situation, or one of several at once; "" if it is not known."""
    known = (SITUATIONS.get(name) for name in situation.split("+"))
    return ", or ".join(one.way_out for one in known if one and one.way_out)


def plainest_first(situations: Iterable[str]) -> list[str]:
    """Return situations sorted: single ones first, in the order of the table."""
    order = {name: n for n, name in enumerate(SITUATIONS)}
    return sorted(
        situations,
        key=lambda each: (each.count("+"), [order.get(one, len(order)) for one in each.split("+")], each),
    )
