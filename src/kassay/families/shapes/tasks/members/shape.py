"""The record of the shape of streams groups.

Streams groups and their assignments as tables of text, for people.
"""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from kassay.families.shapes.tasks.shape import NOBODY, changed, runs, signed, timelines
from kassay.model.streams_group import ROLES, MemberTasks, StreamsAssignment, StreamsGroup, StreamsMember
from kassay.model.streams_group_json import read_assignment, read_group, write_assignment, write_group
from kassay.properties.runs import Run
from kassay.properties.tasks.applications import draw
from kassay.properties.tasks.members.generating import KINDS, NUMBERS, USUAL
from kassay.properties.tasks.members.laws import ROUNDS, same
from kassay.properties.tasks.members.processes import changed as at_next
from kassay.properties.tasks.members.shrinking import smaller
from kassay.shape import Assign, Sampler, Shape, TextTable


def show(group: StreamsGroup, assignments: Mapping[str, StreamsAssignment]) -> TextTable:
    """Show members with their processes and tags, what they hold and report, and what each assignment gives them; then lost tasks."""
    members = {member.id: member for member in group.members}
    tags = any(member.tags for member in group.members)
    history = any(map(_holds, group.members))
    reports = any(member.offsets for member in group.members)
    strangers = sorted({name for given in assignments.values() for name in given} - set(members))
    rows = []
    for name in [*members, *strangers]:
        member = members.get(name)
        known = [member.process_id if member else "(no member)"]
        known += [" ".join(f"{tag}={value}" for tag, value in member.tags) if member else ""] * tags
        known += [_roles(_held(member)) if member else ""] * history
        known += [_offsets(member) if member else ""] * reports
        rows.append([name, *known, *(_given(one.get(name), member, history) for one in assignments.values())])
    lost = [_lost(group, one) for one in assignments.values()]
    if any(lost):
        rows.append([NOBODY, *[""] * (1 + tags + history + reports), *lost])
    columns = ["member", "process"] + ["tags"] * tags + ["has now"] * history + ["reports"] * reports
    new = assignments and any("+" in cell for row in rows for cell in row[-len(assignments) :])
    return TextTable(
        [*columns, *assignments], rows, "+ marks a task that the member did not hold before" if new else ""
    )


def show_change(before: Run, after: Run) -> TextTable:
    """Show what each member gets in two runs, the second with what it gains and loses."""
    names = dict.fromkeys(
        [
            *(member.id for run in (before, after) for member in run.group.members),
            *sorted({*before.assignment, *after.assignment}),
        ]
    )
    rows = []
    for name in names:
        first, second = before.assignment.get(name), after.assignment.get(name)
        cells = ["(missing)" if given is None else _roles(given) for given in (first, second)]
        if first is not None and second is not None and first != second:
            cells[1] = "; ".join(
                part
                for role, old, new in zip(ROLES, first, second, strict=True)
                if (part := changed(role, old, new))
            )
        rows.append([name, *cells])
    return TextTable(
        ["member", before.title, after.title], rows, "+ marks what a member gains in a role, - what it loses"
    )


def _held(member: StreamsMember) -> MemberTasks:
    return MemberTasks(member.active, member.standby, member.warmup)


def _holds(member: StreamsMember) -> bool:
    return any(_held(member))


def _offsets(member: StreamsMember) -> str:
    return " ".join(
        f"{task} at {offset}" + (f" of {member.end_offsets[task]}" if task in member.end_offsets else "")
        for task, offset in sorted(member.offsets.items())
    )


def _roles(held: MemberTasks) -> str:
    others = (f"; {role} {runs(tasks)}" for role, tasks in zip(ROLES[1:], held[1:], strict=True) if tasks)
    return runs(held.active) + "".join(others)


def _given(given: MemberTasks | None, member: StreamsMember | None, history: bool) -> str:
    if given is None:
        return "(missing)"
    if member is None or not history:
        return _roles(given)
    had = {task for tasks in _held(member) for task in tasks}
    parts = [
        " ".join(
            part
            for sign, wanted in (("", True), ("+", False))
            if (part := signed(sign, [task for task in tasks if (task in had) is wanted]))
        )
        for tasks in given
    ]
    others = (f"; {role} {part}" for role, part in zip(ROLES[1:], parts[1:], strict=True) if part)
    return (parts[0] or "-") + "".join(others)


def _lost(group: StreamsGroup, assignment: StreamsAssignment) -> str:
    given = {task for one in assignment.values() for task in one.active}
    lost = [task for task in group.tasks() if task not in given]
    return runs(lost) if lost else ""


if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


def _groups() -> "SearchStrategy[StreamsGroup]":
    from kassay.properties.tasks.members.strategies import groups

    return groups()


def _play(assign: Assign, timeline: Any) -> Iterator[StreamsGroup]:
    from kassay.properties.tasks.members.strategies import play

    return play(assign, timeline)


def _present(group: StreamsGroup) -> StreamsAssignment | None:
    """Return what the members have now; None where nobody has anything."""
    held = {member.id: MemberTasks(member.active, member.standby, member.warmup) for member in group.members}
    return held if any(map(any, held.values())) else None


STREAMS_GROUPS = Shape(
    name="streams groups",
    groups=_groups,
    timelines=timelines,
    play=_play,
    smaller=smaller,
    read_group=read_group,
    write_group=write_group,
    read_assignment=read_assignment,
    write_assignment=write_assignment,
    show=show,
    sizes={
        "members": lambda group: len(group.members),
        "processes": lambda group: len(group.processes),
        "subtopologies": lambda group: len(group.subtopologies),
        "tasks": lambda group: sum(each.partitions for each in group.subtopologies),
    },
    items="tasks",
    most_rounds=ROUNDS,
    changed=at_next,
    show_change=show_change,
    same=same,
    present=_present,
    sampler=Sampler(NUMBERS, USUAL, KINDS, draw),
)
