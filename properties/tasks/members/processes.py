"""Conversion of a streams group and its answer to an application whose clients are the processes, and back (KIP-1071).

So the generators and timelines of applications serve streams groups too. Also the valid part of an answer, which may be wrong
in any way.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias

from kassay.model.partitions import INT64_MAX
from kassay.model.streams_group import (
    ROLES,
    GroupSettings,
    MemberTasks,
    StreamsAssignment,
    StreamsGroup,
    StreamsMember,
    Subtopology,
)
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
from kassay.properties.choices import Choices
from kassay.properties.choices import Settings as GeneratorSettings
from kassay.properties.tasks import applications
from kassay.properties.tasks.rounds import log


def build_application(group: StreamsGroup) -> Application:
    """Return the group as an application: its processes as clients with a thread for each member.

    Members of a process share its disk, so a task that moves between them need not be restored. A process has state of a task
    if one of its members runs it, keeps a standby or warm-up of it, or reports an offset. It lags by the records up to the
    greatest reported end.
    """
    stateful = group.stateful
    tasks = tuple(Task(task, task.subtopology in stateful) for task in group.tasks())
    ends = _find_greatest(member.end_offsets for member in group.members)
    clients = (_build_client(name, members, tasks, ends) for name, members in group.processes.items())
    settings = Settings(
        num_standby_replicas=group.settings.num_standby_replicas,
        rack_aware_assignment_tags=group.settings.rack_aware_assignment_tags,
    )
    return Application(tasks, tuple(clients), settings)


def _build_client(
    name: str, members: list[StreamsMember], tasks: tuple[Task, ...], ends: Mapping[TaskId, int]
) -> Client:
    known = frozenset(task.id for task in tasks)
    active = dict.fromkeys(task for each in members for task in each.active if task in known)
    copies = (task for each in members for task in (*each.standby, *each.warmup))
    standby = dict.fromkeys(task for task in copies if task in known and task not in active)
    offsets = _find_greatest(each.offsets for each in members)

    def lag(task: TaskId) -> int:
        if task in active:
            return RUNNING
        if task in offsets:
            return max(0, ends.get(task, 0) - offsets[task])
        return 0 if task in standby else UNKNOWN

    lags = {task.id: lag(task.id) for task in tasks if task.stateful}
    return Client(name, len(members), tuple(active), tuple(standby), lags, members[0].tags, members[0].rack)


def _find_greatest(sums: Iterable[Mapping[TaskId, int]]) -> dict[TaskId, int]:
    found: dict[TaskId, int] = {}
    for each in sums:
        for task, offset in each.items():
            found[task] = max(offset, found.get(task, 0))
    return found


def group_by_process(group: StreamsGroup, answer: StreamsAssignment) -> TaskAssignment:
    """Return the tasks of each process; unknown members keep their names. Warm-ups mean that another rebalance follows."""
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


Assign: TypeAlias = Callable[[StreamsGroup], StreamsAssignment]
NOTHING = MemberTasks()


def list_given(group: StreamsGroup, answer: StreamsAssignment) -> Iterator[tuple[str, MemberTasks]]:
    """Yield the members of the group with their existing tasks, repeated as in the answer."""
    known = frozenset(group.tasks())
    for member in group.members:
        roles = answer.get(member.id, NOTHING)
        yield member.id, MemberTasks(*(tuple(task for task in tasks if task in known) for tasks in roles))


def copies(group: StreamsGroup, answer: StreamsAssignment) -> dict[TaskId, dict[str, list[tuple[str, str]]]]:
    """Return the copies of each assigned task by process: role and member."""
    process = {member.id: member.process_id for member in group.members}
    found: dict[TaskId, dict[str, list[tuple[str, str]]]] = {}
    for name, roles in list_given(group, answer):
        for role, tasks in zip(ROLES, roles, strict=True):
            for task in tasks:
                found.setdefault(task, {}).setdefault(process[name], []).append((role, name))
    return found


def apply_answer(group: StreamsGroup, answer: StreamsAssignment) -> StreamsGroup:
    """Return the group after an answer: members have their assigned tasks, and report other state on their disks."""
    tasks = dict(list_given(group, answer))

    def joined(roles: MemberTasks) -> MemberTasks:
        active = dict.fromkeys(roles.active)
        standby = dict.fromkeys(task for task in roles.standby if task not in active)
        warmup = dict.fromkeys(task for task in roles.warmup if task not in active and task not in standby)
        return MemberTasks(tuple(active), tuple(standby), tuple(warmup))

    members = []
    for member in group.members:
        has = joined(tasks[member.id])
        held = {task for role in has for task in role}
        members.append(
            replace(
                member,
                **has._asdict(),
                offsets={task: sum_ for task, sum_ in member.offsets.items() if task not in held},
                end_offsets={task: sum_ for task, sum_ in member.end_offsets.items() if task not in held},
            )
        )
    return replace(group, members=tuple(members))


def build_group(application: Application, fresh: Collection[str] = ()) -> StreamsGroup:
    """Return the streams group whose processes are the clients of an application, each with a member for every thread.

    Members are the consumers of their clients, or else are named after these; tasks without a report are assigned to them in
    turn. Offsets of a task are reported by the member that has it, or else by the client's first member. Clients in `fresh`
    have just started: the coordinator has assigned nothing to them, and they report all their state.
    """
    sizes: dict[int, int] = {}
    for task in application.tasks:
        sizes[task.id.subtopology] = max(sizes.get(task.id.subtopology, 0), task.id.partition + 1)
    stateful = {task.id.subtopology for task in application.tasks if task.stateful}
    logs = {task.id: log(application, task.id) for task in application.tasks if task.stateful}
    return StreamsGroup(
        tuple(Subtopology(number, size, number in stateful) for number, size in sizes.items()),
        tuple(
            member
            for client in application.clients
            for member in _members(client, logs, fresh=client.id in fresh)
        ),
        GroupSettings(
            application.settings.num_standby_replicas, application.settings.rack_aware_assignment_tags
        ),
    )


def _members(client: Client, logs: dict[TaskId, int], *, fresh: bool) -> list[StreamsMember]:
    names = list(client.consumers) or [f"{client.id}-{n}" for n in range(1, client.threads + 1)]
    of = {task: name for name, tasks in client.consumers.items() for task in tasks}
    held = [task for role in (client.active, client.standby) for task in role]
    for at, task in enumerate(task for task in held if task not in of):
        of[task] = names[at % len(names)]
    offsets = {
        task: logs[task] - max(lag, 0)
        for task, lag in client.lags.items()
        if lag != UNKNOWN and (lag != RUNNING or fresh) and max(lag, 0) < logs[task]
    }
    by_name = {
        name: {task: sum_ for task, sum_ in offsets.items() if of.get(task, names[0]) == name}
        for name in names
    }
    return [
        StreamsMember(
            name,
            client.id,
            () if fresh else tuple(task for task in client.active if of[task] == name),
            () if fresh else tuple(task for task in client.standby if of[task] == name),
            offsets=by_name[name],
            end_offsets={task: logs[task] for task in by_name[name]},
            rack=client.rack,
            tags=client.tags,
        )
        for name in names
    ]


def with_members(application: Application, answer: StreamsAssignment) -> Application:
    """Return an application whose clients' consumers are the members of an answer, with their tasks."""

    def consumers(client: Client) -> dict[str, dict[TaskId, int]]:
        names = client.consumers or [f"{client.id}-{n}" for n in range(1, client.threads + 1)]
        held = {*client.active, *client.standby}
        found: dict[str, dict[TaskId, int]] = {}
        for name in names:
            roles = answer.get(name, NOTHING)
            found[name] = {task: 0 for role in roles for task in role if task in held}
        return found

    clients = (replace(client, consumers=consumers(client)) for client in application.clients)
    return replace(application, clients=tuple(clients))


