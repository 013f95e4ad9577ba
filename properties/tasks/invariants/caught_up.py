"""Invariants about where a task keeps running: where it is caught up, where the least is left to restore, where it was."""

from collections.abc import Iterator

from kassay.model.tasks import Application, Client, TaskAssignment, TaskId
from kassay.properties.runs import Violation
from kassay.properties.tasks.holdings import (
    active_on,
    holdings,
    lag_in_words,
    stateful_tasks,
)
from kassay.properties.tasks.lags import caught_up_clients


def caught_up(application: Application, answer: TaskAssignment) -> Iterator[str]:
    """A stateful task is active where it is caught up, within acceptable.recovery.lag, if it is so on any client.

    So a task that moves keeps running somewhere until it has warmed up at its new client.
    Source: KIP-441; a task that has to restore first processes nothing meanwhile.
    """
    for task, client in _placed(application, answer):
        near = caught_up_clients(application, task)
        if near and client.id not in near:
            acceptable = application.settings.acceptable_recovery_lag
            yield Violation(
                f"{task} is active on {client.id}, which {lag_in_words(client.lags[task])}, though {near[0]} is caught up; "
                f"acceptable.recovery.lag is {acceptable}",
                task,
            )


def least_to_restore(application: Application, answer: TaskAssignment) -> Iterator[str]:
    """A stateful task that is caught up nowhere is active where its lag is least; an unknown lag is more than any other.

    Source: KIP-441: with no client caught up, the most caught-up one is taken.
    """
    for task, client in _placed(application, answer):
        known = [other for other in application.clients if other.lags[task] >= 0]
        if not known or caught_up_clients(application, task):
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

    Source: FallbackPriorTaskAssignor, which takes no active task from its client while lags are not known.
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
