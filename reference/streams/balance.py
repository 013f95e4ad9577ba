"""Even out the loads of clients, task by task, until a whole sweep over all pairs moves nothing.

Source: HighAvailabilityTaskAssignor.balanceTasksOverThreads of kafka-streams 4.3.
"""

from collections.abc import Callable

from kassay.model.tasks import TaskId
from kassay.reference.streams.client_state import ClientState, States

Tasks = Callable[[ClientState], set[TaskId]]


def balance(
    clients: States, tasks: Tasks, allowed: Callable[[ClientState, ClientState], bool] = lambda *_: True
) -> None:
    """Move tasks of one role (`tasks` gives those of a client) from clients with more load to allowed ones with less."""
    moved = True
    while moved:
        moved = False
        for source in clients.values():
            for destination in clients.values():
                if source is not destination and _share(source, destination, tasks, allowed):
                    moved = True


def _share(
    source: ClientState,
    destination: ClientState,
    tasks: Tasks,
    allowed: Callable[[ClientState, ClientState], bool],
) -> bool:
    if not _improves(source, destination):
        return False
    moved = False
    for task in sorted(tasks(source)):
        if not _improves(source, destination):
            break
        if not destination.holds(task) and allowed(source, destination):
            tasks(source).remove(task)
            tasks(destination).add(task)
            moved = True
    return moved


def _improves(source: ClientState, destination: ClientState) -> bool:
    """Say whether one task less here and one more there makes the difference of the loads smaller, and turns it round never."""
    skew = source.load - destination.load
    if skew <= 0:
        return False
    after = (source.count - 1) / source.client.threads - (destination.count + 1) / destination.client.threads
    return 0 <= after < skew
