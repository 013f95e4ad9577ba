"""Rebalances: the application after an answer, the lags of its clients, and the rebalances until it converges (KIP-441)."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from kassay.model.partitions import INT64_MAX
from kassay.model.tasks import RUNNING, UNKNOWN, Application, Client, Given, Settings, TaskAssignment, TaskId

LOG = 100_000
"""The records in the changelogs of a task without a known lag: ten times Kafka's acceptable.recovery.lag."""


def is_caught_up(settings: Settings, lag: int) -> bool:
    """Return True if a client with this lag may take the task over at once (KIP-441).

    An unknown lag is caught up only if acceptable.recovery.lag is the greatest number there is, as in Kafka's
    HighAvailabilityTaskAssignor.
    """
    acceptable = settings.acceptable_recovery_lag
    return lag == RUNNING or acceptable == INT64_MAX or 0 <= lag <= acceptable


def list_caught_up(application: Application, task: TaskId) -> list[str]:
    """Return the clients that are caught up on a stateful task, as listed."""
    return [
        client.id for client in application.clients if is_caught_up(application.settings, client.lags[task])
    ]


def log(application: Application, task: TaskId) -> int:
    """Return the number of records to restore for a client without state of a task.

    The input does not tell. It is the greatest lag of a client, because a client that never had the task lags by its whole log;
    LOG if no client lags.
    """
    greatest = max((client.lags.get(task, 0) for client in application.clients), default=0)
    return greatest if greatest > 0 else LOG


def count_left(lag: int, log: int, restored: int | None) -> int:
    """Return the records left to restore after `restored` records have been read, None: all."""
    if restored is None or lag == RUNNING:
        return 0
    return max(0, (log if lag == UNKNOWN else lag) - restored)


ROUNDS = 10_000
"""The maximum number of simulated rebalances."""

Assign = Callable[[Application], TaskAssignment]
NOTHING = Given((), ())


def apply_answer(
    application: Application, answer: TaskAssignment, *, restored: int | None = None, written: int = 0
) -> Application:
    """Return the application as it joins the next rebalance.

    Each client has read `restored` records of every changelog that it restores, None: all of them. Then running tasks have
    written `written` more. An active task runs once it has restored everything; until then it reports its lag, as a standby
    does, and writes nothing. Older state on disk stays and falls behind. Kafka deletes it some time after
    state.cleanup.delay.ms (10 minutes, as is probing.rebalance.interval.ms); see the event CleanUp. Wrong assignments are lost:
    unknown clients or tasks, a standby on the client of its active task.
    """
    logs = {task.id: log(application, task.id) for task in application.tasks}
    given = {client.id: select_tasks(answer, client, logs) for client in application.clients}

    def behind(client: Client, task: TaskId) -> int:
        return count_left(client.lags.get(task, RUNNING), logs[task], restored)

    running = {
        task for client in application.clients for task in given[client.id].active if not behind(client, task)
    }

    def joining(client: Client) -> Client:
        active, standby = (frozenset(tasks) for tasks in given[client.id])

        def lag(task: TaskId, before: int) -> int:
            more = written if task in running else 0
            if task in active:
                return behind(client, task) or RUNNING
            if task in standby:
                return min(behind(client, task) + more, INT64_MAX)
            return UNKNOWN if before == UNKNOWN else min(max(before, 0) + more, INT64_MAX)

        return replace(
            client,
            active=given[client.id].active,
            standby=given[client.id].standby,
            lags={task: lag(task, before) for task, before in client.lags.items()},
            consumers=_update_reports(client.consumers, given[client.id]),
        )

    return replace(application, clients=tuple(map(joining, application.clients)))


def select_tasks(answer: TaskAssignment, client: Client, known: Collection[TaskId]) -> Given:
    """Return the known tasks that an answer assigns to a client: each once, and in one role."""
    given = answer.clients.get(client.id, NOTHING)
    active = dict.fromkeys(task for task in given.active if task in known)
    standby = dict.fromkeys(task for task in given.standby if task in known and task not in active)
    return Given(tuple(active), tuple(standby))


def _update_reports(
    consumers: Mapping[str, Mapping[TaskId, int]], given: Given
) -> dict[str, Mapping[TaskId, int]]:
    """Return the reports of each consumer for the tasks that its client still has."""

    def offsets(task: TaskId, before: int) -> int:
        return RUNNING if task in given.active else UNKNOWN if before == RUNNING else before

    still = {*given.active, *given.standby}
    return {
        consumer: {task: offsets(task, sums) for task, sums in reported.items() if task in still}
        for consumer, reported in consumers.items()
    }


def build_follow_up(application: Application, answer: TaskAssignment) -> Application | None:
    """Return the application of the probing rebalance that an answer needs; None if it needs none."""
    return apply_answer(application, answer) if answer.probing else None


def is_same(one: TaskAssignment, other: TaskAssignment) -> bool:
    """Return True if two answers are equal but for the order of tasks."""
    return one == other or (one.probing == other.probing and _sort_tasks(one) == _sort_tasks(other))


