"""Give tasks back to the members that had them, and the rest to the least loaded processes, as group coordinators do (KIP-1071).

Active tasks go to their previous member, then to a member with their state, while that has less than its share. The others go to the
least loaded member of the least loaded process. Standbys go to processes without the task in the same way. Racks and tags are
not read.

Known defects, reproduced:

- Remaining tasks go to the least loaded process, regardless of the loads of its members. So loads may be uneven if
  processes have several members.
- Shares shrink while they are filled, in the order of tasks, and active tasks fill the shares that standbys need. So the next rebalance may
  change the answer without a reason. With several members in a process and standbys, it may never converge.
- If the number of copies is an even share for each member, or nearly so, only shares of members that have the task may be left. The last
  copies then go to members beyond their share, while previous owners have less.

Source: org.apache.kafka.coordinator.group.streams.assignor.StickyTaskAssignor of Kafka 4.4 (KIP-1071, KAFKA-20719, KAFKA-20899).
"""

from collections.abc import Callable, Sequence
from itertools import chain
from operator import attrgetter
from typing import Any, TypeAlias

from kassay.model import Assignor, AssignorError
from kassay.model.streams_group import StreamsAssignment, StreamsGroup
from kassay.model.tasks import TaskId
from kassay.reference.java.hash_map import computed_order
from kassay.reference.java.priority_queue import FixedQueue
from kassay.reference.java.strings import string_hash, string_order
from kassay.reference.streams_group.process_state import (
    Candidates,
    Choose,
    Held,
    MemberState,
    ProcessState,
    Quota,
    choose,
    hold_standbys_and_offsets,
)

ProcessOrder: TypeAlias = Callable[
    [Sequence[str], Callable[[str], int], int, Callable[[str], Any] | None], list[str]
]


def assign(
    group: StreamsGroup,
    *,
    candidates: Candidates = hold_standbys_and_offsets,
    choose: Choose = choose,
    order: ProcessOrder = computed_order,
) -> StreamsAssignment:
    """Assign the tasks of a group; raises AssignorError if it has tasks but no members.

    `candidates` returns the members with the state of a task, `choose` takes one of them, `order` is the order of Kafka's map of processes.
    """
    return _Assignment(group, candidates, choose, order).build()


