"""Place standby tasks by load alone.

Source: DefaultStandbyTaskAssignor of kafka-streams 4.3.
"""

from kassay.model.tasks import TaskId
from kassay.reference.streams.client_state import States, least_loaded


def place(clients: States, tasks: list[TaskId], copies: int) -> None:
    """Give each task as many standbys as wanted, each to the least loaded client without the task, as far as there are any."""
    for task in tasks:
        fill(clients, task, copies)


def fill(clients: States, task: TaskId, copies: int) -> None:
    """Give one task its standbys."""
    for _ in range(copies):
        found = least_loaded(clients.values(), lambda state: not state.holds(task))
        if found is None:
            return
        found.standby.add(task)