def apply_changes(
    group: StreamsGroup, join: int, leave: Collection[str], partitions: Mapping[str, int]
) -> StreamsGroup:
    """Return the group of the next rebalance after members join or leave and subtopologies get new numbers of tasks.

    Each new member is a new process without state, with racks and tags of the group's members in turn.
    """
    known = {each.id for each in group.members}
    names = [name for n in range(join + len(known)) if (name := f"joined-{n:05}") not in known][:join]
    joined = [
        StreamsMember(name, name, rack=like.rack, tags=like.tags)
        for n, name in enumerate(names)
        for like in [group.members[n % len(group.members)]]
    ]
    stay = [each for each in group.members if each.id not in leave]
    grown = [
        replace(one, partitions=partitions.get(str(one.id), one.partitions)) for one in group.subtopologies
    ]
    return replace(group, subtopologies=tuple(grown), members=(*stay, *joined))


END = 1_000
"""The end of changelogs if no member has reported an offset."""


def restart_members(group: StreamsGroup) -> StreamsGroup:
    """Return the group after a restart: new members without tasks report the state on their disks.

    Standbys lag a little. Their offsets are greater than all offsets reported before.
    """
    reported = [
        end for each in group.members for sums in (each.offsets, each.end_offsets) for end in sums.values()
    ]
    end = min(1 + max(reported, default=END), INT64_MAX)

    def back(member: StreamsMember) -> StreamsMember:
        offsets = dict.fromkeys(member.standby, end - 1) | dict.fromkeys(member.active, end)
        return replace(
            member,
            id=f"{member.id}'",
            **MemberTasks()._asdict(),
            offsets={**member.offsets, **offsets},
            end_offsets={**member.end_offsets, **dict.fromkeys(offsets, end)},
        )

    return replace(group, members=tuple(map(back, group.members)))


