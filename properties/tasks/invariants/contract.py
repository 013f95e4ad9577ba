"""The contract: invariants that every answer of a task assignor has to keep.

Each takes an application and an answer, which may be wrong in any way, and yields one sentence per violation.
"""

from collections import Counter
from collections.abc import Iterator

from kassay.model.tasks import Application, Given, TaskAssignment
from kassay.properties.tasks.holdings import active_on, holdings
from kassay.properties.tasks.rounds import NOTHING


def complete(application: Application, answer: TaskAssignment) -> Iterator[str]:
    """Every task is active on some client.

    Source: the contract of TaskAssignor (KIP-924); what a task without a client reads is processed by nobody.
    """
    active = active_on(holdings(application, answer))
    for task in application.tasks:
        if task.id not in active:
            yield f"{task.id} is active nowhere"


def exclusive(application: Application, answer: TaskAssignment) -> Iterator[str]:
    """No task is active on two clients, and none is given to one of them active twice.

    Source: ACTIVE_TASK_ASSIGNED_MULTIPLE_TIMES of KIP-924; a task that runs twice processes every record twice.
    """
    for task, names in active_on(holdings(application, answer)).items():
        if len(names) > 1:
            yield f"{task} is active on {' and '.join(names)}"
    yield from _twice(application, answer, "active")


def existing(application: Application, answer: TaskAssignment) -> Iterator[str]:
    """Only tasks that exist are given.

    Source: UNKNOWN_TASK_ID of KIP-924; clients may report tasks that a changed topology no longer has.
    """
    known = {task.id for task in application.tasks}
    for name, given in answer.clients.items():
        for role, tasks in given._asdict().items():
            for task in tasks:
                if task not in known:
                    yield f"{name} is given {task} as {role}, but there is no such task"


def every_client(application: Application, answer: TaskAssignment) -> Iterator[str]:
    """The answer names every client of the application, and nobody else.

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
    """No client has a standby beside the same task active, nor a standby twice.

    Source: ClientState, which refuses a task that the client holds already; such a copy survives no failure.
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
