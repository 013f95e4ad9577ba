"""The record of the shape of tasks and clients.

Applications and assignments of tasks as tables of text, for people.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from kassay.model.tasks import Application, Client, Given, TaskAssignment, TaskId
from kassay.model.tasks_json import (
    read_assignment,
    read_beside,
    read_group,
    write_assignment,
    write_beside,
    write_group,
)
from kassay.properties.runs import Run, ranges
from kassay.properties.tasks import applications as sampler
from kassay.properties.tasks.applications import USUAL
from kassay.properties.tasks.rounds import ROUNDS, same
from kassay.properties.tasks.shrinking import smaller
from kassay.properties.tasks.timelines import changed as at_next
from kassay.properties.tasks.timelines import play
from kassay.shape import Sampler, Shape, TextTable

NOBODY = "(nobody)"


def show(application: Application, assignments: Mapping[str, TaskAssignment]) -> TextTable:
    """Show clients with their threads, racks and tags, what they run, and what each assignment gives them; then lost tasks."""
    clients = {client.id: client for client in application.clients}
    racks, tags = (any(getattr(client, name) for client in application.clients) for name in ("rack", "tags"))
    history = any(client.active or client.standby for client in application.clients)
    strangers = sorted({name for given in assignments.values() for name in given.clients} - set(clients))
    rows = []
    for name in [*clients, *strangers]:
        client = clients.get(name)
        known = [str(client.threads) if client else "(no client)"]
        known += [(client and client.rack) or ""] * racks
        known += [" ".join(f"{tag}={value}" for tag, value in client.tags) if client else ""] * tags
        known += [_roles(client.active, client.standby) if client else ""] * history
        rows.append(
            [name, *known, *(_given(one.clients.get(name), client, history) for one in assignments.values())]
        )
    lost = [_lost(application, one) for one in assignments.values()]
    if any(lost):
        rows.append([NOBODY, *[""] * (1 + racks + tags + history), *lost])
    columns = ["client", "threads"] + ["rack"] * racks + ["tags"] * tags + ["runs now"] * history
    return TextTable([*columns, *assignments], rows, _note(assignments, rows))


def show_change(before: Run, after: Run) -> TextTable:
    """Show what each client gets in two runs, the second with what it gains and loses."""
    names = dict.fromkeys(
        [
            *(client.id for run in (before, after) for client in run.group.clients),
            *sorted({*before.assignment.clients, *after.assignment.clients}),
        ]
    )
    rows = []
    for name in names:
        first, second = before.assignment.clients.get(name), after.assignment.clients.get(name)
        cells = ["(missing)" if given is None else _roles(*given) for given in (first, second)]
        if first is not None and second is not None and first != second:
            cells[1] = "; ".join(
                part
                for role, old, new in zip(("active", "standby"), first, second, strict=True)
                if (part := changed(role, old, new))
            )
        rows.append([name, *cells])
    return TextTable(
        ["client", before.title, after.title], rows, "+ marks what a client gains in a role, - what it loses"
    )


def runs(tasks: Iterable[TaskId]) -> str:
    """Write tasks by subtopology, neighbours drawn together: ``0_0-2,5 1_0``; a hyphen for none."""
    numbers: dict[int, list[int]] = {}
    for task in sorted(tasks):
        numbers.setdefault(task.subtopology, []).append(task.partition)
    return " ".join(f"{name}_{','.join(ranges(of))}" for name, of in numbers.items()) or "-"


def _roles(active: Sequence[TaskId], standby: Sequence[TaskId]) -> str:
    return runs(active) + (f"; standby {runs(standby)}" if standby else "")


def _given(given: Given | None, client: Client | None, history: bool) -> str:
    if given is None:
        return "(missing)"
    if client is None or not history:
        return _roles(*given)
    held = {*client.active, *client.standby}
    parts = [
        " ".join(
            part
            for sign, wanted in (("", True), ("+", False))
            if (part := signed(sign, [task for task in tasks if (task in held) is wanted]))
        )
        for tasks in given
    ]
    return (parts[0] or "-") + (f"; standby {parts[1]}" if parts[1] else "")


def signed(sign: str, tasks: Sequence[TaskId]) -> str:
    """Write tasks as :func:`runs` does, each run with a sign; nothing for none."""
    return " ".join(f"{sign}{part}" for part in runs(tasks).split()) if tasks else ""


def changed(role: str, old: Sequence[TaskId], new: Sequence[TaskId]) -> str:
    """Write a role's tasks of two runs: those kept, with + those gained, with - those lost."""
    kept = [task for task in new if task in set(old)]
    gained, lost = ([t for t in one if t not in set(other)] for one, other in ((new, old), (old, new)))
    parts = [signed("", kept), signed("+", gained), signed("-", lost)]
    said = " ".join(part for part in parts if part)
    return f"{role} {said}" if said else ""


def _lost(application: Application, assignment: TaskAssignment) -> str:
    given = {task for one in assignment.clients.values() for task in one.active}
    lost = [task.id for task in application.tasks if task.id not in given]
    return runs(lost) if lost else ""


def _note(assignments: Mapping[str, TaskAssignment], rows: Sequence[Sequence[str]]) -> str:
    notes = []
    if assignments and any("+" in cell for row in rows for cell in row[-len(assignments) :]):
        notes.append("+ marks a task that the client did not hold before")
    if probing := [title for title, one in assignments.items() if one.probing]:
        notes.append(f"a probing rebalance is to follow for {', '.join(probing)}")
    return "; ".join(notes)


if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


def _groups() -> "SearchStrategy[Application]":
    from kassay.properties.tasks.strategies import applications

    return applications()


def timelines() -> "SearchStrategy[Any]":
    """Generate applications and what happens to them."""
    from kassay.properties.tasks import strategies

    return strategies.timelines()


def present(application: Application) -> TaskAssignment | None:
    """Return what the clients run now, as they claim it; None where nobody runs anything."""
    if not any(client.active or client.standby for client in application.clients):
        return None
    return TaskAssignment(
        {client.id: Given(client.active, client.standby) for client in application.clients}, probing=False
    )


TASKS = Shape(
    name="tasks",
    groups=_groups,
    timelines=timelines,
    play=play,
    smaller=smaller,
    read_group=read_group,
    write_group=write_group,
    read_assignment=read_assignment,
    write_assignment=write_assignment,
    write_beside=write_beside,
    read_beside=read_beside,
    show=show,
    sizes={
        "clients": lambda application: len(application.clients),
        "subtopologies": lambda application: len({task.id.subtopology for task in application.tasks}),
        "tasks": lambda application: len(application.tasks),
    },
    items="tasks",
    most_rounds=ROUNDS,
    changed=at_next,
    show_change=show_change,
    same=same,
    present=present,
    sampler=Sampler(sampler.NUMBERS, USUAL, sampler.KINDS, sampler.draw),
)
