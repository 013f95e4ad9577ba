"""The input models of Kafka Streams: applications of clients with threads, and streams groups of members (KIP-1071).

Both assign tasks in roles, so one implementation draws their tables. Members of a streams group that share a process share a disk.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, TypeAlias

from kassay.families.shapes import write_changes
from kassay.families.shapes.solvers import (
    build_sequence_solver,
    build_uneven,
    build_verifier,
    keep_last,
    load_later,
)
from kassay.family import Oracles, Sequences
from kassay.model import streams_group_json, tasks_json
from kassay.model.streams_group import ROLES, MemberTasks, StreamsAssignment, StreamsGroup, StreamsMember
from kassay.model.tasks import Application, Client, Given, TaskAssignment, TaskId
from kassay.oracles.answers import Frontier
from kassay.oracles.levels import summed
from kassay.oracles.tasks import members as of_members
from kassay.oracles.tasks.levels import COMPARED, LEVELS, OVER_TIME
from kassay.properties.runs import Run, ranges
from kassay.properties.tasks import applications, rounds, timelines
from kassay.properties.tasks.members import generating, laws, processes
from kassay.properties.tasks.members import shrinking as member_shrinking
from kassay.properties.tasks.shrinking import smaller
from kassay.properties.tasks.timelines import play
from kassay.shape import Sampler, Shape, TextTable

NOBODY = "(nobody)"
ByRole: TypeAlias = Sequence[Sequence[TaskId]]
"""The tasks of an owner by role, active tasks first, in the order of ROLES."""


def show(application: Application, assignments: Mapping[str, TaskAssignment]) -> TextTable:
    """Show clients with their threads, racks and tags, what they run, and what each assignment gives them; then lost tasks."""
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
    """Show members with their processes and tags, what they hold and report, and what each assignment gives them; then lost tasks."""
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
    """Return the table of owners: what `columns` say of each, then the tasks that each assignment gives it.

    `held` are the tasks that owners have now. A last row has the tasks that no owner is given.
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
    """Show what each client gets in two runs, the second with what it gains and loses."""
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
    note = f"+ marks what a {owner} gains in a role, - what it loses"
    return TextTable([owner, before.title, after.title], rows, note)


def runs(tasks: Iterable[TaskId]) -> str:
    """Write tasks by subtopology, neighbours drawn together: ``0_0-2,5 1_0``; a hyphen for none."""
    numbers: dict[int, list[int]] = {}
    for task in sorted(tasks):
        numbers.setdefault(task.subtopology, []).append(task.partition)
    return " ".join(f"{name}_{','.join(ranges(of))}" for name, of in numbers.items()) or "-"


def _write_roles(given: ByRole) -> str:
    others = (f"; {role} {runs(tasks)}" for role, tasks in zip(ROLES[1:], given[1:], strict=False) if tasks)
    return runs(given[0]) + "".join(others)


def _write_given(given: ByRole | None, had: ByRole | None) -> str:
    """Write what an owner is given by role; + marks what it did not have in any role, if it is known what it had."""
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
    """Return what the clients run now, as they claim it; None if no client runs anything."""
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
    changed=timelines.changed,
    show_change=show_change,
    same=rounds.same,
    present=present,
    sampler=Sampler(applications.NUMBERS, applications.USUAL, applications.KINDS, applications.draw),
)

STREAMS_GROUPS = Shape(
    name="streams groups",
    groups=load_later("kassay.properties.tasks.members.strategies:groups"),
    timelines=TASKS.timelines,
    play=load_later("kassay.properties.tasks.members.strategies:play"),
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
    changed=processes.changed,
    show_change=lambda before, after: _compare_runs(
        "member", before, after, before.assignment, after.assignment
    ),
    same=laws.same,
    present=lambda group: held if any(map(any, (held := _held_now(group)).values())) else None,
    sampler=Sampler(generating.NUMBERS, generating.USUAL, generating.KINDS, applications.draw),
)


WHOLE = 8
"""Up to so many pairs of a task and a client, all are judged by all laws."""
LEAST = 80
"""Of a thousand of the largest, so many are."""


def share(application: Application) -> int:
    """Return how many of a thousand applications of this size are judged by laws, so that those of every size take about as long."""
    return _share_of(len(application.tasks) * len(application.clients))