class _Assignment:
    """An assignment in the making."""

    def __init__(
        self, group: StreamsGroup, candidates: Candidates, choose: Choose, order: ProcessOrder
    ) -> None:
        self.group, self.candidates, self.choose = group, candidates, choose
        self.standbys = group.settings.num_standby_replicas
        subtopologies = sorted(group.subtopologies, key=lambda each: string_order(str(each.id)))
        self.places = {each.id: place for place, each in enumerate(subtopologies)}
        self.tasks = sorted(chain.from_iterable(subtopologies), key=attrgetter("partition"))
        tasks = sum(each.partitions for each in group.subtopologies)
        copies = tasks + self.standbys * sum(each.partitions for each in group.subtopologies if each.stateful)
        members = len(group.members)
        self.active_quota, self.quota = Quota(tasks, members), Quota(copies, members)
        self.members = [MemberState(member) for member in group.members]
        by_process: dict[str, list[MemberState]] = {}
        for state in self.members:
            by_process.setdefault(state.member.process_id, []).append(state)
        names = order([member.process_id for member in group.members], string_hash, members, string_order)
        self.processes = [ProcessState(by_process[name]) for name in names]
        self.ran = {task: state for state in self.members for task in state.member.active}
        self.have_state: Held = {}

    def build(self) -> StreamsAssignment:
        self._assign_active()
        if self.standbys > 0:
            self._assign_standbys()
        return {state.member.id: state.tasks for state in self.members}

    def _assign_active(self) -> None:
        """Give tasks to who ran them, to who has their state, and to the least loaded process."""
        left = [*self.tasks]
        if self.ran:
            left = [task for task in left if task not in self.ran or not self._run(self.ran[task], task)]
        if any(state.member.standby or state.member.offsets for state in self.members):
            asked = frozenset(self.tasks if self.standbys else left)
            self.have_state = held = self.candidates(self.members, asked)
            left = [task for task in left if task not in held or not self._goes_to_state(task)]
        left.sort(key=self._place)
        queue = self._queue()
        if left and not queue:
            raise AssignorError(
                f"TaskAssignorException: No process available to assign active task {left[0]}."
            )
        for task in left:
            process = queue.poll()
            member = process.add_to_least_loaded()
            member.active.append(task)
            self.quota.given(member.count)
            queue.offer(process.load, process)

    def _goes_to_state(self, task: TaskId) -> bool:
        member = self.choose(self.have_state[task], None)
        return member is not None and self._run(member, task)

    def _run(self, member: MemberState, task: TaskId) -> bool:
        """Give an active task to a member, if that has less than its share."""
        if member.count >= self.active_quota.each:
            return False
        member.active.append(task)
        member.process.add(member)
        self.active_quota.given(member.count)
        self.quota.given(member.count)
        return True

    def _assign_standbys(self) -> None:
        """Leave standbys where the state of their tasks is, and give the others to the least loaded processes."""
        for process in self.processes:
            process.tasks.update(*(member.active for member in process.members))
        stateful = self.group.stateful
        deferred = [(task, self.standbys) for task in reversed(self.tasks) if task.subtopology in stateful]
        if self.ran or self.have_state:
            deferred = [(task, missing) for task, _ in deferred if (missing := self._keep_standbys(task))]
        queue = self._queue()
        for task, missing in sorted(deferred, key=lambda each: self._place(each[0]), reverse=True):
            for _ in range(missing):
                if not self._stands_by_anywhere(queue, task):
                    break

    def _keep_standbys(self, task: TaskId) -> int:
        """Keep standbys of a task on members with its state; return the number of standbys that are still missing."""
        missing = self.standbys
        while missing and self._stands_by_again(task):
            missing -= 1
        return missing

    def _stands_by_again(self, task: TaskId) -> bool:
        """Make a standby of the member that ran the task, or of one that has its state, if that has less than its share."""
        ran = self.ran.get(task)
        if ran is not None and task not in ran.process.tasks and self._stand_by(ran, task):
            return True
        member = self.choose(self.have_state.get(task, ()), task)
        return member is not None and self._stand_by(member, task)

    def _stand_by(self, member: MemberState, task: TaskId) -> bool:
        if member.count >= self.quota.each:
            return False
        member.standby.append(task)
        member.process.tasks.add(task)
        member.process.add(member)
        self.quota.given(member.count)
        return True

    def _stands_by_anywhere(self, queue: FixedQueue[ProcessState], task: TaskId) -> bool:
        """Make a standby of the least loaded process without the task, where there is one."""
        passed, found = [], False
        for _ in range(len(queue)):
            process = queue.poll()
            found = task not in process.tasks
            if found:
                process.add_to_least_loaded().standby.append(task)
                process.tasks.add(task)
                queue.offer(process.load, process)
                break
            passed.append(process)
        for process in reversed(passed):
            queue.offer(process.load, process)
        return found

    def _queue(self) -> FixedQueue[ProcessState]:
        return FixedQueue((process.load, process) for process in self.processes)

    def _place(self, task: TaskId) -> int:
        """Return the place of a task's subtopology among all, which are compared as text."""
        return self.places[task.subtopology]


_THREADS = frozenset({"several_threads"})
STICKY = Assignor(
    "streams-group/sticky",
    assign,
    frozenset(
        {
            "complete",
            "exclusive",
            "existing",
            "every_member",
            "stateful_standbys",
            "one_copy_per_process",
            "enough_standbys",
            "standbys_limited",
            "no_warm_ups",
            "active_balanced",
            "crash_free",
            "deterministic",
            "stable",
            "settles",
            "leaver_minimal",
            "leaver_keeps_standbys",
            "joiner_minimal",
            "restart_keeps_state",
        }
    ),
    "StickyTaskAssignor of kafka-group-coordinator 4.4; KIP-1071",
    {
        "active_balanced": _THREADS,
        "stable": _THREADS | {"standbys"},
        "settles": frozenset({"several_threads+standbys"}),
        "restart_keeps_state": _THREADS | {"standbys"},
        "leaver_minimal": _THREADS,
        "leaver_keeps_standbys": _THREADS | {"nearly_even_copies", "reported_offsets", "mixed_state"},
        "joiner_minimal": _THREADS,
    },
)
