"""Holdings: what an answer, which may be wrong in any way, gives to the clients of an application."""

from typing import NamedTuple

from kassay.model.tasks import RUNNING, UNKNOWN, Application, TaskAssignment, TaskId
from kassay.properties.tasks.rounds import NOTHING


class Held(NamedTuple):
    """The tasks of the application that a client is given in each role."""

    active: frozenset[TaskId]
    standby: frozenset[TaskId]


def holdings(application: Application, answer: TaskAssignment) -> dict[str, Held]:
    """Return what each client of the application holds of the tasks that exist, in the order of the clients."""
    known = frozenset(task.id for task in application.tasks)
    given = {client.id: answer.clients.get(client.id, NOTHING) for client in application.clients}
    return {name: Held(*(known.intersection(role) for role in roles)) for name, roles in given.items()}


def stateful_tasks(application: Application) -> list[TaskId]:
    """Return the tasks that keep state, in ascending order."""
    return sorted(task.id for task in application.tasks if task.stateful)


def active_on(held: dict[str, Held]) -> dict[TaskId, list[str]]:
    """Return of each task the clients on which it is active."""
    found: dict[TaskId, list[str]] = {}
    for name, roles in held.items():
        for task in sorted(roles.active):
            found.setdefault(task, []).append(name)
    return found


def standby_on(held: dict[str, Held]) -> dict[TaskId, list[str]]:
    """Return of each task the clients that hold it as a standby and not active as well."""
    found: dict[TaskId, list[str]] = {}
    for name, roles in held.items():
        for task in sorted(roles.standby - roles.active):
            found.setdefault(task, []).append(name)
    return found


def lag_in_words(lag: int) -> str:
    """Write how far a client lags."""
    known = {RUNNING: "runs it", UNKNOWN: "lags by an unknown number"}
    return known.get(lag, f"lags by {lag}")
