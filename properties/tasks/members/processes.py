"""Processes: a streams group and an answer to it as an application whose clients are its processes, and the way back (KIP-1071).

So what generates applications, and plays what happens to them, does that for streams groups too. Also what an answer, which may be
wrong in any way, gives to members, and the measures by which answers are compared: all are whole, and less is better.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TypeAlias

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
from kassay.properties.tasks import measures
from kassay.properties.tasks.measures import uneven
from kassay.properties.tasks.rounds import log


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


Assign: TypeAlias = Callable[[StreamsGroup], StreamsAssignment]
NOTHING = MemberTasks()


def given(group: StreamsGroup, answer: StreamsAssignment) -> Iterator[tuple[str, MemberTasks]]:
    """Yield the members of the group with what they are given of the tasks that exist, each task as often as it is given."""
    known = frozenset(group.tasks())
    for member in group.members:
        roles = answer.get(member.id, NOTHING)
        yield member.id, MemberTasks(*(tuple(task for task in tasks if task in known) for tasks in roles))


def copies(group: StreamsGroup, answer: StreamsAssignment) -> dict[TaskId, dict[str, list[tuple[str, str]]]]:
    """Return of each task that is given its copies by process: role and member."""
    process = {member.id: member.process_id for member in group.members}
    found: dict[TaskId, dict[str, list[tuple[str, str]]]] = {}
    for name, roles in given(group, answer):
        for role, tasks in zip(ROLES, roles, strict=True):
            for task in tasks:
                found.setdefault(task, {}).setdefault(process[name], []).append((role, name))
    return found


def after(group: StreamsGroup, answer: StreamsAssignment) -> StreamsGroup:
    """Return the group when an answer has taken effect: members have what they were given, and report what else is on their disks."""
    tasks = dict(given(group, answer))

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


def group_of(application: Application, fresh: Collection[str] = ()) -> StreamsGroup:
    """Return the streams group whose processes are the clients of an application, each with a member for every thread.

    Members are the consumers of their clients, or else are named after these; what no consumer reports is dealt to them in turn. They report
    offsets of tasks that their client has state of: who holds the task, or else the client's first member. Clients in `fresh` have
    just started: the coordinator has assigned nothing to them, and they report all that they have.
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
    """Return an application whose clients' consumers are the members of an answer, with what these were given."""

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


def changed(
    group: StreamsGroup, join: int, leave: Collection[str], partitions: Mapping[str, int]
) -> StreamsGroup:
    """Return the group of the next rebalance, before which `join` members join, others leave, and subtopologies get other numbers of tasks.

    Who joins is a process of its own with no state, in the rack and with the tags of the group's members in turn.
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


def active_imbalance(group: StreamsGroup, answer: StreamsAssignment) -> int:
    """Active tasks of the busiest member less those of the idlest one; 2 at least where one in another process evens two processes."""
    return _imbalance(group, answer, lambda roles: len({*roles.active}))


def total_imbalance(group: StreamsGroup, answer: StreamsAssignment) -> int:
    """Tasks, active and standby, of the busiest member less those of the idlest one; 2 at least as above."""
    return _imbalance(group, answer, lambda roles: len({*roles.active, *roles.standby, *roles.warmup}))


def _imbalance(group: StreamsGroup, answer: StreamsAssignment, count: Callable[[MemberTasks], int]) -> int:
    counts = {name: count(roles) for name, roles in given(group, answer)}
    apart = max(counts.values(), default=0) - min(counts.values(), default=0)
    processes = group.processes.values()
    loads = [(sum(counts[each.id] for each in members), len(members)) for members in processes]
    return 2 if apart < 2 and uneven(loads) else apart


def member_moves(group: StreamsGroup, answer: StreamsAssignment) -> int:
    """Tasks that were active somewhere and now are active on none of the members that ran them."""
    tasks = frozenset(group.tasks())
    before = {task for member in group.members for task in member.active if task in tasks}
    stay = {
        task
        for member in group.members
        for task in member.active
        if task in answer.get(member.id, NOTHING).active
    }
    return len(before - stay)


def active_moves(group: StreamsGroup, answer: StreamsAssignment) -> int:
    """Tasks that were active somewhere and now are active on none of the processes that ran them."""
    return _by_process(measures.active_moves, group, answer)


def standby_moves(group: StreamsGroup, answer: StreamsAssignment) -> int:
    """Standbys of tasks that had some, on processes that held the task in no role before."""
    return _by_process(measures.standby_moves, group, answer)


def subtopology_excess(group: StreamsGroup, answer: StreamsAssignment) -> int:
    """How much less evenly subtopologies lie on the processes than they could: half of what the squares by members of each are above the least."""
    return _by_process(measures.subtopology_excess, group, answer)


def standbys_missing(group: StreamsGroup, answer: StreamsAssignment) -> int:
    """Standbys that stateful tasks lack of num.standby.replicas, as far as there are processes for them."""
    return _by_process(measures.standbys_missing, group, answer)


def not_caught_up(group: StreamsGroup, answer: StreamsAssignment) -> int:
    """Stateful tasks that are active on processes that are not caught up, though they may be so nowhere."""
    return _by_process(measures.not_caught_up, group, answer)


def tag_collisions(group: StreamsGroup, answer: StreamsAssignment) -> int:
    """Copies of a stateful task whose process has a value of a tag in rack.aware.assignment.tags which another one has, of each tag."""
    return _by_process(measures.tag_collisions, group, answer)


def _by_process(
    measure: Callable[[Application, TaskAssignment], int], group: StreamsGroup, answer: StreamsAssignment
) -> int:
    return measure(by_process(group), of_processes(group, answer))
