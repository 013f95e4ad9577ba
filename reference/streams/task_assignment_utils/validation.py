"""What Kafka finds wrong with an assignment before it is sent to clients.

It does not miss tasks that nobody has, and an answer cannot say to it that a client has a task in both roles: here such a task
counts as active.

Source: TaskAssignmentUtils.validateTaskAssignment and TaskAssignor.AssignmentError of kafka-streams 4.3 (KIP-924).
"""

from enum import Enum

from kassay.model.tasks import Application, TaskAssignment, TaskId
from kassay.reference.streams.hash_orders import task_order


class AssignmentError(Enum):
    """What is wrong with an assignment, by Kafka's names."""

    NONE = "NONE"
    UNKNOWN_TASK_ID = "UNKNOWN_TASK_ID"
    ACTIVE_TASK_ASSIGNED_MULTIPLE_TIMES = "ACTIVE_TASK_ASSIGNED_MULTIPLE_TIMES"
    INVALID_STANDBY_TASK = "INVALID_STANDBY_TASK"
    MISSING_PROCESS_ID = "MISSING_PROCESS_ID"
    UNKNOWN_PROCESS_ID = "UNKNOWN_PROCESS_ID"


def validate_task_assignment(application: Application, answer: TaskAssignment) -> AssignmentError:
    """Return what is found first: in tasks, client by client; then in standbys; then in clients."""
    stateful = {task.id: task.stateful for task in application.tasks}
    active: set[TaskId] = set()
    standby: set[TaskId] = set()
    for given in answer.clients.values():
        its_active = set(given.active)
        for task in task_order((*given.active, *given.standby)):
            if task not in stateful:
                return AssignmentError.UNKNOWN_TASK_ID
            if task in its_active and task in active:
                return AssignmentError.ACTIVE_TASK_ASSIGNED_MULTIPLE_TIMES
        active |= its_active
        standby |= set(given.standby) - its_active
    known = {client.id for client in application.clients}
    if not all(stateful[task] for task in standby):
        return AssignmentError.INVALID_STANDBY_TASK
    if known - set(answer.clients):
        return AssignmentError.MISSING_PROCESS_ID
    if set(answer.clients) - known:
        return AssignmentError.UNKNOWN_PROCESS_ID
    return AssignmentError.NONE
