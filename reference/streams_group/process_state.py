"""A process as the sticky assignor sees it: its members and what they have been given.

Source: org.apache.kafka.coordinator.group.streams.assignor.ProcessState of Kafka 4.2 to 4.4.
"""

from kassay.model.tasks import TaskId
from kassay.reference.java.hash_map import hash_order
from kassay.reference.java.priority_queue import PriorityQueue
from kassay.reference.java.strings import string_hash, string_order


class ProcessState:
    """A process with its members, in the order of Java's map of them; `load` is tasks for each member."""

    def __init__(self, members: list[str]) -> None:
        self.counts = dict.fromkeys(hash_order(members, string_hash, order_of=string_order), 0)
        self.tasks: set[TaskId] = set()
        self.load = 0.0
        self._given = 0
        self._by_count: PriorityQueue[str] | None = None

    def add(self, member: str, task: TaskId) -> int:
        """Give a member a task; return how many it has then."""
        self._by_count = None
        return self._add(member, task)

    def add_to_least_loaded(self, task: TaskId) -> tuple[str, int]:
        """Give a task to the member with the fewest; return the member and how many it has then."""
        if len(self.counts) == 1:
            (member,) = self.counts
            return member, self._add(member, task)
        if self._by_count is None:
            self._by_count = PriorityQueue(self.counts.__getitem__)
            for member in self.counts:
                self._by_count.offer(member)
        member = self._by_count.poll()
        count = self._add(member, task)
        self._by_count.offer(member)
        return member, count

    def _add(self, member: str, task: TaskId) -> int:
        self._given += 1
        self.tasks.add(task)
        self.counts[member] += 1
        self.load = self._given / len(self.counts)
        return self.counts[member]
