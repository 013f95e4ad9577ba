"""A process as the sticky assignor sees it: its members and what they have been given.

Source: org.apache.kafka.coordinator.group.streams.assignor.ProcessState of Kafka 4.2 to 4.4.
"""

from kassay.model.streams_group import MemberTasks, StreamsMember
from kassay.model.tasks import TaskId
from kassay.reference.java.hash_map import hash_order
from kassay.reference.java.priority_queue import FixedQueue
from kassay.reference.java.strings import string_hash, string_order


class MemberState:
    """A member, what it has been given, and how much that is."""

    __slots__ = ("active", "count", "member", "process", "standby")
    process: "ProcessState"

    def __init__(self, member: StreamsMember) -> None:
        self.member = member
        self.count = 0
        self.active: list[TaskId] = []
        self.standby: list[TaskId] = []

    @property
    def tasks(self) -> MemberTasks:
        """What it has been given, in ascending order."""
        return MemberTasks(tuple(sorted(self.active)), tuple(sorted(self.standby)))


class ProcessState:
    """A process with its members, in the order of Java's map of them by id; `load` is tasks for each member.

    `tasks` are those that it must not get as standbys, which are given when all active tasks are.
    """

    __slots__ = ("_by_count", "_given", "load", "members", "tasks")

    def __init__(self, members: list[MemberState]) -> None:
        if len(members) > 1:
            by_id = {each.member.id: each for each in members}
            members = [by_id[name] for name in hash_order(by_id, string_hash, order_of=string_order)]
        for member in members:
            member.process = self
        self.members = members
        self.tasks: set[TaskId] = set()
        self.load = 0.0
        self._given = 0
        self._by_count: FixedQueue[MemberState] | None = None

    def add(self, member: MemberState) -> None:
        """Count a task that a member is given."""
        self._by_count = None
        self._given += 1
        self.load = self._given / len(self.members)
        member.count += 1

    def add_to_least_loaded(self) -> MemberState:
        """Count a task for the member with the fewest, and return that."""
        if len(self.members) == 1:
            self.add(self.members[0])
            return self.members[0]
        queue = self._by_count or FixedQueue((each.count, each) for each in self.members)
        member = queue.poll()
        self.add(member)
        queue.offer(member.count, member)
        self._by_count = queue
        return member
