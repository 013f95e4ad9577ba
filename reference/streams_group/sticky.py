"""Give tasks back to the members that had them, and the rest to the least loaded processes, as group coordinators do (KIP-1071).

Active tasks go to who ran them, then to a member that has their state, as long as it has less than its share; the others to the
least loaded member of the least loaded process. Standbys go to processes without the task in the same way. Racks and tags are
not read.

Known defects, reproduced: what is left goes to the least loaded process, whatever its members have, so that loads may be uneven where
processes have several members. Shares shrink while they are filled, in the order of tasks, and active tasks fill the shares that
standbys need: so the result may not be the same when it is fed back, and with several members in a process and standbys it
may never come to rest.

Source: org.apache.kafka.coordinator.group.streams.assignor.StickyTaskAssignor of Kafka 4.4 (KIP-1071, KAFKA-20719, KAFKA-20899).
"""

from collections.abc import Callable
from operator import attrgetter

from kassay.model import Assignor, AssignorError
from kassay.model.streams_group import MemberTasks, StreamsAssignment, StreamsGroup
from kassay.model.tasks import TaskId
from kassay.reference.java.hash_map import HashTable
from kassay.reference.java.priority_queue import PriorityQueue
from kassay.reference.java.strings import string_hash, string_order
from kassay.reference.streams_group.candidates import (
    Candidates,
    Choose,
    Holder,
    choose,
    of_standbys_and_offsets,
)
from kassay.reference.streams_group.process_state import ProcessState
from kassay.reference.streams_group.quota import Quota


def assign(
    group: StreamsGroup,
    *,
    candidates: Candidates = of_standbys_and_offsets,
    choose: Choose = choose,
    put: Callable[[HashTable[str], str], None] = HashTable.compute_if_absent,
) -> StreamsAssignment:
    """Assign the tasks of a group; raises AssignorError where there are no members for them.

    `candidates` are who has the state of a task, `choose` takes one of them, `put` is how Kafka fills its map of processes.
    """
    return _Assignment(group, candidates, choose, put).build()


class _Assignment:
    """An assignment in the making."""

    def __init__(
        self,
        group: StreamsGroup,
        candidates: Candidates,
        choose: Choose,
        put: Callable[[HashTable[str], str], None],
    ) -> None:
        self.group, self.choose = group, choose
        members, standbys = len(group.members), group.settings.num_standby_replicas
        tasks = sum(each.partitions for each in group.subtopologies)
        stateful = sum(each.partitions for each in group.subtopologies if each.stateful)
        self.active_quota, self.quota = Quota(tasks, members), Quota(tasks + standbys * stateful, members)
        table: HashTable[str] = HashTable(string_hash, members, string_order)
        for member in group.members:
            put(table, member.process_id)
        by_process = group.processes
        self.processes = {name: ProcessState([member.id for member in by_process[name]]) for name in table}
        self.ran = {task: (each.process_id, each.id) for each in group.members for task in each.active}
        self.have_state = candidates(group)
        self.active: dict[str, list[TaskId]] = {member.id: [] for member in group.members}
        self.standby: dict[str, list[TaskId]] = {member.id: [] for member in group.members}

    def build(self) -> StreamsAssignment:
        self._assign_active()
        if self.group.settings.num_standby_replicas > 0:
            self._assign_standbys()
        return {
            member.id: MemberTasks(
                tuple(sorted(self.active[member.id])), tuple(sorted(self.standby[member.id]))
            )
            for member in self.group.members
        }

    def _assign_active(self) -> None:
        left = [task for task in sorted(self.group.tasks(), key=by_partition) if not self._goes_back(task)]
        left = [task for task in left if not self._goes_to_state(task)]
        queue = self._queue()
        for task in sorted(left, key=by_subtopology):
            if not queue:
                raise AssignorError(
                    f"TaskAssignorException: No process available to assign active task {task}."
                )
            process = queue.poll()
            member, count = process.add_to_least_loaded(task)
            self.active[member].append(task)
            self.active_quota.given(count)
            self.quota.given(count)
            queue.offer(process)

    def _goes_back(self, task: TaskId) -> bool:
        """Give an active task to the member that ran it, if that has less than its share."""
        return task in self.ran and self._run(self.ran[task], task)

    def _goes_to_state(self, task: TaskId) -> bool:
        holder = self.choose(self.processes, self.have_state.get(task, ()), None)
        return holder is not None and self._run(holder, task)

    def _run(self, holder: Holder, task: TaskId) -> bool:
        process, member = self.processes[holder[0]], holder[1]
        if process.counts[member] >= self.active_quota.each:
            return False
        self.active[member].append(task)
        count = process.add(member, task)
        self.active_quota.given(count)
        self.quota.given(count)
        return True

    def _assign_standbys(self) -> None:
        number = self.group.settings.num_standby_replicas
        deferred: list[tuple[TaskId, int]] = []
        for task in sorted(self.group.stateful_tasks(), key=by_partition, reverse=True):
            for missing in range(number, 0, -1):
                if not self._stands_by_again(task):
                    deferred.append((task, missing))
                    break
        queue = self._queue()
        for task, missing in sorted(deferred, key=lambda each: by_subtopology(each[0]), reverse=True):
            for _ in range(missing):
                if not self._stands_by_anywhere(queue, task):
                    break

    def _stands_by_again(self, task: TaskId) -> bool:
        """Make a standby of a member that ran the task, or of one that has its state, if that has less than its share."""
        ran = self.ran.get(task)
        if ran is not None and task not in self.processes[ran[0]].tasks and self._stand_by(ran, task):
            return True
        holder = self.choose(self.processes, self.have_state.get(task, ()), task)
        return holder is not None and self._stand_by(holder, task)

    def _stand_by(self, holder: Holder, task: TaskId) -> bool:
        process, member = self.processes[holder[0]], holder[1]
        if process.counts[member] >= self.quota.each:
            return False
        self.standby[member].append(task)
        self.quota.given(process.add(member, task))
        return True

    def _stands_by_anywhere(self, queue: PriorityQueue[ProcessState], task: TaskId) -> bool:
        """Make a standby of the least loaded process without the task, where there is one."""
        polled = []
        found = None
        while queue and found is None:
            polled.append(queue.poll())
            if task not in polled[-1].tasks:
                found = polled[-1]
        if found is not None:
            member, count = found.add_to_least_loaded(task)
            self.standby[member].append(task)
            self.quota.given(count)
        for process in reversed(polled):
            queue.offer(process)
        return found is not None

    def _queue(self) -> PriorityQueue[ProcessState]:
        queue: PriorityQueue[ProcessState] = PriorityQueue(attrgetter("load"))
        for process in self.processes.values():
            queue.offer(process)
        return queue


def by_partition(task: TaskId) -> tuple[int, str]:
    """Return the key by which tasks that have a holder are taken: subtopologies are compared as text."""
    return task.partition, str(task.subtopology)


def by_subtopology(task: TaskId) -> tuple[str, int]:
    """Return the key by which tasks without a holder are taken."""
    return str(task.subtopology), task.partition


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
        "leaver_keeps_standbys": _THREADS | {"reported_offsets", "overloaded", "mixed_state"},
        "joiner_minimal": _THREADS,
    },
)
