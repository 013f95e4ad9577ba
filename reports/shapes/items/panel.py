"""The picture of what rows are given as SVG: by item, by set of items, or by load, as large as it is."""

from collections import Counter
from collections.abc import Iterable

from markupsafe import Markup

from kassay.reports.shapes.bars import bars
from kassay.reports.shapes.items.by_item import by_item
from kassay.reports.shapes.items.by_set import by_set
from kassay.reports.shapes.items.marks import ACTIVE, LEAVES, MOVES, NEW, STAYS, WRONG, Marks
from kassay.reports.shapes.layout import ROW, TOP, WIDTH, rows

ROWS, SETS, ITEMS = 24, 10, 24
"""Clients, members or workers that get a row each, sets and items that get a column each."""
SPOKEN = 30
"""Rows that are read out."""
KINDS = (STAYS, MOVES, NEW, "standby", WRONG)


def panel(title: str, found: Marks) -> Markup:
    """Draw what each row gets; what is too large to be drawn by item is drawn by set, and else by load."""
    body: Iterable[Markup]
    if len(found.rows) > ROWS or len(found.columns) > SETS:
        trouble = {"lost": len(found.lost), "active more than once": len(found.doubled)}
        items = len({(name, item) for (name, item), mark in found.at.items() if mark.kind != LEAVES})
        body, height = bars(_loads(found), items, trouble, found.words.row), 200
    else:
        whole = sum(map(len, found.columns.values())) <= ITEMS
        listed = rows(found.rows, found.notes, found.loads, lines=whole, kind=found.words.row)
        body = (*listed, *(by_item(found) if whole else by_set(found)))
        height = TOP + ROW * len(found.rows) + 22
    if found.below:
        body = (*body, Markup('<text class="note" x="0" y="{}">{}</text>').format(height + 10, found.below))
        height += 16
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
    for name in found.rows[:SPOKEN]:
        copies = sum(number for (at, role), number in roles.items() if at == name and role != ACTIVE)
        told.append(
            f"{name} runs {roles[name, ACTIVE]:,}"
            + (f", {new[name]:,} of them newly" if new[name] else "")
            + (f", and keeps {copies:,} copies" if copies else "")
        )
    more = [f"{len(found.rows) - SPOKEN:,} more {found.words.row}s"] if len(found.rows) > SPOKEN else []
    wrong = sum(mark.kind == WRONG for mark in found.at.values())
    trouble = (
        ("lost", len(found.lost)),
        ("waiting for the next round", len(found.waits)),
        ("active twice or more", len(found.doubled)),
        ("given wrongly", wrong),
    )
    below = [found.below] if found.below else []
    return "; ".join([*told, *more, *(f"{count} {what}" for what, count in trouble if count), *below])


def _loads(found: Marks) -> list[dict[str, int]]:
    loads = {name: dict.fromkeys(KINDS, 0) for name in found.rows}
    for (name, _), mark in found.at.items():
        if mark.kind != LEAVES:
            loads[name][mark.kind if mark.role == ACTIVE or mark.kind == WRONG else "standby"] += 1
    return list(loads.values())
