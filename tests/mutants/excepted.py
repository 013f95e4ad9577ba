"""Faults planted in situations that exceptions name: each assigns as the reference does, but for one fault in groups of one kind.

The exception excuses a failure that is known there; each of these is another one.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

from mutants.tasks_honest import giving, setting

from kassay.families import family
from kassay.families.assignors import ASSIGNORS
from kassay.model import AssignorError
from kassay.model.workers import Work


class Planted(NamedTuple):
    """A fault planted in a reference: in groups of all these situations, and what it must be seen to break beyond what is known."""

    reference: str
    situations: tuple[str, ...]
    faulty: Callable[[Any, Callable[[Any], Any]], Any]
    breaks: str
    more: Callable[[Any], bool] = lambda _: True

    def assign(self, group: Any) -> Any:
        """Assign as the reference does, but with the fault where it is planted."""
        honest, known = ASSIGNORS[self.reference], family(ASSIGNORS[self.reference].family).situations
        if all(known[name](group) for name in self.situations) and self.more(group):
            return self.faulty(group, honest.assign)
        return honest.assign(group)


# of consumers, brokers and share groups: partitions


def forgets(group, honest):
    """Look at no claims."""
    return honest(replace(group, members=tuple(replace(m, owned=(), user_data=None) for m in group.members)))


def without_racks(group, honest):
    """Look at no racks."""
    members = tuple(replace(member, rack=None) for member in group.members)
    return honest(replace(group, members=members, topics=tuple(replace(t, racks=None) for t in group.topics)))


def raises(words):
    def raising(_group, _honest):
        raise AssignorError(words)

    return raising


def piles_up(group, honest):
    """Give all of a topic to its first subscriber."""
    answer = honest(group)
    given = {name: [] for name in answer}
    for member in answer:
        for partition in answer[member]:
            readers = [each.id for each in group.members if partition.topic in each.topics]
            given[readers[0] if readers else member].append(partition)
    return given


def withholds(group, honest):
    """Give nothing."""
    return dict.fromkeys(honest(group), ())


def loses_the_first(group, honest):
    """Lose the first partition of the first member that has any."""
    answer = {name: list(given) for name, given in honest(group).items()}
    for given in answer.values():
        if given:
            given.pop(0)
            break
    return answer


def doubles_the_first(group, honest):
    """Give the first partition of the first member that has any to the last member, too."""
    answer = {name: list(given) for name, given in honest(group).items()}
    first = next((given[0] for given in answer.values() if given), None)
    if first is not None and first not in answer[group.members[-1].id]:
        answer[group.members[-1].id].append(first)
    return answer


def counts_one_more(group, honest):
    """Give the first member a partition beyond the last one of its first topic."""
    answer = {name: list(given) for name, given in honest(group).items()}
    for topic in group.topics[:1]:
        answer[group.members[0].id].append(
            next(iter(replace(topic, partitions=1)))._replace(partition=topic.partitions)
        )
    return answer


def gives_to_strangers(group, honest):
    """Give the first partition of a member to one that does not subscribe to its topic."""
    answer = {name: list(given) for name, given in honest(group).items()}
    for given in answer.values():
        for partition in given:
            for other in group.members:
                if partition.topic not in other.topics:
                    given.remove(partition)
                    answer[other.id].append(partition)
                    return answer
    return answer


def turns(group, honest):
    """Hand all that members have round with each generation."""
    answer = honest(group)
    if max((member.generation or 0 for member in group.members), default=0) % 2:
        names = [member.id for member in group.members]
        alike = {m.id: frozenset(m.topics) for m in group.members}
        turned = dict(answer)
        for one, other in zip(names[::2], names[1::2], strict=False):
            if alike[one] == alike[other]:
                turned[one], turned[other] = answer[other], answer[one]
        return turned
    return answer


# of Streams: tasks


def ignores_tags(application, honest):
    """Look at no tags."""
    return honest(setting(application, rack_aware_assignment_tags=()))


def forgets_lags(application, honest):
    """Give every active task of a client to the next client."""
    answer = honest(application)
    names = [client.id for client in application.clients]
    turned = dict(zip(names, [*names[1:], names[0]], strict=True))
    return answer._replace(clients={turned[name]: given for name, given in answer.clients.items()})


def reads_from_afar(application, honest):
    """Let clients take each other's place, so that they read from afar what they could read near."""
    if application.settings.rack_aware_assignment_strategy != "min_traffic":
        return honest(application)
    return forgets_lags(application, honest)


