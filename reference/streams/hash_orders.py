"""In which order Java's hash maps and sets of tasks and of clients iterate.

Source: TaskId and ProcessId of kafka-streams 4.3; the documentation of java.util.HashSet.
"""

from collections.abc import Iterable

from kassay.model.tasks import Application, TaskId
from kassay.reference.java.hash_map import hash_order
from kassay.reference.java.strings import int32, uuid_hash
from kassay.reference.streams.client_state import States

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


def in_map_order(application: Application, clients: States) -> States:
    """Return the clients in the order of a map into which they were put in the application's order."""
    return {name: clients[name] for name in client_order((each.id for each in application.clients), clients)}


def copied(size: int) -> int:
    """Return the capacity of a set that was made as a copy of so many elements, as by Java 17."""
    return max(size * 4 // 3 + 1, DEFAULT)
