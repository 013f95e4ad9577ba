"""The state of the sticky assignor of streams groups: processes with their members, quotas, and the members with the state of a task.

The choice between members with the state of a task differs between releases (KAFKA-20719, KAFKA-20899).

Source: org.apache.kafka.coordinator.group.streams.assignor.ProcessState and StickyTaskAssignor of Kafka 4.2 to 4.4.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TypeAlias

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
        """Its assigned tasks, in ascending order."""
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


class Quota:
    """The share of each member, rounded up, of the tasks that full members leave."""

    def __init__(self, tasks: int, members: int) -> None:
        self._tasks = tasks
        self._members = members
        self.each = self._share()

    def given(self, count: int) -> None:
        """Record the number of tasks of a member: with exactly its share it is full."""
        if count == self.each:
            self._members -= 1
            self._tasks -= count
            self.each = self._share()

    def _share(self) -> int:
        return -(-self._tasks // self._members) if self._members else 0


Held: TypeAlias = Mapping[TaskId, list[MemberState]]
Candidates: TypeAlias = Callable[[Collection[MemberState], frozenset[TaskId]], Held]
Choose: TypeAlias = Callable[[Sequence[MemberState], TaskId | None], MemberState | None]


def hold_standbys(members: Collection[MemberState], tasks: frozenset[TaskId]) -> Held:
    """Return of each of some tasks the members that have a standby of it, in the order of the members: until 4.3."""
    found: dict[TaskId, list[MemberState]] = {}
    for state in members:
        for task in tasks.intersection(state.member.standby):
            found.setdefault(task, []).append(state)
    return found


def hold_standbys_and_offsets(members: Collection[MemberState], tasks: frozenset[TaskId]) -> Held:
    """Return also those that report offsets, behind those with a standby; among these and those the highest offset first: from 4.4 on."""
    reporting: dict[TaskId, list[MemberState]] = {}
    for state in members:
        for task in tasks.intersection(state.member.offsets).difference(state.member.standby):
            reporting.setdefault(task, []).append(state)
    standing = hold_standbys(members, tasks)
    for found in (standing, reporting):
        for task, held in found.items():
            if len(held) > 1:
                held.sort(key=lambda state: -state.member.offsets.get(task, 0))
    return {**reporting, **{task: held + reporting.get(task, []) for task, held in standing.items()}}


def choose(holders: Sequence[MemberState], task: TaskId | None) -> MemberState | None:
    """Return the first whose process has not got the task, or one after it with less load both of process and of member."""
    found = None
    for member in holders:
        process = member.process
        if task is not None and task in process.tasks:
            continue
        if found is None or (process.load < found.process.load and member.count < found.count):
            found = member
    return found


def choose_until_4_3(holders: Sequence[MemberState], task: TaskId | None) -> MemberState | None:
    """Do the same, but return None if the process of the very first one already has the task (KAFKA-20899)."""
    if holders and task is not None and task in holders[0].process.tasks:
        return None
    return choose(holders, task)