def probes_for_ever(application, honest):
    """Ask for another rebalance each time."""
    return honest(application)._replace(probing=True)


def crowds(application, honest):
    """Give all stateless tasks to the first client."""
    answer = honest(application)
    tasks = [task.id for task in application.tasks if not task.stateful]
    first = application.clients[0].id
    return giving(
        answer, "active",
        lambda name, given: [*(t for t in given if t not in tasks), *(tasks if name == first else ())],
    )  # fmt: skip


def warms_up_the_last(application, honest):
    """Grant warm-ups to those tasks that are the last in order."""
    limit = application.settings.max_warmup_replicas
    all_of_them = honest(setting(application, max_warmup_replicas=1_000))
    answer = honest(application)
    warming = _warm_ups(application, all_of_them)
    allowed, had = set(sorted(warming)[-limit:]), set(_warm_ups(application, answer))
    if len(warming) <= limit or len(allowed) != len(had):
        return answer
    return giving(
        answer, "standby",
        lambda name, given: [
            *(task for task in given if (task, name) not in had),
            *(task for task, at in sorted(allowed) if at == name),
        ],
    )  # fmt: skip


def _warm_ups(application, answer):
    """Return the standbys of stateful tasks where none are configured: tasks with clients."""
    if application.settings.num_standby_replicas:
        return []
    return [(task, name) for name, given in answer.clients.items() for task in given.standby]


# of streams groups: members


def all_on_the_first(group, honest):
    """Give all active tasks to the first member."""
    answer = honest(group)
    every = tuple(task for roles in answer.values() for task in roles.active)
    first = next(iter(answer))
    return {name: roles._replace(active=every if name == first else ()) for name, roles in answer.items()}


def starts_over(group, honest):
    """Look at nothing that members have or report, and turn what they are given by how much they hold."""
    fresh = tuple(
        replace(member, active=(), standby=(), warmup=(), offsets={}, end_offsets={})
        for member in group.members
    )
    answer = honest(replace(group, members=fresh))
    names = [member.id for member in group.members]
    by = sum(len(member.active) for member in group.members) and 1
    return {name: answer[names[(at + by) % len(names)]] for at, name in enumerate(names)}


# of Connect: connectors and tasks


def starts_the_unknown(cluster, honest):
    """Give the last worker an unconfigured connector."""
    answer = honest(cluster)
    last = cluster.workers[-1].id
    work = answer.workers[last]
    return answer._replace(workers={**answer.workers, last: Work((*work.connectors, "nobody's"), work.tasks)})


def stops_what_others_run(cluster, honest):
    """Revoke the work of the last worker from the first one."""
    answer = honest(cluster)
    first, last = cluster.workers[0].id, cluster.workers[-1].id
    if first == last or not answer.workers[last].items:
        return answer
    return answer._replace(revoked={**answer.revoked, first: answer.workers[last]})


def _three(group):
    return len(group.members) == 3


