"""Settling: whether an application comes to rest, how soon, and what its tasks do until then (KIP-441).

Laws take an assign function and an application, and yield one sentence per violation; AssignorError passes through. Measures
of runs take the same, and return a whole number; less is better.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from kassay.model.tasks import UNKNOWN, Application, Client, TaskAssignment, TaskId
from kassay.properties.runs import MOVES, REST, Run, TwoRuns, Violation, counted, listed
from kassay.properties.tasks.laws import differences
from kassay.properties.tasks.rounds import (
    NOTHING,
    ROUNDS,
    Assign,
    after,
    caught_up,
    caught_up_clients,
    held,
    log,
    same,
)

PATIENCE = 8
"""How many rebalances an assignor may need beyond `most_rounds` before it is taken to settle never."""


def most_rounds(application: Application, restored: int | None = None) -> int:
    """Return after how many rebalances an application has settled, on any clients.

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


def bound_rebalances(application: Application, restored: int | None = None) -> int:
    """Return the number of rebalances after which an assignor is taken to converge never: PATIENCE more than it needs, and at most ROUNDS."""
    return min(most_rounds(application, restored) + PATIENCE, ROUNDS)


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
    given = ((client, held(answer, client, stateful)) for client in application.clients)
    return [(client, task) for client, roles in given for tasks in roles for task in tasks]


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
    are. It has as many more rebalances as `bound_rebalances` says.
    """
    rebalances = [Rebalance(application, assign(application))]
    for number in range(1, bound_rebalances(application, restored) + 1):
        before = rebalances[-1]
        following = after(*before, restored=restored)
        rebalances.append(Rebalance(following, assign(following)))
        if not before.answer.probing and same(before.answer, rebalances[-1].answer):
            return Settled(rebalances, number)
        if rebalances[-1] in rebalances[:-1]:
            return Settled(rebalances, None, number - rebalances.index(rebalances[-1]))
    return Settled(rebalances, None)


def settles(assign: Assign, application: Application) -> Iterator[str]:
    """Fed back to it, its results reach one that repeats itself, asks for no probing rebalance and has no warm-up left.

    All copies catch up between two rebalances. Source: KIP-441, whose probing rebalances end when the application is stable.
    """
    settled = settle(assign, application)
    if settled.rounds is None:
        endless = f"it never comes to rest: every {counted(settled.period or 0, 'rebalance')} the same answers come again"
        changing = f"it does not come to rest within {counted(len(settled.rebalances), 'rebalance')}"
        before, now = settled.rebalances[-2:]
        yield _twice(before, now, Violation(changing if settled.period is None else endless, REST))
        return
    stateful = dict.fromkeys(task.id for task in application.tasks if task.stateful)
    given = {client.id: held(settled.answer, client, stateful).standby for client in application.clients}
    for task in stateful:
        standbys = [name for name, tasks in given.items() if task in tasks]
        if len(standbys) > application.settings.num_standby_replicas:
            yield f"when it comes to rest, {task} still warms up on one of {listed(standbys)}"


def settles_in_time(assign: Assign, application: Application) -> Iterator[str]:
    """Where it settles, it needs one rebalance for every max.warmup.replicas copies that have to be restored, and one more.

    These copies are those that it settles on and on which their clients are not caught up at first. Source: KIP-441;
    `rounds_for` proves the number.
    """
    settled = settle(assign, application)
    cold = to_restore(application, settled.answer)
    most = rounds_for(application, settled.answer)
    if settled.rounds is not None and settled.rounds > most:
        slots = application.settings.max_warmup_replicas
        before, now = settled.rebalances[-3:-1]
        yield _twice(
            before,
            now,
            f"it comes to rest after {counted(settled.rounds, 'rebalance')}, not after {most} at most, with copies to restore: {cold}, "
            f"max.warmup.replicas: {slots}",
        )


def probing_ends(assign: Assign, application: Application) -> Iterator[str]:
    """It asks for no probing rebalance once every task is given to clients that are caught up on it.

    Source: KIP-441, whose probing rebalances ask whether warm-ups have caught up; there is nothing to ask for then.
    """
    for rebalance in settle(assign, application).rebalances:
        if rebalance.answer.probing and not to_restore(*rebalance):
            again = after(*rebalance)
            yield _twice(
                rebalance,
                Rebalance(again, assign(again)),
                "it asks for a probing rebalance, though all clients are caught up on what they are given",
            )
            return


def stable(assign: Assign, application: Application) -> Iterator[str]:
    """A result that asks for no probing rebalance is given again when it is fed back with all copies caught up.

    Source: KIP-441; each needless move costs a restored state store, or a warm-up.
    """
    first = Rebalance(application, assign(application))
    if first.answer.probing:
        return
    again = after(*first)
    following = Rebalance(again, assign(again))
    yield from islice(differences(Run("is given", *first), Run("fed back", *following)), 1)


def keeps_running(assign: Assign, application: Application) -> Iterator[str]:
    """Until it settles, no task becomes active on a client that is not caught up while another one is.

    So a task keeps running where it is caught up until its warm-up is, too. Source: KIP-441, whose aim this is.
    """
    rebalances = settle(assign, application).rebalances
    found = [
        (
            number,
            f"{task.id} becomes active on {client.id}, whose lag is {client.lags[task.id]}, though {near[0]} is caught up",
        )
        for number, (joined, answer) in enumerate(rebalances)
        for task in joined.tasks
        if task.stateful and (near := caught_up_clients(joined, task.id))
        for client in joined.clients
        if task.id in answer.clients.get(client.id, NOTHING).active and client.id not in near
    ]
    for number, sentence in found[:1]:
        said = Violation(sentence, MOVES, len(found))
        yield _twice(rebalances[number - 1], rebalances[number], said) if number else said


def rebalances(assign: Assign, application: Application) -> int:
    """Rebalances until it comes to rest, with all copies caught up between them; ROUNDS + 1 where it never does."""
    rounds = settle(assign, application).rounds
    return ROUNDS + 1 if rounds is None else rounds


def tasks_moved(assign: Assign, application: Application) -> int:
    """Moves of active tasks until it settles, from a client that runs them to another one."""
    moved = 0
    for joined, answer in _until_rest(settle(assign, application)):
        ran = {task: client.id for client in joined.clients for task in client.active}
        moved += sum(
            ran[task] != client.id for client in joined.clients for task in held(answer, client, ran).active
        )
    return moved


def time_without_caught_up_active(assign: Assign, application: Application) -> int:
    """Rebalances, summed over stateful tasks, that leave a task without an active copy that is caught up."""
    return sum(
        not any(
            task.id in answer.clients.get(name, NOTHING).active for name in caught_up_clients(joined, task.id)
        )
        for joined, answer in _until_rest(settle(assign, application))
        for task in application.tasks
        if task.stateful
    )


def _until_rest(settled: Settled) -> list[Rebalance]:
    """Return the rebalances without the last, which only shows that nothing more happens."""
    return list(settled.rebalances[:-1])


def _twice(before: Rebalance, now: Rebalance, sentence: str) -> TwoRuns:
    said = Violation(sentence) if not isinstance(sentence, Violation) else sentence
    return TwoRuns(said, Run("is given", *before), Run("then", *now), said.of, said.amount)
