"""Convergence: whether an application comes to rest, how soon, and what its tasks do until then (KIP-441).

Laws take an assign function and an application, and yield one sentence per violation; AssignorError passes through. Measures
of runs take the same, and return a whole number; less is better.
"""

from collections.abc import Iterator
from itertools import islice

from kassay.model.tasks import Application
from kassay.properties.runs import MOVES, REST, Run, TwoRuns, Violation
from kassay.properties.tasks.lags import caught_up_clients
from kassay.properties.tasks.laws import differences
from kassay.properties.tasks.rounds import NOTHING, ROUNDS, Assign, after, held
from kassay.properties.tasks.settling import Rebalance, Settled, rounds_for, settle, to_restore
from kassay.properties.words import counted, listed


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
    found = [(number, said) for number, each in enumerate(rebalances) for said in _interrupted(each)]
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


def _interrupted(rebalance: Rebalance) -> Iterator[str]:
    application, answer = rebalance
    for task in (task.id for task in application.tasks if task.stateful):
        near = caught_up_clients(application, task)
        for client in application.clients if near else ():
            if task in answer.clients.get(client.id, NOTHING).active and client.id not in near:
                yield f"{task} becomes active on {client.id}, whose lag is {client.lags[task]}, though {near[0]} is caught up"


def _twice(before: Rebalance, now: Rebalance, sentence: str) -> TwoRuns:
    said = Violation(sentence) if not isinstance(sentence, Violation) else sentence
    return TwoRuns(said, Run("is given", *before), Run("then", *now), said.of, said.amount)