def _sort_tasks(answer: TaskAssignment) -> dict[str, list[list[TaskId]]]:
    return {name: [sorted(tasks) for tasks in given] for name, given in answer.clients.items()}


PATIENCE = 8
"""How many rebalances an assignor may need beyond `most_rounds` before it is assumed never to converge."""


def bound_rounds(application: Application, restored: int | None = None) -> int:
    """Return the number of rebalances after which an application has converged, on any clients.

    A stateful task has at most as many copies as clients, all of them where most has to be restored.
    """
    copies = 1 + application.settings.num_standby_replicas
    reads = (
        sorted(
            (_count_intervals(application, client, task.id, restored) for client in application.clients),
            reverse=True,
        )[:copies]
        for task in application.tasks
        if task.stateful
    )
    return _sum_rounds(application, [read for of_task in reads for read in of_task])


def bound_rebalances(application: Application, restored: int | None = None) -> int:
    """Return the number of rebalances after which an assignor is assumed never to converge.

    It is PATIENCE more than needed, and at most ROUNDS.
    """
    return min(bound_rounds(application, restored) + PATIENCE, ROUNDS)


def bound_rounds_for(application: Application, answer: TaskAssignment, restored: int | None = None) -> int:
    """Return the number of rebalances after which an application has converged to an answer.

    `restored` records are restored between two rebalances, None: all. The proof is for an assignor that wants the same clients
    for a task in every rebalance, as HighAvailabilityTaskAssignor does, which ignores lags for that. A wanted copy is cold
    until its client is caught up. A client keeps and restores a cold copy until the next rebalance if it gets one of
    max.warmup.replicas warm-ups. If some get none, all warm-ups are in use. A copy that is caught up stays active or a standby.
    Let the last copy to be caught up need m intervals between rebalances, and all copies together n. While it waits,
    max.warmup.replicas intervals of others pass at a time. So it waits at most (n - m) / max.warmup.replicas rebalances, and
    restores for m. The next answer is the first that stays.
    """
    return _sum_rounds(
        application,
        [
            _count_intervals(application, client, task, restored)
            for client, task in _list_copies(application, answer)
        ],
    )


def _sum_rounds(application: Application, reads: Sequence[int]) -> int:
    longest = max(reads, default=0)
    return (sum(reads) - longest) // application.settings.max_warmup_replicas + longest + 1


def _count_intervals(application: Application, client: Client, task: TaskId, restored: int | None) -> int:
    """Return the number of intervals between rebalances until a client is caught up on a task; 0 if it is now."""
    lag, settings = client.lags[task], application.settings
    if is_caught_up(settings, lag):
        return 0
    if restored is None:
        return 1
    behind = log(application, task) if lag == UNKNOWN else lag
    return max(1, -(-(behind - settings.acceptable_recovery_lag) // restored))


def to_restore(application: Application, answer: TaskAssignment) -> int:
    """Count the copies of stateful tasks that an answer assigns to clients that are not caught up on them."""
    return sum(
        not is_caught_up(application.settings, client.lags[task])
        for client, task in _list_copies(application, answer)
    )


def _list_copies(application: Application, answer: TaskAssignment) -> list[tuple[Client, TaskId]]:
    """Return the pairs of a client and one of its stateful tasks."""
    stateful = {task.id for task in application.tasks if task.stateful}
    given = ((client, select_tasks(answer, client, stateful)) for client in application.clients)
    return [(client, task) for client, roles in given for tasks in roles for task in tasks]


class Rebalance(NamedTuple):
    """An application, and the answer to it."""

    application: Application
    answer: TaskAssignment


@dataclass(frozen=True, slots=True)
class Settled:
    """The rebalances until an application converged.

    `rounds` counts the answers up to the first one that needs no probing rebalance and repeats, which is the last. It is None
    if none does within the limit of `settle`. Then `period` is the number of rebalances after which the last application and
    answer came back, which makes an endless cycle; it is None if they were new.
    """

    rebalances: Sequence[Rebalance]
    rounds: int | None
    period: int | None = None

    @property
    def application(self) -> Application:
        """The application as it joined last."""
        return self.rebalances[-1].application

    @property
    def answer(self) -> TaskAssignment:
        """The last answer."""
        return self.rebalances[-1].answer


def settle(assign: Assign, application: Application, restored: int | None = None) -> Settled:
    """Feed back an assignor's answers until one repeats and needs no probing rebalance.

    Between two rebalances a client reads `restored` records, at least one, of each changelog that it restores; None: all. The
    number of further rebalances is limited by `bound_rebalances`.
    """
    rebalances = [Rebalance(application, assign(application))]
    for number in range(1, bound_rebalances(application, restored) + 1):
        before = rebalances[-1]
        following = apply_answer(*before, restored=restored)
        rebalances.append(Rebalance(following, assign(following)))
        if not before.answer.probing and is_same(before.answer, rebalances[-1].answer):
            return Settled(rebalances, number)
        if rebalances[-1] in rebalances[:-1]:
            return Settled(rebalances, None, number - rebalances.index(rebalances[-1]))
    return Settled(rebalances, None)
