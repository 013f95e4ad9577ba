"""Processes: a streams group and an answer to it as an application whose clients are its processes."""

from collections.abc import Iterable, Mapping

from kassay.model.streams_group import StreamsAssignment, StreamsGroup, StreamsMember
from kassay.model.tasks import (
    RUNNING,
    UNKNOWN,
    Application,
    Client,
    Given,
    Settings,
    Task,
    TaskAssignment,
    TaskId,
)


def by_process(group: StreamsGroup) -> Application:
    """Return the group as an application: its processes as clients with a thread for each member.

    Members of a process share its disk, so a task that moves between them need not be restored. A process has a task's state where
    one of its members runs it, keeps a standby or warm-up of it, or reports an offset; it lags by what is missing to the greatest end
    that is reported.
    """
    stateful = group.stateful
    tasks = tuple(Task(task, task.subtopology in stateful) for task in group.tasks())
    ends = _greatest(member.end_offsets for member in group.members)
    clients = (_client(name, members, tasks, ends) for name, members in group.processes.items())
    settings = Settings(
        num_standby_replicas=group.settings.num_standby_replicas,
        rack_aware_assignment_tags=group.settings.rack_aware_assignment_tags,
    )
    return Application(tasks, tuple(clients), settings)


def _client(
    name: str, members: list[StreamsMember], tasks: tuple[Task, ...], ends: Mapping[TaskId, int]
) -> Client:
    known = frozenset(task.id for task in tasks)
    active = dict.fromkeys(task for each in members for task in each.active if task in known)
    copies = (task for each in members for task in (*each.standby, *each.warmup))
    standby = dict.fromkeys(task for task in copies if task in known and task not in active)
    offsets = _greatest(each.offsets for each in members)

    def lag(task: TaskId) -> int:
        if task in active:
            return RUNNING
        if task in offsets:
            return max(0, ends.get(task, 0) - offsets[task])
        return 0 if task in standby else UNKNOWN

    lags = {task.id: lag(task.id) for task in tasks if task.stateful}
    return Client(name, len(members), tuple(active), tuple(standby), lags, members[0].tags, members[0].rack)


def _greatest(sums: Iterable[Mapping[TaskId, int]]) -> dict[TaskId, int]:
    found: dict[TaskId, int] = {}
    for each in sums:
        for task, offset in each.items():
            found[task] = max(offset, found.get(task, 0))
    return found


def of_processes(group: StreamsGroup, answer: StreamsAssignment) -> TaskAssignment:
    """Return what an answer gives each process; strangers keep their names. With warm-ups it is provisional: another one is to follow."""
    process = {member.id: member.process_id for member in group.members}
    held: dict[str, tuple[list[TaskId], list[TaskId]]] = {name: ([], []) for name in group.processes}
    for name, roles in answer.items():
        active, standby = held.setdefault(process.get(name, f"(no member) {name}"), ([], []))
        active += roles.active
        standby += (*roles.standby, *roles.warmup)
    clients = {
        name: Given(tuple(sorted(active)), tuple(sorted(standby))) for name, (active, standby) in held.items()
    }
    return TaskAssignment(clients, probing=any(roles.warmup for roles in answer.values()))