PLANTED = {
    "no stickiness at all where racks decide": Planted(
        "consumer/sticky", ("racks_decide",), forgets, "leaver_minimal"
    ),
    "an exception in every mixed group of three with uneven claims": Planted(
        "consumer/sticky",
        ("mixed_subscriptions", "uneven_claims"),
        raises("NullPointerException"),
        "crash_free",
        _three,
    ),
    "everything piled on the first subscriber after a vanished claim": Planted(
        "consumer/sticky", ("vanished_partition",), piles_up, "balanced"
    ),
    "a partition doubled after a vanished claim": Planted(
        "consumer/sticky", ("vanished_partition",), doubles_the_first, "exclusive"
    ),
    "a partition that does not exist given, because of user data": Planted(
        "consumer/sticky", ("user_data",), counts_one_more, "existing"
    ),
    "strangers given partitions where the first subscribes to nothing": Planted(
        "consumer/sticky", ("no_subscription_first",), gives_to_strangers, "subscribed"
    ),
    "no stickiness where subscriptions differ": Planted(
        "consumer/cooperative-sticky", ("mixed_subscriptions",), forgets, "leaver_minimal"
    ),
    "nothing ever given where subscriptions differ": Planted(
        "consumer/cooperative-sticky", ("mixed_subscriptions",), withholds, "two_rounds"
    ),
    "partitions exchanged endlessly if subscriptions differ and racks decide": Planted(
        "consumer/cooperative-sticky", ("mixed_subscriptions", "racks_decide"), turns, "settling"
    ),
    "everything to one where subscriptions differ": Planted(
        "consumer/range", ("mixed_subscriptions",), piles_up, "balanced"
    ),
    "another exception where a topic is unknown": Planted(
        "broker/uniform", ("unknown_topic",), raises("NullPointerException"), "crash_free"
    ),
    "no stickiness in a coordinator where subscriptions differ": Planted(
        "broker/uniform", ("mixed_subscriptions",), forgets, "leaver_minimal"
    ),
    "everything to one in a coordinator where subscriptions differ": Planted(
        "broker/uniform", ("mixed_subscriptions",), piles_up, "balanced"
    ),
    "a partition lost where others are withheld": Planted(
        "share/simple", ("withheld_partition",), loses_the_first, "complete"
    ),
    "strangers given partitions where subscriptions differ and a topic has vanished": Planted(
        "share/simple", ("mixed_subscriptions", "vanished_topic"), gives_to_strangers, "subscribed"
    ),
    "racks ignored everywhere": Planted("consumer/sticky", (), without_racks, "near_before_far"),
    "racks ignored everywhere, cooperatively": Planted(
        "consumer/cooperative-sticky", (), without_racks, "near_before_far"
    ),
    "more moves than even the loads": Planted("consumer/sticky", (), forgets, "moves_bounded"),
    "more moves than even the loads, where owners read something else now": Planted(
        "consumer/sticky", ("mixed_subscriptions", "unsubscribed_owner"), forgets, "moves_bounded"
    ),
    "warm-ups out of priority order": Planted(
        "streams/high-availability", (), warms_up_the_last, "warm_ups_in_order"
    ),
    "tags ignored with several tags": Planted(
        "streams/high-availability", ("several_tags",), ignores_tags, "distinct_tags"
    ),
    "nothing asked of lags where one is unknown": Planted(
        "streams/high-availability", ("unknown_lag",), forgets_lags, "caught_up"
    ),
    "more read across racks with odd costs": Planted(
        "streams/high-availability", ("odd_costs",), reads_from_afar, "rack_aware_no_more_traffic"
    ),
    "loads of threads ignored where threads differ": Planted(
        "streams/high-availability", ("mixed_threads", "uneven_tasks"), crowds, "active_balanced"
    ),
    "endless rebalances with a rack strategy": Planted(
        "streams/legacy-sticky", ("rack_strategy",), probes_for_ever, "settles"
    ),
    "all tasks on one of several threads": Planted(
        "streams-group/sticky", ("several_threads",), all_on_the_first, "active_balanced"
    ),
    "no stickiness of threads": Planted(
        "streams-group/sticky", ("several_threads",), starts_over, "leaver_minimal"
    ),
    "nothing stays with standbys": Planted("streams-group/sticky", ("standbys",), starts_over, "stable"),
    "standbys given anew where copies divide nearly evenly": Planted(
        "streams-group/sticky", ("nearly_even_copies",), starts_over, "leaver_keeps_standbys"
    ),
    "an unconfigured connector after a forgotten deletion": Planted(
        "connect/incremental-cooperative", ("forgotten_deletion",), starts_the_unknown, "existing"
    ),
    "work stopped that others run, where candidates are crowded": Planted(
        "connect/incremental-cooperative", ("crowded_candidates",), stops_what_others_run, "revokes_what_runs"
    ),
}
"""Fault -> the place where it is planted."""
