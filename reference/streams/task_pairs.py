"""Which tasks are on a client together, so that others are put together next time.

Source: LegacyStickyTaskAssignor.TaskPairs of kafka-streams 4.3.
"""

from collections.abc import Iterable

from kassay.model.tasks import TaskId


class TaskPairs:
    """The pairs of tasks seen on one client so far, of so many tasks."""

    def __init__(self, tasks: int) -> None:
        self._most = tasks * (tasks - 1) // 2
        self._seen: set[frozenset[TaskId]] = set()

    def has_new_pair(self, task: TaskId, others: Iterable[TaskId]) -> bool:
        """Say whether the task has not been seen with one of the others; never, once all pairs have been seen."""
        return len(self._seen) != self._most and any(
            frozenset((task, other)) not in self._seen for other in others
        )

    def add_pairs(self, task: TaskId, others: Iterable[TaskId]) -> None:
        """Note that the task is now with the others."""
        self._seen.update(frozenset((task, other)) for other in others)
