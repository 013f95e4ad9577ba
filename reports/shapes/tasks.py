"""Pictures of groups with tasks: applications of Kafka Streams, by client, and streams groups, by member."""

from collections.abc import Mapping

from kassay.model.streams_group import StreamsAssignment, StreamsGroup
from kassay.model.tasks import UNKNOWN, Application, TaskAssignment, TaskId
from kassay.properties.tasks.measures import inputs, partitions_across
from kassay.properties.tasks.members.processes import apply_answer as join_answers
from kassay.properties.tasks.rounds import apply_answer
from kassay.reports.shapes.items import (
    ACTIVE,
    STANDBY,
    WARM_UP,
    Mark,
    Marks,
    Roles,
    Words,
    compare_roles,
    count_active,
    draw_panel,
    label_columns,
)
from kassay.reports.shapes.layout import Picture, read_style, short_names

COUNTED = "active tasks+standbys of each subtopology"
WORDS = Words("client", "subtopology", COUNTED, head="subtopology ")


def mark_tasks(application: Application, assignment: TaskAssignment) -> Marks:
    """Compare the tasks of clients with their new assignment."""
    held = {client.id: {ACTIVE: client.active, STANDBY: client.standby} for client in application.clients}
    warm = _find_warm_ups(application, assignment)
    given = {
        name: {
            ACTIVE: roles.active,
            STANDBY: [task for task in roles.standby if (name, task) not in warm],
            WARM_UP: [task for task in roles.standby if (name, task) in warm],
        }
        for name, roles in assignment.clients.items()
    }
    stateful = {task.id: task.stateful for task in application.tasks}
    at = compare_roles(held, given, stateful, across=partitions_across(application, inputs))
    notes = {client.id: f"rack {client.rack}" for client in application.clients if client.rack}
    return build_marks(WORDS, held, given, stateful, at, notes)


def build_marks(
    words: Words,
    held: Mapping[str, Roles],
    given: Mapping[str, Roles],
    stateful: Mapping[TaskId, bool],
    at: Mapping[tuple[str, TaskId], Mark],
    notes: Mapping[str, str],
) -> Marks:
    """Return the marks of tasks by subtopology, with the loads of active tasks and of copies."""
    names, times = [*held, *sorted(set(given) - set(held))], count_active(given)
    loads = {}
    for name in names:
        counts = {role: len(tasks) for role, tasks in given.get(name, {}).items()}
        active = counts.pop(ACTIVE, 0)
        loads[name] = f"{active}+{copies}" if (copies := sum(counts.values())) else f"{active}"
    return Marks(
        words,
        names,
        label_columns(sorted(stateful), at, lambda task: (str(task.subtopology), str(task.partition))),
        at,
        frozenset(task for task in stateful if not times[task]),
        {task: number for task, number in times.items() if number > 1},
        loads,
        notes,
    )


def _find_warm_ups(application: Application, assignment: TaskAssignment) -> set[tuple[str, TaskId]]:
    """Return the copies beyond num.standby.replicas: for each task the copies with the most to restore."""
    lags = {client.id: client.lags for client in application.clients}
    holders: dict[TaskId, list[str]] = {}
    for name, roles in assignment.clients.items():
        for task in roles.standby:
            holders.setdefault(task, []).append(name)
    found = set()
    for task, names in holders.items() if assignment.probing else ():
        known = {name: lags.get(name, {}).get(task, UNKNOWN) for name in names}
        ordered = sorted(names, key=lambda name: (known[name] == UNKNOWN, known[name]))
        found |= {(name, task) for name in ordered[application.settings.num_standby_replicas :]}
    return found


TASKS = Picture(
    html=lambda title, application, assignment: draw_panel(title, mark_tasks(application, assignment)),
    most={"clients": 40, "tasks": 120},
    lead="Clients are rows; columns are tasks by subtopology, or subtopologies where tasks are many, and very large applications are bars of loads.",
    legend=(
        ("kept", "", "active, stays"),
        ("moved", "", "active, from another client"),
        ("new", "", "active, ran nowhere"),
        ("standby", "s", "standby"),
        ("warm-up", "w", "warm-up: a copy beyond num.standby.replicas"),
        ("gone", "", "leaves"),
        ("far", "R", "reads from another rack"),
        ("wrong", "✗", "not allowed here"),
        ("lost", "✗", "active nowhere; 2x: active twice"),
    ),
    style=read_style("items"),
    joined=apply_answer,
)


MEMBER_WORDS = Words("member", "subtopology", COUNTED, head="subtopology ")
PROCESS = 4
"""Letters of the name of a process."""


def mark_members(group: StreamsGroup, assignment: StreamsAssignment) -> Marks:
    """Compare the tasks of members with their new assignment; a process can have one copy of a task."""
    roles = (ACTIVE, STANDBY, WARM_UP)
    held: dict[str, Roles] = {
        member.id: dict(zip(roles, (member.active, member.standby, member.warmup), strict=True))
        for member in group.members
    }
    given: dict[str, Roles] = {
        name: dict(zip(roles, tasks, strict=True)) for name, tasks in assignment.items()
    }
    stateful = {task: task.subtopology in group.stateful for task in group.tasks()}
    process = {member.id: member.process_id for member in group.members}
    at = compare_roles(held, given, stateful, place=lambda name: process.get(name, name))
    short = short_names(list(group.processes), PROCESS, "process")
    notes = {name: f"process {short[of].removeprefix('process ')}" for name, of in process.items()}
    return build_marks(MEMBER_WORDS, held, given, stateful, at, notes)


STREAMS_GROUPS = Picture(
    html=lambda title, group, assignment: draw_panel(title, mark_members(group, assignment)),
    most={"members": 40, "tasks": 120},
    lead="Members are rows; columns are tasks by subtopology, or subtopologies where tasks are many, and very large groups are bars of loads.",
    legend=(
        ("kept", "", "active, stays"),
        ("moved", "", "active, from another member"),
        ("new", "", "active, ran nowhere"),
        ("standby", "s", "standby"),
        ("warm-up", "w", "warm-up"),
        ("gone", "", "leaves"),
        ("wrong", "✗", "not allowed here, such as a second copy on a process"),
        ("lost", "✗", "active nowhere; 2x: active twice"),
    ),
    style=read_style("items"),
    joined=join_answers,
)