def share_of_groups(group: StreamsGroup) -> int:
    """Return how many of a thousand streams groups of this size are judged by laws."""
    return _share_of(sum(each.partitions for each in group.subtopologies) * len(group.members))


def _share_of(pairs: int) -> int:
    # The time of a run grows with tasks times clients.
    return max(LEAST, min(1000, 1000 * WHOLE // max(pairs, 1)))


def squares(application: Application, answer: TaskAssignment) -> tuple[Fraction, Fraction]:
    """Return the sums of the clients' squared loads by threads, of active tasks and of all copies."""
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
    partial(summed, [level for level in LEVELS.values() if level.words.passing or level.traded]),
    build_uneven(squares, "kassay.oracles.tasks.optimum:optimum"),
    build_sequence_solver("kassay.oracles.tasks.over_time:over_time", timelines.stages),
    lambda application: [each.id for each in application.clients],
    {
        "restart": "clients come back without their state, as in a container without a volume. With their disks they have less to restore.",
        "bounce": "clients leave one after the other before the first is back, and come back without their state.",
    },
)

EVERY = 16
"""A check measures every so-manieth application: a proof takes as long as all that is judged of one."""
QUICK = 30_000
"""Up to so many ways to place one task's copies, of all tasks together, optima take a moment; with more, up to half a minute."""


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
    "balance is the active tasks of the busiest thread less those of the idlest one, and 2 at least where one on another client would even "
    "two clients; active, joint, moves and subtopology-spread are compared with the "
    "least that the most even loads of active tasks and of all copies allow, so less even answers may be below it and count as 0; "
    "of an assignor that asks for probing rebalances, compare takes the answer after the last of them, and a check or sweep takes none; "
    "not compared are the moves of large applications with standbys, and, if there are standbys, the spread of subtopologies"
)
OF_GROUPS = (
    "balance is the active tasks of the busiest member less those of the idlest one, and 2 at least where one in another process would even "
    "two processes; moves and restore are between processes, whose members "
    "share a disk, and are compared with the least that the most even loads of active tasks and of all copies allow, so less even "
    "answers may be below it and count as 0; answers with warm-ups, or without all standbys that there are processes for, are not compared, "
    "nor are the moves of large groups with standbys, nor, where there are standbys, the spread of subtopologies"
)


def frontiers(application: Application, time_limit_s: float | None) -> Sequence[Frontier]:
    """Moves against what active tasks and standbys read across racks at the most even loads; squared loads against both at any loads."""
    solve = load_later("kassay.oracles.tasks.frontier:frontiers")
    found: Sequence[Frontier] = solve(application, time_limit_s)
    return found


def oracles(questions: Mapping[str, str], worst_questions: Mapping[str, str]) -> Oracles:
    """Make the oracles of a family of applications."""
    return Oracles(
        questions,
        COMPARED,
        load_later("kassay.oracles.tasks.optimum:optimum"),
        keep_last("kassay.oracles.tasks.optima:optima"),
        load_later("kassay.oracles.tasks.optima:explain"),
        worst_questions,
        load_later("kassay.families.shapes.worst_case:find_worst_application"),
        load_later("kassay.oracles.tasks.optima:programmed"),
        build_verifier("tasks", lambda group: {"family": "streams", **tasks_json.write_group(group)}),
        OF_APPLICATIONS,
        {name: level.words for name, level in LEVELS.items()},
        frontiers,
        SEQUENCES,
        every=EVERY,
        quick=is_quick,
        dominance=keep_last("kassay.oracles.tasks.optima:dominance"),
    )


def oracles_of_groups(questions: Mapping[str, str], worst_questions: Mapping[str, str]) -> Oracles:
    """Make the oracles of a family of streams groups."""
    return Oracles(
        questions,
        of_members.COMPARED,
        load_later("kassay.oracles.tasks.members.optimum:optimum"),
        keep_last("kassay.oracles.tasks.members.optimum:optima"),
        load_later("kassay.oracles.tasks.members.optimum:explain"),
        worst_questions,
        load_later("kassay.families.shapes.worst_case:find_worst_streams_group"),
        load_later("kassay.oracles.tasks.members.optimum:programmed"),
        build_verifier("members", streams_group_json.write_group),
        OF_GROUPS,
        {name: level.words for name, level in of_members.LEVELS.items()},
        every=EVERY,
        quick=is_quick_group,
        dominance=keep_last("kassay.oracles.tasks.members.optimum:dominance"),
    )
