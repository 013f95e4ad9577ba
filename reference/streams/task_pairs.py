"""Which tasks are on a client together, so that others are put together next time.

Source: LegacyStickyTaskAssignor.TaskPairs of kafka-streams 4.3.
"""

from collections.abc import Set as AbstractSet

from kassay.model.tasks import TaskId


class TaskPairs:
    """The pairs of tasks seen on one client so far, of so many tasks."""

    def __init__(self, tasks: int) -> None:
        self._left = tasks * (tasks - 1) // 2
        self._met: dict[TaskId, set[TaskId]] = {}

    def has_new_pair(self, task: TaskId, others: AbstractSet[TaskId]) -> bool:
        """Say whether the task has not been seen with one of the others; never, once all pairs have been seen."""
        return self._left != 0 and not others <= self._met.get(task, set())

    def add_pairs(self, task: TaskId, others: AbstractSet[TaskId]) -> None:
        """Note that the task is now with the others."""
        met = self._met.setdefault(task, set())
        new = others - met
        self._left -= len(new)
        met |= new
        for other in new:
            self._met.setdefault(other, set()).add(task)
