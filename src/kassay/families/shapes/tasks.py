"""The input models of Kafka Streams: applications of clients with threads, and streams groups of members (KIP-1071).

Both assign tasks in roles, so one implementation draws their tables. Members of a streams group that share a process share a disk.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, TypeAlias

from kassay.families.family import Oracles, Sequences
from kassay.families.shape import Sampler, Shape, TextTable
from kassay.families.shapes import write_changes
from kassay.families.shapes.solvers import (
    build_sequence_solver,
    build_uneven,
    build_verifier,
    keep_last,
    load_later,
)
from kassay.model import streams_group_json, tasks_json
from kassay.model.streams_group import ROLES, MemberTasks, StreamsAssignment, StreamsGroup, StreamsMember
from kassay.model.tasks import Application, Client, Given, TaskAssignment, TaskId
from kassay.oracles.answers import Frontier
from kassay.oracles.levels import sum_levels
from kassay.oracles.tasks import members as of_members
from kassay.oracles.tasks.levels import COMPARED, LEVELS, OVER_TIME
from kassay.properties.runs import Run, ranges
from kassay.properties.tasks import applications, large, rounds, timelines
from kassay.properties.tasks.members import laws, processes
from kassay.properties.tasks.members import shrinking as member_shrinking
from kassay.properties.tasks.shrinking import smaller
from kassay.properties.tasks.timelines import play

NOBODY = "(nobody)"
ByRole: TypeAlias = Sequence[Sequence[TaskId]]
"""The tasks of an owner by role, active tasks first, in the order of ROLES."""


def show(application: Application, assignments: Mapping[str, TaskAssignment]) -> TextTable:
    """Return the table of clients: threads, racks, tags, current tasks, and the tasks of each assignment; then lost tasks."""
    clients = application.clients
    columns: list[tuple[str, Callable[[Any], str]]] = [("threads", lambda client: str(client.threads))]
    if any(client.rack for client in clients):
        columns.append(("rack", lambda client: client.rack or ""))
    if any(client.tags for client in clients):
        columns.append(("tags", _write_tags))
    running = {client.id: (client.active, client.standby) for client in clients}
    if any(map(any, running.values())):
        columns.append(("runs now", lambda client: _write_roles(running[client.id])))
    given = {title: one.clients for title, one in assignments.items()}
    table = _build_table("client", clients, columns, running, [task.id for task in application.tasks], given)
    probing = [title for title, one in assignments.items() if one.probing]
    notes = [table.note] if table.note else []
    notes += [f"a probing rebalance is to follow for {', '.join(probing)}"] if probing else []
    return TextTable(table.columns, table.rows, "; ".join(notes))


def show_streams_group(group: StreamsGroup, assignments: Mapping[str, StreamsAssignment]) -> TextTable:
    """Return the table of members: processes, tags, current and reported tasks, and the tasks of each assignment; then lost tasks."""
    members = group.members
    columns: list[tuple[str, Callable[[Any], str]]] = [("process", lambda member: member.process_id)]
    if any(member.tags for member in members):
        columns.append(("tags", _write_tags))
    held = _held_now(group)
    if any(map(any, held.values())):
        columns.append(("has now", lambda member: _write_roles(held[member.id])))
    if any(member.offsets for member in members):
        columns.append(("reports", _write_offsets))
    return _build_table("member", members, columns, held, [*group.tasks()], assignments)


def _build_table(
    owner: str,
    owners: Sequence[Any],
    columns: Sequence[tuple[str, Callable[[Any], str]]],
    held: Mapping[str, ByRole],
    tasks: Sequence[TaskId],
    assignments: Mapping[str, Mapping[str, ByRole]],
) -> TextTable:
    """Return the table of owners: the cells of `columns`, then the tasks that each assignment gives them.

    `held` are the current tasks of owners. A last row has the tasks that no owner gets.
    """
    known = {each.id: each for each in owners}
    history = any(map(any, held.values()))
    rows = []
    for name in [*known, *sorted({name for given in assignments.values() for name in given} - known.keys())]:
        if name in known:
            described = [write(known[name]) for _, write in columns]
        else:
            described = [f"(no {owner})", *[""] * (len(columns) - 1)]
        had = held[name] if history and name in known else None
        rows.append([name, *described, *(_write_given(one.get(name), had) for one in assignments.values())])
    lost = []
    for one in assignments.values():
        given = {task for roles in one.values() for task in roles[0]}
        missing = [task for task in tasks if task not in given]
        lost.append(runs(missing) if missing else "")
    if any(lost):
        rows.append([NOBODY, *[""] * len(columns), *lost])
    new = assignments and any("+" in cell for row in rows for cell in row[-len(assignments) :])
    note = f"+ marks a task that the {owner} did not hold before" if new else ""
    return TextTable([owner, *(head for head, _ in columns), *assignments], rows, note)


def show_change(before: Run, after: Run) -> TextTable:
    """Return the table of the tasks of each client in two runs, the second with gains and losses."""
    return _compare_runs("client", before, after, before.assignment.clients, after.assignment.clients)


def _compare_runs(
    owner: str, before: Run, after: Run, first: Mapping[str, ByRole], second: Mapping[str, ByRole]
) -> TextTable:
    members = [each.id for run in (before, after) for each in getattr(run.group, f"{owner}s")]
    rows = []
    for name in dict.fromkeys([*members, *sorted({*first, *second})]):
        one, other = first.get(name), second.get(name)
        cells = ["(missing)" if given is None else _write_roles(given) for given in (one, other)]
        if one is not None and other is not None and one != other:
            changes = {
                role: write_changes(old, new, runs) for role, old, new in zip(ROLES, one, other, strict=False)
            }
            cells[1] = "; ".join(f"{role} {change}" for role, change in changes.items() if change)
        rows.append([name, *cells])
    note = f"+ marks tasks that a {owner} gains in a role, - those that it loses"
    return TextTable([owner, before.title, after.title], rows, note)


def runs(tasks: Iterable[TaskId]) -> str:
    """Return tasks by subtopology, with ranges: ``0_0-2,5 1_0``; a hyphen without tasks."""
    numbers: dict[int, list[int]] = {}
    for task in sorted(tasks):
        numbers.setdefault(task.subtopology, []).append(task.partition)
    return " ".join(f"{name}_{','.join(ranges(of))}" for name, of in numbers.items()) or "-"


def _write_roles(given: ByRole) -> str:
    others = (f"; {role} {runs(tasks)}" for role, tasks in zip(ROLES[1:], given[1:], strict=False) if tasks)
    return runs(given[0]) + "".join(others)


def _write_given(given: ByRole | None, had: ByRole | None) -> str:
    """Return the tasks that an owner gets by role; + marks tasks that it did not have in any role, if its tasks are known."""
    if given is None:
        return "(missing)"
    if had is None:
        return _write_roles(given)
    before = {task for tasks in had for task in tasks}
    active, *others = (write_changes(before, tasks, runs, lost=False) for tasks in given)
    return (active or "-") + "".join(
        f"; {role} {part}" for role, part in zip(ROLES[1:], others, strict=False) if part
    )


def _write_tags(owner: Client | StreamsMember) -> str:
    return " ".join(f"{tag}={value}" for tag, value in owner.tags)


def _write_offsets(member: StreamsMember) -> str:
    return " ".join(
        f"{task} at {offset}" + (f" of {member.end_offsets[task]}" if task in member.end_offsets else "")
        for task, offset in sorted(member.offsets.items())
    )


def present(application: Application) -> TaskAssignment | None:
    """Return the current assignment by the claims of the clients; None if no client runs anything."""
    if not any(client.active or client.standby for client in application.clients):
        return None
    return TaskAssignment(
        {client.id: Given(client.active, client.standby) for client in application.clients}, probing=False
    )


def _held_now(group: StreamsGroup) -> StreamsAssignment:
    return {member.id: MemberTasks(member.active, member.standby, member.warmup) for member in group.members}


TASKS = Shape(
    name="tasks",
    groups=load_later("kassay.properties.tasks.strategies:applications"),
    timelines=load_later("kassay.properties.tasks.strategies:timelines"),
    play=play,
    smaller=smaller,
    read_group=tasks_json.read_group,
    write_group=tasks_json.write_group,
    read_assignment=tasks_json.read_assignment,
    write_assignment=tasks_json.write_assignment,
    write_beside=tasks_json.write_beside,
    read_beside=tasks_json.read_beside,
    show=show,
    sizes={
        "clients": lambda application: len(application.clients),
        "subtopologies": lambda application: len({task.id.subtopology for task in application.tasks}),
        "tasks": lambda application: len(application.tasks),
    },
    items="tasks",
    most_rounds=rounds.ROUNDS,
    changed=timelines.apply_changes,
    show_change=show_change,
    same=rounds.is_same,
    present=present,
    sampler=Sampler(applications.NUMBERS, applications.USUAL, applications.KINDS, applications.draw),
    directed=load_later("kassay.properties.tasks.strategies:draw_edge_applications"),
    large=large.LARGE,
    dimensions=large.DIMENSIONS,
)

STREAMS_GROUPS = Shape(
    name="streams groups",
    groups=load_later("kassay.properties.tasks.strategies:groups"),
    timelines=TASKS.timelines,
    play=load_later("kassay.properties.tasks.strategies:play"),
    smaller=member_shrinking.smaller,
    read_group=streams_group_json.read_group,
    write_group=streams_group_json.write_group,
    read_assignment=streams_group_json.read_assignment,
    write_assignment=streams_group_json.write_assignment,
    show=show_streams_group,
    sizes={
        "members": lambda group: len(group.members),
        "processes": lambda group: len(group.processes),
        "subtopologies": lambda group: len(group.subtopologies),
        "tasks": lambda group: sum(each.partitions for each in group.subtopologies),
    },
    items="tasks",
    most_rounds=laws.ROUNDS,
    changed=processes.apply_changes,
    show_change=lambda before, after: _compare_runs(
        "member", before, after, before.assignment, after.assignment
    ),
    same=laws.same,
    present=lambda group: held if any(map(any, (held := _held_now(group)).values())) else None,
    sampler=Sampler(processes.NUMBERS, processes.USUAL, processes.KINDS, applications.draw),
    directed=load_later("kassay.properties.tasks.strategies:draw_edge_streams_groups"),
    large=large.LARGE_GROUPS,
    dimensions=large.DIMENSIONS_OF_GROUPS,
)


WHOLE = 8
"""Up to this number of pairs of a task and a client, every application is checked against all laws."""
LEAST = 80
"""The smallest share of applications, in thousandths, that are checked against all laws."""


def share(application: Application) -> int:
    """Return how many of a thousand applications of this size are checked against laws.

    Applications of every size then take about the same time.
    """
    return _compute_share(len(application.tasks) * len(application.clients))


def share_of_groups(group: StreamsGroup) -> int:
    """Return how many of a thousand streams groups of this size are checked against laws."""
    return _compute_share(sum(each.partitions for each in group.subtopologies) * len(group.members))


def _compute_share(pairs: int) -> int:
    # The time of a run grows with tasks times clients.
    return max(LEAST, min(1000, 1000 * WHOLE // max(pairs, 1)))


def squares(application: Application, answer: TaskAssignment) -> tuple[Fraction, Fraction]:
    """Return the sums of squared loads divided by threads, for active tasks and for all copies."""
    active = every = Fraction(0)
    for client in application.clients:
        given = answer.clients[client.id]
        active += Fraction(len(given.active) ** 2, client.threads)
        every += Fraction((len(given.active) + len(given.standby)) ** 2, client.threads)
    return active, every


SEQUENCES = Sequences(
    timelines.SEQUENCES,
    OVER_TIME,
    timelines.rounds,
    partial(sum_levels, [level for level in LEVELS.values() if level.words.passing or level.traded]),
    build_uneven(squares, "kassay.oracles.tasks.optimum:compute_optimum"),
    build_sequence_solver("kassay.oracles.tasks.over_time:compute_over_time", timelines.stages),
    lambda application: [each.id for each in application.clients],
    {
        "restart": "clients come back without their state, as in a container without a volume. With their disks they have less to restore.",
        "bounce": "clients leave one after the other before the first is back, and come back without their state.",
    },
)

EVERY = 16
"""A check measures every n-th application: a proof takes as long as all other checks of it."""
QUICK = 30_000
"""Up to this number of ways to place the copies of a task, times tasks, optima are quick; beyond it they take up to half a minute."""


def _is_quick(tasks: int, places: int, standbys: int) -> bool:
    return tasks * int(places ** (1 + min(standbys, max(places - 1, 0)))) <= QUICK


def is_quick(application: Application) -> bool:
    """Return True if the optima of an application take only a moment, by the ways to place copies of tasks."""
    stateful = any(task.stateful for task in application.tasks)
    standbys = application.settings.num_standby_replicas if stateful else 0
    return _is_quick(len(application.tasks), len(application.clients), standbys)


def is_quick_group(group: StreamsGroup) -> bool:
    """Return True if the optima of a streams group take only a moment."""
    tasks = sum(each.partitions for each in group.subtopologies)
    stateful = any(each.stateful for each in group.subtopologies)
    standbys = group.settings.num_standby_replicas if stateful else 0
    return _is_quick(tasks, len(group.processes), standbys)


OF_APPLICATIONS = (
    "balance is the difference in active tasks of the busiest and the idlest thread. It is at least 2 if moving one task would balance two "
    "clients. active, joint, moves and subtopology-spread are compared with the minimum at the most even loads of active tasks and of all copies. "
    "A less even answer may be below that minimum and counts as 0. "
    "If an assignor asks for probing rebalances, compare takes the answer after the last one; a check or sweep does not compare it. "
    "With standbys, the spread of subtopologies and the moves of large applications are not compared"
)
OF_GROUPS = (
    "balance is the difference in active tasks of the busiest and the idlest member. It is at least 2 if moving one task would balance two "
    "processes. moves and restore are between processes, whose members share a disk. They are compared with the minimum at the most even loads of "
    "active tasks and of all copies. A less even answer may be below that minimum and counts as 0. Answers with warm-ups, or with too few standbys "
    "for the number of processes, are not compared. With standbys, the spread of subtopologies and the moves of large groups are not compared"
)


def frontiers(application: Application, time_limit_s: float | None) -> Sequence[Frontier]:
    """Moves against what active tasks and standbys read across racks at the most even loads; squared loads against both at any loads."""
    solve = load_later("kassay.oracles.tasks.frontier:compute_frontiers")
    found: Sequence[Frontier] = solve(application, time_limit_s)
    return found


def oracles(questions: Mapping[str, str], worst_questions: Mapping[str, str]) -> Oracles:
    """Return the oracles of a family of applications."""
    return Oracles(
        questions,
        COMPARED,
        load_later("kassay.oracles.tasks.optimum:compute_optimum"),
        keep_last("kassay.oracles.tasks.optima:compute_optima"),
        load_later("kassay.oracles.tasks.optima:explain"),
        worst_questions,
        load_later("kassay.families.shapes.worst_case:find_worst_application"),
        load_later("kassay.oracles.tasks.optima:solve_by_program"),
        build_verifier("tasks", lambda group: {"family": "streams", **tasks_json.write_group(group)}),
        OF_APPLICATIONS,
        {name: level.words for name, level in LEVELS.items()},
        frontiers,
        SEQUENCES,
        every=EVERY,
        quick=is_quick,
        dominance=keep_last("kassay.oracles.tasks.optima:compute_dominance"),
    )


def oracles_of_groups(questions: Mapping[str, str], worst_questions: Mapping[str, str]) -> Oracles:
    """Make the oracles of a family of streams groups."""
    return Oracles(
        questions,
        of_members.COMPARED,
        load_later("kassay.oracles.tasks.members.optimum:compute_optimum"),
        keep_last("kassay.oracles.tasks.members.optimum:compute_optima"),
        load_later("kassay.oracles.tasks.members.optimum:explain"),
        worst_questions,
        load_later("kassay.families.shapes.worst_case:find_worst_streams_group"),
        load_later("kassay.oracles.tasks.members.optimum:solve_by_program"),
        build_verifier("members", streams_group_json.write_group),
        OF_GROUPS,
        {name: level.words for name, level in of_members.LEVELS.items()},
        every=EVERY,
        quick=is_quick_group,
        dominance=keep_last("kassay.oracles.tasks.members.optimum:compute_dominance"),
    )
