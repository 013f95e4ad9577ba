"""The picture of an application with an assignment as SVG: by task, by subtopology, or by load, as large as it is."""

from collections import Counter
from collections.abc import Iterable

from markupsafe import Markup

from kassay.model.tasks import Application, TaskAssignment
from kassay.reports.shapes.bars import bars
from kassay.reports.shapes.layout import ROW, TOP, WIDTH, rows
from kassay.reports.shapes.tasks.by_subtopology import by_subtopology
from kassay.reports.shapes.tasks.by_task import by_task
from kassay.reports.shapes.tasks.marks import ACTIVE, LEAVES, MOVES, NEW, STAYS, WRONG, Marks, marks

CLIENTS, SUBTOPOLOGIES, TASKS = 24, 10, 24
"""Clients that get a row each, subtopologies and tasks that get a column each."""
SPOKEN = 30
"""Clients that are read out."""
KINDS = (STAYS, MOVES, NEW, "standby", WRONG)


def panel(title: str, application: Application, assignment: TaskAssignment) -> Markup:
    """Draw what each client gets; what is too large to be drawn by task is drawn by subtopology, and else by load."""
    found = marks(application, assignment)
    body: Iterable[Markup]
    if len(found.clients) > CLIENTS or len(found.subtopologies) > SUBTOPOLOGIES:
        trouble = {"lost": len(found.lost), "active more than once": len(found.doubled)}
        items = len({(name, task) for (name, task), mark in found.at.items() if mark.kind != LEAVES})
        body, height = bars(_loads(found), items, trouble, "client"), 200
    else:
        whole = sum(map(len, found.subtopologies.values())) <= TASKS
        listed = rows(found.clients, found.racks, found.loads, lines=whole, kind="client")
        body = (*listed, *(by_task(found) if whole else by_subtopology(found)))
        height = TOP + ROW * len(found.clients) + 22
    return Markup('<svg class="panel" viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>').format(
        WIDTH, height, f"{title}: {spoken(found)}", Markup("").join(body)
    )


def spoken(found: Marks) -> str:
    """Say in words what the picture shows."""
    roles = Counter((name, mark.role) for (name, _), mark in found.at.items() if mark.kind != LEAVES)
    new = Counter(
        name for (name, _), mark in found.at.items() if mark.role == ACTIVE and mark.kind in (MOVES, NEW)
    )
    told = []
    for name in found.clients[:SPOKEN]:
        copies = sum(number for (at, role), number in roles.items() if at == name and role != ACTIVE)
        told.append(
            f"{name} runs {roles[name, ACTIVE]:,}"
            + (f", {new[name]:,} of them newly" if new[name] else "")
            + (f", and keeps {copies:,} copies" if copies else "")
        )
    more = [f"{len(found.clients) - SPOKEN:,} more clients"] if len(found.clients) > SPOKEN else []
    wrong = sum(mark.kind == WRONG for mark in found.at.values())
    trouble = (
        ("lost", len(found.lost)),
        ("active twice or more", len(found.doubled)),
        ("given wrongly", wrong),
    )
    return "; ".join([*told, *more, *(f"{count} {what}" for what, count in trouble if count)])


def _loads(found: Marks) -> list[dict[str, int]]:
    loads = {name: dict.fromkeys(KINDS, 0) for name in found.clients}
    for (name, _), mark in found.at.items():
        if mark.kind != LEAVES:
            loads[name][mark.kind if mark.role == ACTIVE or mark.kind == WRONG else "standby"] += 1
    return list(loads.values())