RESTARTED, STALE, WARMING, CROWDED, SHUFFLED = 15, 6, 8, 10, 35
"""Percentages of groups that have restarted, have vanished tasks, warm up, have merged processes, are shuffled."""


def generate_any_group(choices: Choices) -> StreamsGroup:
    """Generate a group of any kind."""
    return generate_group(choices, applications.choose_settings(choices))


def generate_group(choices: Choices, settings: GeneratorSettings) -> StreamsGroup:
    """Generate a group."""
    found = build_group(applications.application(choices, settings))
    members: Sequence[StreamsMember] = found.members
    if choices.chance(STALE):
        # Tasks that do not exist, each next to some that do.
        gone = [TaskId(each.id, each.partitions) for each in found.subtopologies]
        gone.append(TaskId(max((each.id for each in found.subtopologies), default=0) + 1, 0))
        members = _add_task(choices, members, gone, "active")
    if choices.chance(WARMING):
        members = _add_task(choices, members, list(found.stateful_tasks()), "warmup")
    if choices.chance(CROWDED):
        first = members[0].process_id
        members = [replace(each, process_id=first) if choices.below(2) else each for each in members]
    if choices.chance(RESTARTED):
        members = restart_members(replace(found, members=tuple(members))).members
    if choices.chance(SHUFFLED):
        members = choices.pick_order(members)
    return replace(found, members=tuple(members))


def _add_task(
    choices: Choices, members: Sequence[StreamsMember], tasks: Sequence[TaskId], role: str
) -> list[StreamsMember]:
    """Give a member one more task, in one role."""
    if not tasks or not members:
        return list(members)
    task, at = choices.pick(tasks), choices.below(len(members))
    found = list(members)
    others: dict[str, Any] = {
        name: tuple(t for t in getattr(found[at], name) if t != task)
        for name in ("active", "standby", "warmup")
    }
    found[at] = replace(found[at], **others | {role: (*others[role], task)})
    return found


_NUMBERS = (
    "clients",
    "threads",
    "subtopologies",
    "partitions",
    "tasks_per_thread",
    "standbys",
    "tags",
    "churn",
)
_KINDS = ("history", "stateful", "thread_counts", "order", "names", "shape")

NUMBERS: Mapping[str, tuple[int, int]] = {name: applications.NUMBERS[name] for name in _NUMBERS}
"""The widest limits; `clients` are processes, `threads` the members of each."""
USUAL: Mapping[str, tuple[int, int]] = {name: applications.USUAL[name] for name in _NUMBERS}
KINDS: Mapping[str, Sequence[str]] = {name: applications.KINDS[name] for name in _KINDS}


THREADS = 2


def build_equal_members(_: Assign, size: int, standbys: int = 0) -> StreamsGroup:
    """Build a new group of members, two in a process, with four stateful tasks for each."""
    members = tuple(StreamsMember(f"m{at}", f"p{at // THREADS}") for at in range(2 * size))
    return StreamsGroup((Subtopology(0, 8 * size, stateful=True),), members, GroupSettings(standbys))


GROWING: Mapping[str, Callable[[Assign, int], StreamsGroup]] = {
    "members alike": build_equal_members,
    "members alike, standbys": partial(build_equal_members, standbys=1),
}
"""Kind of growth -> the group for an assignor and a size, which is doubled each time."""
