"""In which order Java's hash sets of tasks iterate, which decides how Kafka Streams deals tasks out to threads.

Source: TaskId.hashCode and compareTo of kafka-streams 4.3, for tasks of a topology without a name.
"""

from collections.abc import Iterable

from kassay.model.tasks import TaskId
from kassay.reference.java.hash_map import hash_order
from kassay.reference.java.strings import int32


def task_hash(task: TaskId) -> int:
    """Return TaskId.hashCode."""
    return int32(31 * (31 * (31 + task.subtopology) + task.partition))


def hash_set(tasks: Iterable[TaskId]) -> list[TaskId]:
    """Return the tasks as a HashSet into which they were put in this order iterates over them."""
    return hash_order(tasks, task_hash, order_of=lambda task: task)
