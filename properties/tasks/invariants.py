"""Invariants of one answer of a task assignor.

>>> from kassay.model.tasks import Application, Client, Given, Task, TaskAssignment, TaskId
>>> from kassay.properties.tasks.invariants import complete
>>> client = "00000000-0000-0000-0000-000000000001"
>>> application = Application((Task(TaskId(0, 3)),), (Client(client, threads=1),))
>>> list(complete(application, TaskAssignment({client: Given((), ())}, probing=False)))
['0_3 is active nowhere']

Each takes an application and an answer, which may be wrong in any way, and yields one sentence per violation. The contract comes
first, then where tasks run, the number of standbys, loads, tags (KIP-708), racks and subtopologies (KIP-925).
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from kassay.model.tasks import Application, Client, Given, TaskAssignment, TaskId
from kassay.properties.runs import LOADS, SPREAD, Violation, format_count, format_items
from kassay.properties.tasks.measures import (
    Values,
    active_on,
    configured_tags,
    evens,
    holdings,
    lag_in_words,
    rack_aware,
    standby_on,
    stateful_tasks,
    tag_counts,
)
from kassay.properties.tasks.rounds import NOTHING, list_caught_up


def complete(application: Application, answer: TaskAssignment) -> Iterator[str]:
    """Every task is active on some client.

    Source: the contract of TaskAssignor (KIP-924); records of a task without a client are not processed.
    """
    active = active_on(holdings(application, answer))
    for task in application.tasks:
        if task.id not in active:
            yield f"{task.id} is active nowhere"


def exclusive(application: Application, answer: TaskAssignment) -> Iterator[str]:
    """No task is active on two clients, or twice on one.

    Source: ACTIVE_TASK_ASSIGNED_MULTIPLE_TIMES of KIP-924; a task that runs twice processes every record twice.
    """
    for task, names in active_on(holdings(application, answer)).items():
        if len(names) > 1:
            yield f"{task} is active on {' and '.join(names)}"
    yield from _twice(application, answer, "active")


def existing(application: Application, answer: TaskAssignment) -> Iterator[str]:
    """Only existing tasks are assigned.

    Source: UNKNOWN_TASK_ID of KIP-924; clients may report tasks that a changed topology no longer has.
    """
    known = {task.id for task in application.tasks}
    for name, given in answer.clients.items():
        for role, tasks in given._asdict().items():
            for task in tasks:
                if task not in known:
                    yield f"{name} is given {task} as {role}, but there is no such task"


def every_client(application: Application, answer: TaskAssignment) -> Iterator[str]:
    """The answer names every client of the application, and no other client.

    Source: MISSING_PROCESS_ID and UNKNOWN_PROCESS_ID of KIP-924.
    """
    ids = {client.id for client in application.clients}
    for client in application.clients:
        if client.id not in answer.clients:
            yield f"{client.id} is a client, but the answer does not name it"
    for name in answer.clients:
        if name not in ids:
            yield f"the answer names {name}, which is no client"


def stateful_standbys(application: Application, answer: TaskAssignment) -> Iterator[str]:
    """Only stateful tasks have standbys.

    Source: INVALID_STANDBY_TASK of KIP-924; a stateless task has nothing that a standby could restore.
    """
    stateless = {task.id for task in application.tasks if not task.stateful}
    for client in application.clients:
        for task in answer.clients.get(client.id, NOTHING).standby:
            if task in stateless:
                yield f"{task} is a standby on {client.id}, but it is stateless"


def one_copy_per_client(application: Application, answer: TaskAssignment) -> Iterator[str]:
    """No client has a task both active and as a standby, or a standby twice.

    Source: ClientState, which refuses a task that the client has already; such a copy survives no failure.
    """
    for name, held in holdings(application, answer).items():
        for task in sorted(held.active & held.standby):
            yield f"{task} is both active and a standby on {name}"
    yield from _twice(application, answer, "standby")


def _twice(application: Application, answer: TaskAssignment, role: str) -> Iterator[str]:
    known = {task.id for task in application.tasks}
    for client in application.clients:
        given: Given = answer.clients.get(client.id, NOTHING)
        for task, times in Counter(getattr(given, role)).items():
            if times > 1 and task in known:
                yield f"{task} is given to {client.id} as {role} {times} times"


def caught_up(application: Application, answer: TaskAssignment) -> Iterator[str]:
    """A stateful task is active on a caught-up client, within acceptable.recovery.lag, if there is one.

    So a task that moves keeps running somewhere until it has warmed up at its new client.
    Source: KIP-441; a task that has to restore first processes nothing meanwhile.
    """
    for task, client in _placed(application, answer):
        near = list_caught_up(application, task)
        if near and client.id not in near:
            acceptable = application.settings.acceptable_recovery_lag
            yield Violation(
                f"{task} is active on {client.id}, which {lag_in_words(client.lags[task])}, though {near[0]} is caught up; "
                f"acceptable.recovery.lag is {acceptable}",
                task,
            )


def least_to_restore(application: Application, answer: TaskAssignment) -> Iterator[str]:
    """A stateful task without a caught-up client is active on the client with the smallest lag; an unknown lag is the largest.

    Source: KIP-441: with no client caught up, the most caught-up one is taken.
    """
    for task, client in _placed(application, answer):
        known = [other for other in application.clients if other.lags[task] >= 0]
        if not known or list_caught_up(application, task):
            continue
        nearest = min(known, key=lambda other: other.lags[task])
        if not 0 <= client.lags[task] <= nearest.lags[task]:
            yield Violation(
                f"{task} is active on {client.id}, which {lag_in_words(client.lags[task])}; "
                f"{nearest.id} {lag_in_words(nearest.lags[task])}",
                task,
            )


def active_stays(application: Application, answer: TaskAssignment) -> Iterator[str]:
    """A task that was active somewhere is active on a client that had it.

    Source: FallbackPriorTaskAssignor, which takes no active task from its client while lags are unknown.
    """
    had: dict[TaskId, list[str]] = {}
    for client in application.clients:
        for task in client.active:
            had.setdefault(task, []).append(client.id)
    for task, names in active_on(holdings(application, answer)).items():
        if task in had and not set(names) & set(had[task]):
            yield f"{task} was active on {' and '.join(had[task])}, and now is on {' and '.join(names)}"


def _placed(application: Application, answer: TaskAssignment) -> Iterator[tuple[TaskId, Client]]:
    """Yield each stateful task with a client on which it is active."""
    clients = {client.id: client for client in application.clients}
    active = active_on(holdings(application, answer))
    for task in stateful_tasks(application):
        for name in active.get(task, ()):
            yield task, clients[name]


def enough_standbys(application: Application, answer: TaskAssignment) -> Iterator[str]:
    """Every stateful task has num.standby.replicas standbys, or one on every other client if these are fewer.

    A standby on the client of the active task does not count.
    Source: num.standby.replicas in the configuration of Kafka Streams.
    """
    asked, clients = application.settings.num_standby_replicas, len(application.clients)
    copies = standby_on(holdings(application, answer))
    for task in stateful_tasks(application):
        found = len(copies.get(task, ()))
        if found < min(asked, clients - 1):
            yield (
                f"{task} has {format_count(found, 'standby')}; num.standby.replicas is {asked}, "
                f"and there are {format_count(clients, 'client')}"
            )


def warm_ups_limited(application: Application, answer: TaskAssignment) -> Iterator[str]:
    """All tasks together have at most max.warmup.replicas standbys beyond num.standby.replicas.

    Source: KIP-441; each warm-up reads its changelog at full speed, which disturbs what runs.
    """
    extra = _beyond(application, answer)
    most = application.settings.max_warmup_replicas
    if sum(extra.values()) > most:
        yield (
            f"{format_items(extra, ' and ')} have {format_count(sum(extra.values()), 'standby')} beyond "
            f"num.standby.replicas {application.settings.num_standby_replicas}; max.warmup.replicas is {most}"
        )


def warm_ups_needed(application: Application, answer: TaskAssignment) -> Iterator[str]:
    """Only a task that is moving has standbys beyond num.standby.replicas: they are not caught up, and a probing rebalance follows.

    A task has no more of them than it has standbys on clients that are not caught up.
    Source: KIP-441; a probing rebalance ends what warm-ups begin.
    """
    copies = standby_on(holdings(application, answer))
    for task, extra in _beyond(application, answer).items():
        restoring = set(copies[task]) - set(list_caught_up(application, task))
        if not answer.probing:
            yield f"{task} has {format_count(extra, 'standby')} beyond num.standby.replicas, but no probing rebalance follows"
        elif len(restoring) < extra:
            yield (
                f"{task} has {format_count(extra, 'standby')} beyond num.standby.replicas, "
                f"but of its standbys' clients {len(restoring)} are not caught up"
            )


def _beyond(application: Application, answer: TaskAssignment) -> dict[TaskId, int]:
    """Return the stateful tasks that have more standbys than configured, and how many more."""
    copies = standby_on(holdings(application, answer))
    extra = {
        task: len(copies.get(task, ())) - application.settings.num_standby_replicas
        for task in stateful_tasks(application)
    }
    return {task: number for task, number in extra.items() if number > 0}


def active_balanced(application: Application, answer: TaskAssignment) -> Iterator[str]:
    """No single move of an active task improves the balance of active tasks per thread.

    Without such a move the sum of the squared counts, each divided by its client's threads, is minimal. Checked only for
    answers without a following probing rebalance: until then tasks run on caught-up clients. Source:
    HighAvailabilityTaskAssignor, which balances the loads of pairs of clients.
    """
    if answer.probing:
        return
    threads = {client.id: client.threads for client in application.clients}
    counts = {name: len(held.active) for name, held in holdings(application, answer).items()}
    for giver, many in counts.items():
        for taker, few in counts.items():
            if many and evens(many, threads[giver], few, threads[taker]):
                yield Violation(
                    f"{giver} has {_load(many, threads[giver], 'active task')}, {taker} {_load(few, threads[taker])}; "
                    "more even: move one",
                    LOADS,
                    Fraction(many, threads[giver]) - Fraction(few, threads[taker]),
                )
                break


def total_balanced(application: Application, answer: TaskAssignment) -> Iterator[str]:
    """No single move of a standby improves the balance of all tasks per thread.

    Moves that lose one of a task's values of rack.aware.assignment.tags do not count. Checked only for answers without a
    following probing rebalance. Source: HighAvailabilityTaskAssignor, which balances the loads again after it has assigned
    standbys.
    """
    if answer.probing:
        return
    values = configured_tags(application)
    threads = {client.id: client.threads for client in application.clients}
    held = holdings(application, answer)
    counts = {name: len(roles.active | roles.standby) for name, roles in held.items()}
    active, standby = active_on(held), standby_on(held)
    for giver, many in counts.items():
        lighter = [taker for taker, few in counts.items() if evens(many, threads[giver], few, threads[taker])]
        moves = (
            (task, taker)
            for task, names in standby.items()
            if giver in names
            for taker in lighter
            if taker not in names and taker not in active.get(task, ())
        )
        for task, taker in moves:
            if not effect([*active.get(task, ()), *standby[task]], giver, taker, values)[0]:
                yield Violation(
                    f"{giver} has {_load(many, threads[giver], 'task')}, {taker} {_load(counts[taker], threads[taker])}; "
                    f"more even: move standby {task}",
                    LOADS,
                    Fraction(many, threads[giver]) - Fraction(counts[taker], threads[taker]),
                )
                break


def _load(tasks: int, threads: int, noun: str = "") -> str:
    plural = f" {noun}{'s' if tasks != 1 else ''}" if noun else ""
    return f"{tasks}{plural} on {threads} thread{'s' if threads != 1 else ''}"


def distinct_tags(application: Application, answer: TaskAssignment) -> Iterator[str]:
    """No single move of a standby gives its task's copies more values of a tag in rack.aware.assignment.tags.

    The move may lose no value of another of these tags. Checked for each task with its active copy and standbys, and only for
    answers without a following probing rebalance. For one tag this is the maximum: as many values as copies, or as clients
    have. Source: KIP-708.
    """
    values = configured_tags(application)
    if application.settings.rack_aware_assignment_tags and not answer.probing:
        yield from _better(application, answer, values)


def distinct_racks(application: Application, answer: TaskAssignment) -> Iterator[str]:
    """No single move of a standby gives its task's copies more racks.

    Checked as for tags, if no tags are set; it is the maximum for one task. Source: KIP-925, 4.D;
    StandbyTaskAssignorFactory, which uses racks as a tag if clients have them.
    """
    values = {client.id: {"rack": client.rack} if client.rack else {} for client in application.clients}
    if not application.settings.rack_aware_assignment_tags and not answer.probing:
        yield from _better(application, answer, values)


def effect(
    holders: Sequence[str], source: str, destination: str, values: Mapping[str, Values]
) -> tuple[bool, str]:
    """Return two effects of a move of a copy: True if a tag loses a value, and the tag that gains a value, or ""."""
    before = tag_counts(holders, values)
    after = tag_counts([destination if name == source else name for name in holders], values)
    gains = [key for key in after if after[key] > before.get(key, 0)]
    return any(after.get(key, 0) < number for key, number in before.items()), gains[0] if gains else ""


def _better(application: Application, answer: TaskAssignment, values: Mapping[str, Values]) -> Iterator[str]:
    held = holdings(application, answer)
    active, standby = active_on(held), standby_on(held)
    alike: dict[tuple[tuple[str, str], ...], list[str]] = {}
    for name, known in values.items():
        alike.setdefault(tuple(sorted(known.items())), []).append(name)
    for task in stateful_tasks(application):
        holders = [*active.get(task, ()), *standby.get(task, ())]
        free = [next((n for n in names if n not in holders), None) for names in alike.values()]
        moves = ((name, taker) for name in standby.get(task, ()) for taker in free if taker is not None)
        for name, taker in moves:
            loses, tag = effect(holders, name, taker, values)
            if tag and not loses:
                number = format_count(tag_counts(holders, values).get(tag, 0), "value")
                yield Violation(
                    f"the copies of {task} have {number} of {tag}; one more: move the standby from {name} to {taker}",
                    SPREAD,
                )
                break


def subtopologies_spread(application: Application, answer: TaskAssignment) -> Iterator[str]:
    """With balance_subtopology no client runs more tasks of a subtopology than its share of all tasks, rounded up.

    A client with C of n active tasks runs at most ceil(C * S / n) tasks of a subtopology with S tasks. Except for S, stateful
    and stateless tasks are counted separately, as Kafka assigns them. Checked if racks are known, for answers without a
    following probing rebalance. Source: KIP-925, 4.B.II.
    """
    strategy = application.settings.rack_aware_assignment_strategy
    if strategy != "balance_subtopology" or answer.probing or not rack_aware(application):
        return
    sizes = Counter(task.id.subtopology for task in application.tasks)
    for stateful, noun in ((True, "stateful"), (False, "stateless")):
        every = {task.id for task in application.tasks if task.stateful is stateful}
        for name, held in holdings(application, answer).items():
            own = sorted(held.active & every)
            for subtopology, number in Counter(task.subtopology for task in own).items():
                size = sizes[subtopology]
                most = -(-len(own) * size // len(every))
                if number > most:
                    yield Violation(
                        f"{name} runs {number} of the {format_count(size, 'task')} of subtopology {subtopology}; "
                        f"with {len(own)} of all {len(every)} {noun} tasks its bound is {most}",
                        LOADS,
                        number - most,
                    )
