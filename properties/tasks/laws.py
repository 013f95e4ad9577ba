"""Laws of several runs of a task assignor: orders, names, settings, threads, racks (KIP-925) and warm-ups (KIP-441).

Each takes an assign function and an application, and yields one sentence per violation; AssignorError passes through.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice
from uuid import UUID

from kassay.model.partitions import INT32_MAX, TopicPartition
from kassay.model.streams_group import MemberTasks
from kassay.model.tasks import Application, Given, Settings, TaskId
from kassay.properties.laws import new_names, slot_of_rank
from kassay.properties.runs import (
    DIFFERENCES,
    MOVES,
    READS,
    REST,
    Run,
    TwoRuns,
    Violation,
    format_count,
    format_items,
)
from kassay.properties.tasks.measures import crossings, holdings, inputs, rack_aware, standby_on
from kassay.properties.tasks.rounds import (
    NOTHING,
    Assign,
    Rebalance,
    apply_answer,
    bound_rounds_for,
    list_caught_up,
    select_tasks,
    settle,
    to_restore,
)


def client_order_independent(assign: Assign, application: Application) -> Iterator[str]:
    """The assignment does not depend on the order of the clients.

    Source: StreamsPartitionAssignor hands the clients over in a hash map.
    """
    turned = replace(application, clients=application.clients[::-1])
    yield from _compared(assign, application, turned, "with the clients in reverse order")


def task_order_independent(assign: Assign, application: Application) -> Iterator[str]:
    """The assignment does not depend on the order of the tasks.

    All tasks are reversed, and those that each client held.
    Source: StreamsPartitionAssignor hands the tasks over in hash sets.
    """
    clients = tuple(
        replace(client, active=client.active[::-1], standby=client.standby[::-1])
        for client in application.clients
    )
    turned = replace(application, tasks=application.tasks[::-1], clients=clients)
    yield from _compared(assign, application, turned, "with the tasks in reverse order")


def renaming_independent(assign: Assign, application: Application) -> Iterator[str]:
    """Renaming clients and topics without changing their order changes nothing.

    Clients are ordered as Java orders their UUIDs. Source: names carry no meaning for an assignor but their order; one that
    hashes them breaks this.
    """
    other, old = renamed(application)
    theirs = assign(other)
    mapped = theirs._replace(clients={old.get(name, name): given for name, given in theirs.clients.items()})
    yield from differences(
        Run("as listed", application, assign(application)),
        Run("under other names of the same order", application, mapped),
    )


def _compared(assign: Assign, application: Application, turned: Application, condition: str) -> Iterator[str]:
    yield from differences(
        Run("as listed", application, assign(application)), Run(condition, turned, assign(turned))
    )


HALF = 64
"""The bits of half a UUID."""


def renamed(application: Application) -> tuple[Application, Mapping[str, str]]:
    """Return the application with new client ids and topic names, and of each new id the old one.

    Java orders UUIDs by their halves as signed numbers. A first half stays negative or not, so that the ids of clients that
    differ there sort alike as text too. In Java's hash maps the new names are in reverse order.
    """
    ordered = sorted(application.clients, key=lambda client: client.order)
    clients = {}
    for rank, client in enumerate(ordered):
        # An id that sorts by its rank, with the sign of the old one, and has the hash that its rank asks for.
        high = rank + (client.order[0] < 0) * (1 << HALF - 1)
        low = high >> 32 & 0xFFFFFFFF ^ rank ^ slot_of_rank(rank)
        clients[client.id] = str(UUID(int=high << HALF | low))
    topic = new_names({topic.name for topic in application.topics}, "s")

    def read(partitions: tuple[TopicPartition, ...]) -> tuple[TopicPartition, ...]:
        return tuple(TopicPartition(topic[name], number) for name, number in partitions)

    other = replace(
        application,
        tasks=tuple(
            replace(task, inputs=read(task.inputs), changelogs=read(task.changelogs))
            for task in application.tasks
        ),
        clients=tuple(replace(client, id=clients[client.id]) for client in application.clients),
        topics=tuple(replace(each, name=topic[each.name]) for each in application.topics),
    )
    return other, {new: old for old, new in clients.items()}


def differences(before: Run, now: Run) -> Iterator[str]:
    """Yield a sentence for each client with different tasks in two runs, and one if only one run needs a probing rebalance.

    The order of a client's tasks makes no difference.
    """
    one, other = before.assignment, now.assignment
    for name in dict.fromkeys((*one.clients, *other.clients)):
        first, second = (said(answer.clients.get(name)) for answer in (one, other))
        if first != second:
            yield TwoRuns(f"{name} is given {first}; {now.title}, {second}", before, now, DIFFERENCES)
    if one.probing is not other.probing:
        words = {True: "a probing rebalance follows", False: "no probing rebalance follows"}
        yield TwoRuns(f"{words[one.probing]}; {now.title}, {words[other.probing]}", before, now, DIFFERENCES)


def said(given: Given | MemberTasks | None) -> str:
    """Return the tasks of a client or a member as text, in ascending order."""
    if given is None:
        return format_items(None)
    parts = (f"{role} {format_items(sorted(tasks), ' ')}" for role, tasks in given._asdict().items() if tasks)
    return format_items(parts)


ANY = 7
"""A value for numbers that must not matter."""


def idle_settings_ignored(assign: Assign, application: Application) -> Iterator[str]:
    """Settings without effect change nothing: costs and racks without a strategy, tags without standbys.

    The same holds without stateful tasks for num.standby.replicas, acceptable.recovery.lag and max.warmup.replicas. Racks are
    the racks of clients and topics. Source: the descriptions of these settings in Kafka and KIP-925.
    """
    before = Run("as set", application, assign(application))
    for condition, other in _others(application):
        yield from differences(before, Run(condition, other, assign(other)))


def _others(application: Application) -> Iterator[tuple[str, Application]]:
    settings = application.settings

    def having(others: Settings) -> Application:
        return replace(application, settings=others)

    if settings.rack_aware_assignment_strategy == "none":
        costs = replace(
            settings, rack_aware_assignment_traffic_cost=ANY, rack_aware_assignment_non_overlap_cost=ANY
        )
        yield "with other costs, without a strategy", having(costs)
        yield (
            "without racks, without a strategy",
            replace(
                application,
                clients=tuple(replace(client, rack=None) for client in application.clients),
                topics=tuple(replace(topic, racks=None) for topic in application.topics),
            ),
        )
    if not settings.num_standby_replicas and settings.rack_aware_assignment_tags:
        yield (
            "without tags, though there are no standbys",
            having(replace(settings, rack_aware_assignment_tags=())),
        )
    if not any(task.stateful for task in application.tasks):
        idle = replace(
            settings, num_standby_replicas=ANY, acceptable_recovery_lag=ANY, max_warmup_replicas=ANY
        )
        yield "with other standbys and warm-ups, though no task is stateful", having(idle)


FACTORS = (2, 3)
"""Halves are exact in binary fractions, thirds are not."""


def thread_scale_independent(assign: Assign, application: Application) -> Iterator[str]:
    """Twice or three times as many threads on every client change nothing.

    Source: HighAvailabilityTaskAssignor compares tasks for each thread, so that only the proportions of clients count.
    """
    before = Run("as listed", application, assign(application))
    for factor in FACTORS:
        if any(client.threads * factor > INT32_MAX for client in application.clients):
            continue
        more = tuple(replace(client, threads=client.threads * factor) for client in application.clients)
        scaled = replace(application, clients=more)
        now = Run(f"with {factor} times the threads", scaled, assign(scaled))
        if sentence := next(differences(before, now), None):
            yield sentence
            return


def rack_aware_no_more_traffic(assign: Assign, application: Application) -> Iterator[str]:
    """With the strategy min_traffic active tasks read no more partitions across racks than without a strategy.

    Checked if racks are known and no probing rebalance follows: warm-ups are assigned by state. With balance_subtopology tasks
    may have to read more. Source: KIP-925, 4.B.I.
    """
    if application.settings.rack_aware_assignment_strategy != "min_traffic":
        return
    for without, rack_wise in _runs(assign, application):
        less, more = (crossings(run.group, run.assignment, "active", inputs) for run in (without, rack_wise))
        if more > less:
            yield TwoRuns(
                f"active tasks read {format_count(more, 'partition')} across racks; without a strategy {less}",
                without,
                rack_wise,
                READS,
                more - less,
            )


def rack_aware_keeps_counts(assign: Assign, application: Application) -> Iterator[str]:
    """With a strategy every client has as many active tasks as without one.

    Checked if racks are known and no probing rebalance follows. Source: KIP-925, 4.B.I and 4.B.II: tasks change places, and
    loads stay as balanced as they are.
    """
    for without, rack_wise in _runs(assign, application):
        before, now = (
            {name: len(held.active) for name, held in holdings(run.group, run.assignment).items()}
            for run in (without, rack_wise)
        )
        for name, number in now.items():
            if number != before[name]:
                yield TwoRuns(
                    f"{name} has {format_count(number, 'active task')}; without a strategy {before[name]}",
                    without,
                    rack_wise,
                )


def _runs(assign: Assign, application: Application) -> Iterator[tuple[Run, Run]]:
    if not rack_aware(application):
        return
    plain = replace(
        application, settings=replace(application.settings, rack_aware_assignment_strategy="none")
    )
    runs = Run("without a strategy", plain, assign(plain)), Run("with it", application, assign(application))
    if not any(run.assignment.probing for run in runs):
        yield runs


def warm_ups_in_order(assign: Assign, application: Application) -> Iterator[str]:
    """If max.warmup.replicas makes tasks wait for their warm-up, tasks with fewer caught-up clients go first.

    Of tasks with equal numbers the first in order goes first. Found by comparison with the warm-ups without a limit, if there
    are no standbys. Source: TaskMovement, which takes the tasks in this order.
    """
    settings = application.settings
    if settings.num_standby_replicas or len(application.tasks) <= settings.max_warmup_replicas:
        return
    free = replace(application, settings=replace(settings, max_warmup_replicas=len(application.tasks)))
    answer, wish = assign(application), assign(free)
    warm, wanted = (
        {task for task, names in standby_on(holdings(application, each)).items() if names}
        for each in (answer, wish)
    )
    if not warm or not warm < wanted:
        return

    def order(task: TaskId) -> tuple[int, TaskId]:
        return len(list_caught_up(application, task)), task

    last, first = max(warm, key=order), min(wanted - warm, key=order)
    if order(first) < order(last):
        near = (order(task)[0] for task in (last, first))
        yield TwoRuns(
            f"{last} warms up, with {next(near)} clients caught up; {first} waits, with {next(near)}",
            Run("all may warm up", free, wish),
            Run(f"{settings.max_warmup_replicas} may", application, answer),
            last,
        )


def settles(assign: Assign, application: Application) -> Iterator[str]:
    """Its answers, fed back, reach one that repeats, needs no probing rebalance and has no warm-up left.

    All copies catch up between two rebalances. Source: KIP-441, whose probing rebalances end when the application is stable.
    """
    settled = settle(assign, application)
    if settled.rounds is None:
        endless = f"it never converges: every {format_count(settled.period or 0, 'rebalance')} the same answers come again"
        changing = f"it does not converge within {format_count(len(settled.rebalances), 'rebalance')}"
        before, now = settled.rebalances[-2:]
        yield _with_runs(before, now, Violation(changing if settled.period is None else endless, REST))
        return
    stateful = dict.fromkeys(task.id for task in application.tasks if task.stateful)
    given = {
        client.id: select_tasks(settled.answer, client, stateful).standby for client in application.clients
    }
    for task in stateful:
        standbys = [name for name, tasks in given.items() if task in tasks]
        if len(standbys) > application.settings.num_standby_replicas:
            yield f"when it has converged, {task} still warms up on one of {format_items(standbys)}"


def settles_in_time(assign: Assign, application: Application) -> Iterator[str]:
    """It converges within one rebalance for every max.warmup.replicas copies to restore, and one more.

    Copies to restore are the copies of the last answer whose clients are not caught up at first. Source: KIP-441; `rounds_for`
    proves the number.
    """
    settled = settle(assign, application)
    cold = to_restore(application, settled.answer)
    most = bound_rounds_for(application, settled.answer)
    if settled.rounds is not None and settled.rounds > most:
        slots = application.settings.max_warmup_replicas
        before, now = settled.rebalances[-3:-1]
        yield _with_runs(
            before,
            now,
            f"it converges after {format_count(settled.rounds, 'rebalance')}, not after {most} at most, with copies to restore: {cold}, "
            f"max.warmup.replicas: {slots}",
        )


def probing_ends(assign: Assign, application: Application) -> Iterator[str]:
    """It needs no probing rebalance once every task is assigned to caught-up clients.

    Source: KIP-441, whose probing rebalances ask whether warm-ups have caught up; then none can change anything.
    """
    for rebalance in settle(assign, application).rebalances:
        if rebalance.answer.probing and not to_restore(*rebalance):
            again = apply_answer(*rebalance)
            yield _with_runs(
                rebalance,
                Rebalance(again, assign(again)),
                "it asks for a probing rebalance, though all clients are caught up on what they are given",
            )
            return


def stable(assign: Assign, application: Application) -> Iterator[str]:
    """An answer that needs no probing rebalance repeats if it is fed back with all copies caught up.

    Source: KIP-441; each needless move costs a restored state store, or a warm-up.
    """
    first = Rebalance(application, assign(application))
    if first.answer.probing:
        return
    again = apply_answer(*first)
    following = Rebalance(again, assign(again))
    yield from islice(differences(Run("is given", *first), Run("fed back", *following)), 1)


def keeps_running(assign: Assign, application: Application) -> Iterator[str]:
    """Until it converges, no task becomes active on a client that is not caught up while another client is.

    So a task keeps running on its caught-up client until its warm-up is caught up, too. Source: KIP-441, whose aim this is.
    """
    rebalances = settle(assign, application).rebalances
    found = [
        (
            number,
            f"{task.id} becomes active on {client.id}, whose lag is {client.lags[task.id]}, though {near[0]} is caught up",
        )
        for number, (joined, answer) in enumerate(rebalances)
        for task in joined.tasks
        if task.stateful and (near := list_caught_up(joined, task.id))
        for client in joined.clients
        if task.id in answer.clients.get(client.id, NOTHING).active and client.id not in near
    ]
    for number, sentence in found[:1]:
        said = Violation(sentence, MOVES, len(found))
        yield _with_runs(rebalances[number - 1], rebalances[number], said) if number else said


def _with_runs(before: Rebalance, now: Rebalance, sentence: str) -> TwoRuns:
    said = Violation(sentence) if not isinstance(sentence, Violation) else sentence
    return TwoRuns(said, Run("is given", *before), Run("then", *now), said.of, said.amount)
