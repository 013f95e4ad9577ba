"""The tasks of a client during an assignment, the balancing of loads task by task, and the iteration order of Java's maps.

Source: ClientState, HighAvailabilityTaskAssignor.balanceTasksOverThreads, TaskId and ProcessId of kafka-streams 4.3;
the documentation of java.util.HashSet.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from kassay.model.tasks import Application, Client, Given, TaskAssignment, TaskId
from kassay.reference.java.hash_map import hash_order
from kassay.reference.java.strings import int32, uuid_hash


@dataclass(eq=False, slots=True)
class ClientState:
    """A client with the tasks that it has been given so far."""

    client: Client
    order: tuple[int, int]
    active: set[TaskId] = field(default_factory=set)
    standby: set[TaskId] = field(default_factory=set)

    @property
    def count(self) -> int:
        """The number of its tasks, in either role."""
        return len(self.active) + len(self.standby)

    @property
    def load(self) -> float:
        """The number of its tasks for each of its threads; a double, for Java compares these."""
        return (len(self.active) + len(self.standby)) / self.client.threads

    @property
    def active_load(self) -> float:
        """The number of its active tasks for each of its threads."""
        return len(self.active) / self.client.threads

    def holds(self, task: TaskId) -> bool:
        """Return True if it has the task in either role."""
        return task in self.active or task in self.standby


States = Mapping[str, ClientState]
"""Clients by id, in the order of their ids."""


def states(application: Application) -> dict[str, ClientState]:
    """Return the clients with nothing given, in the order of their ids."""
    made = [ClientState(client, client.order) for client in application.clients]
    return {state.client.id: state for state in sorted(made, key=lambda state: state.order)}


def find_least_loaded(
    clients: Iterable[ClientState], allowed: Callable[[ClientState], bool]
) -> ClientState | None:
    """Return the allowed client with the lowest load, of equals the one with the lower id; None if no client is allowed."""
    return min(
        (state for state in clients if allowed(state)),
        key=lambda state: (state.load, state.order),
        default=None,
    )


def assignment(clients: States, probing: bool) -> TaskAssignment:
    """Return what the clients hold as an answer."""
    return TaskAssignment(
        {
            name: Given(tuple(sorted(state.active)), tuple(sorted(state.standby)))
            for name, state in clients.items()
        },
        probing,
    )


Tasks = Callable[[ClientState], set[TaskId]]


def balance(
    clients: States, tasks: Tasks, allowed: Callable[[ClientState, ClientState], bool] = lambda *_: True
) -> None:
    """Move tasks of one role from clients with more load to allowed ones with less; `tasks` returns the tasks of a client."""
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
    """Return True if moving one task makes the difference of the loads smaller and does not reverse it."""
    skew = source.load - destination.load
    if skew <= 0:
        return False
    after = (source.count - 1) / source.client.threads - (destination.count + 1) / destination.client.threads
    return 0 <= after < skew


DEFAULT = 16
"""The capacity of a map or set that was made empty."""


def task_hash(task: TaskId) -> int:
    """Return the hash code of a task of a topology without a name."""
    return int32(31 * (31 * (31 + task.subtopology) + task.partition))


def task_order(tasks: Iterable[TaskId], capacity: int = DEFAULT) -> list[TaskId]:
    """Return the order of tasks put into a map or set in the given order."""
    return hash_order(tasks, task_hash, capacity, tuple)


def with_changelogs(application: Application) -> list[TaskId]:
    """Return the tasks that list changelogs in the order of a map of all tasks, put into it in the application's order."""
    listed = {task.id for task in application.tasks if task.changelogs}
    return [task for task in task_order(task.id for task in application.tasks) if task in listed]


def client_order(ids: Iterable[str], clients: States, capacity: int = DEFAULT) -> list[str]:
    """Return the order of clients put into a map or set in the given order."""
    return hash_order(ids, uuid_hash, capacity, lambda name: clients[name].order)


def sort_by_map(application: Application, clients: States) -> States:
    """Return the clients in the order of a map into which they were put in the application's order."""
    return {name: clients[name] for name in client_order((each.id for each in application.clients), clients)}


def compute_copy_capacity(size: int) -> int:
    """Return the capacity of a set that Java 17 created as a copy of `size` elements."""
    return max(size * 4 // 3 + 1, DEFAULT)
