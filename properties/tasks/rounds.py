"""Rounds: what an application looks like when an assignment has taken effect, and what becomes of it rebalance by rebalance."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from kassay.model.tasks import (
    INT64_MAX,
    RUNNING,
    UNKNOWN,
    Application,
    Client,
    Given,
    TaskAssignment,
    TaskId,
)
from kassay.properties.tasks.lags import caught_up, left, log

ROUNDS = 10_000
"""How many rebalances are simulated at most, whatever the application."""

PATIENCE = 8
"""How many rebalances an assignor may need beyond `most_rounds` before it is taken to settle never."""

Assign = Callable[[Application], TaskAssignment]
NOTHING = Given((), ())


def after(
    application: Application, answer: TaskAssignment, *, restored: int | None = None, written: int = 0
) -> Application:
    """Return the application as it joins the next rebalance.

    Each client has read `restored` records of every changelog that it restores, None: all there are; then tasks that run have
    written `written` more. An active task runs once it has restored everything; until then it reports its lag, as a standby
    does, and writes nothing. State that is on disk from before stays there and falls behind with what is written; Kafka
    deletes it some time after state.cleanup.delay.ms (10 minutes, as is probing.rebalance.interval.ms), for which there is
    the event CleanUp. What was given wrongly (to strangers, unknown tasks, a standby beside its active) is lost.
    """
    known = {task.id: log(application, task.id) for task in application.tasks}
    given = {
        client.id: _held(answer.clients.get(client.id, NOTHING), known) for client in application.clients
    }

    def behind(client: Client, task: TaskId) -> int:
        return left(client.lags.get(task, RUNNING), known[task], restored)

    running = {
        task for client in application.clients for task in given[client.id].active if not behind(client, task)
    }

    def lag(client: Client, task: TaskId, before: int) -> int:
        more = written if task in running else 0
        active, standby = given[client.id]
        if task in active:
            return behind(client, task) or RUNNING
        if task in standby:
            return min(behind(client, task) + more, INT64_MAX)
        return UNKNOWN if before == UNKNOWN else min(max(before, 0) + more, INT64_MAX)

    return replace(
        application,
        clients=tuple(
            replace(
                client,
                active=given[client.id].active,
                standby=given[client.id].standby,
                lags={task: lag(client, task, before) for task, before in client.lags.items()},
                consumers=_reported(client.consumers, given[client.id]),
            )
            for client in application.clients
        ),
    )


def _held(given: Given, known: Collection[TaskId]) -> Given:
    active = tuple(task for task in dict.fromkeys(given.active) if task in known)
    standby = (task for task in dict.fromkeys(given.standby) if task in known and task not in active)
    return Given(active, tuple(standby))


def _reported(consumers: Mapping[str, Mapping[TaskId, int]], given: Given) -> dict[str, Mapping[TaskId, int]]:
    """Return what each consumer reports of those of its tasks that its client still has."""

    def offsets(task: TaskId, before: int) -> int:
        return RUNNING if task in given.active else UNKNOWN if before == RUNNING else before

    held = {*given.active, *given.standby}
    return {
        consumer: {task: offsets(task, sums) for task, sums in reported.items() if task in held}
        for consumer, reported in consumers.items()
    }


def rejoined(application: Application, answer: TaskAssignment) -> Application | None:
    """Return the application as it joins the probing rebalance that an answer asks for; None where it asks for none."""
    return after(application, answer) if answer.probing else None


def same(one: TaskAssignment, other: TaskAssignment) -> bool:
    """Return whether two answers give everybody the same tasks, in whatever order, and agree on probing."""
    return one == other or (one.probing == other.probing and _sorted(one) == _sorted(other))


def _sorted(answer: TaskAssignment) -> dict[str, list[list[TaskId]]]:
    return {name: [sorted(tasks) for tasks in given] for name, given in answer.clients.items()}


def most_rounds(application: Application, restored: int | None = None) -> int:
    """Return after how many rebalances an application has settled, on whatever clients it settles.

    A stateful task has at most as many copies as clients, all where there is most to restore.
    """
    copies = 1 + application.settings.num_standby_replicas
    reads = (
        sorted(
            (_reads(application, client, task.id, restored) for client in application.clients), reverse=True
        )[:copies]
        for task in application.tasks
        if task.stateful
    )
    return _rounds(application, [read for of_task in reads for read in of_task])


def rounds_for(application: Application, answer: TaskAssignment, restored: int | None = None) -> int:
    """Return after how many rebalances an application has settled on an answer, with so many records restored between two.

    Take an assignor that wants the same clients for a task in every rebalance, as HighAvailabilityTaskAssignor does, whose
    wish reads no lags. A wanted copy is cold until its client is caught up. A client keeps its cold copies and restores them
    until the next rebalance, but for those that get none of the warm-ups; then all of max.warmup.replicas are given, each to
    another cold copy. A copy that is caught up stays: it is active, or a standby. Let the last copy to be caught up need m
    intervals between rebalances, and all together n. While it waits, max.warmup.replicas intervals of others pass at a time: so
    it waits (n - m) / max.warmup.replicas rebalances at most, and restores for m. The next answer is the first that stays.
    """
    return _rounds(
        application,
        [_reads(application, client, task, restored) for client, task in _copies(application, answer)],
    )


def _rounds(application: Application, reads: Sequence[int]) -> int:
    longest = max(reads, default=0)
    return (sum(reads) - longest) // application.settings.max_warmup_replicas + longest + 1


def _reads(application: Application, client: Client, task: TaskId, restored: int | None) -> int:
    """Return in how many intervals between rebalances a client is caught up on a task; 0 where it is now."""
    lag, settings = client.lags[task], application.settings
    if caught_up(settings, lag):
        return 0
    if restored is None:
        return 1
    behind = log(application, task) if lag == UNKNOWN else lag
    return max(1, -(-(behind - settings.acceptable_recovery_lag) // restored))


def to_restore(application: Application, answer: TaskAssignment) -> int:
    """Count the copies of stateful tasks that an answer gives to clients which are not caught up on them."""
    return sum(
        not caught_up(application.settings, client.lags[task])
        for client, task in _copies(application, answer)
    )


def _copies(application: Application, answer: TaskAssignment) -> list[tuple[Client, TaskId]]:
    """Return the clients with the stateful tasks that they are given."""
    stateful = {task.id for task in application.tasks if task.stateful}
    given = (
        (client, _held(answer.clients.get(client.id, NOTHING), stateful)) for client in application.clients
    )
    return [(client, task) for client, held in given for tasks in held for task in tasks]


class Rebalance(NamedTuple):
    """An application as it joined, and the answer to it."""

    application: Application
    answer: TaskAssignment


@dataclass(frozen=True, slots=True)
class Settled:
    """Where an application came to rest: all its rebalances and their number.

    `rounds` counts the answers up to the first one that asks for no probing rebalance and is given again, which was the last;
    it is None where that did not happen within the limit of `settle`. Then `period` tells after how many rebalances the last
    application and answer came back, so that it goes on for ever; it is None where they were new.
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
    """Feed an assignor's answers back until it repeats itself and wants no probing.

    Between two rebalances a client reads `restored` records of each changelog that it restores, one at least; None: all there
    are. It has PATIENCE more rebalances than `most_rounds`, but ROUNDS at most.
    """
    rebalances = [Rebalance(application, assign(application))]
    for number in range(1, min(most_rounds(application, restored) + PATIENCE, ROUNDS) + 1):
        before = rebalances[-1]
        following = after(*before, restored=restored)
        rebalances.append(Rebalance(following, assign(following)))
        if not before.answer.probing and same(before.answer, rebalances[-1].answer):
            return Settled(rebalances, number)
        if rebalances[-1] in rebalances[:-1]:
            return Settled(rebalances, None, number - rebalances.index(rebalances[-1]))
    return Settled(rebalances, None)
