"""What a picture marks: for each row and item its role, whether it stays, arrives, leaves or is wrong, and who reads from afar.

The picture by item: a column each, active ones filled, standbys framed, warm-ups dashed.

The picture by set of items, a subtopology or a connector: how many each row has active, keeps as copies, and gets newly.

The picture of what rows are given as SVG: by item, by set of items, or by load, as large as it is.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, TypeAlias

from markupsafe import Markup

from kassay.reports.shapes.layout import (
    GAP,
    LEAVES,
    LEFT,
    LETTER,
    LETTERS,
    MOVES,
    NEW,
    RIGHT,
    ROW,
    STAYS,
    TOP,
    WIDTH,
    WRONG,
    draw_bars,
    draw_frame,
    draw_head,
    draw_rows,
    find_label_step,
    place_columns,
    short_names,
)

ACTIVE, STANDBY, WARM_UP = "active", "standby", "warm-up"
Roles: TypeAlias = Mapping[str, Sequence[Any]]
"""Role -> items."""


@dataclass(frozen=True, slots=True)
class Mark:
    """One item at one row: its role, what becomes of it, whether it is read across racks, and from where an active one comes."""

    role: str
    kind: str
    crossing: bool = False
    giver: str = ""


@dataclass(frozen=True, slots=True)
class Words:
    """What a picture calls its rows and its sets of items, and what it says of numbers where it counts the items of each set."""

    row: str
    set: str
    counted: str


@dataclass(frozen=True, slots=True)
class Marks:
    """A group and an assignment as a picture shows them: rows down, sets of items across, and the marks.

    `columns` has the items of each set, with the label of each. `lost` are the items that are active nowhere, `waits` those that are
    to be so until the next round; `doubled` those active more than once, with how often. `loads` are the numbers at the right,
    `notes` stand under the names of rows, `below` under the picture.
    """

    words: Words
    rows: Sequence[str]
    columns: Mapping[str, Mapping[Hashable, str]]
    at: Mapping[tuple[str, Any], Mark]
    lost: frozenset[Any]
    doubled: Mapping[Any, int]
    loads: Mapping[str, str]
    notes: Mapping[str, str]
    waits: frozenset[Any] = frozenset()
    below: str = ""


def compare_roles(
    held: Mapping[str, Roles],
    given: Mapping[str, Roles],
    stateful: Mapping[Any, bool],
    *,
    place: Callable[[str], str] = str,
    across: Callable[[str, Any], int] = lambda _row, _item: 0,
) -> dict[tuple[str, Any], Mark]:
    """Compare what rows have with what they get: the mark of each row and item.

    `stateful` are the items that there are, and whether they may have copies; `place` is where a row keeps its copies, of each item one.
    """
    owner = {item: row for row, roles in held.items() for item in roles[ACTIVE]}
    copies = Counter(
        (place(row), item) for row, roles in given.items() for part in roles.values() for item in set(part)
    )
    at: dict[tuple[str, Any], Mark] = {}
    for row, roles in held.items():
        now = set(chain.from_iterable(given.get(row, {}).values()))
        for role, items in roles.items():
            at |= {(row, item): Mark(role, LEAVES) for item in items if item not in now}
    for row, roles in given.items():
        had = held.get(row, {})
        had_any = set(chain.from_iterable(had.values()))
        # the active role comes last, so it is the one that is seen of an item in two roles
        for role in sorted(roles, key=lambda role: role == ACTIVE):
            active = role == ACTIVE
            before = set(had.get(ACTIVE, ())) if active else had_any
            for item in roles[role]:
                wrong = row not in held or item not in stateful or copies[place(row), item] > 1
                wrong |= not active and not stateful.get(item)
                kind = WRONG if wrong else STAYS if item in before else MOVES if item in owner else NEW
                giver = owner[item] if active and kind == MOVES else ""
                if giver and item in given.get(giver, {}).get(ACTIVE, ()):
                    giver = ""  # which has it still
                at[row, item] = Mark(role, kind, active and across(row, item) > 0, giver)
    return at


def label_columns(
    items: Sequence[Any], at: Mapping[tuple[str, Any], Mark], label: Callable[[Any], tuple[str, str]]
) -> dict[str, dict[Hashable, str]]:
    """Return the items by set, those that there are first, with labels; `label` is the name of an item's set, and its own in there."""
    strangers = {item for _, item in at} - set(items)
    found: dict[str, dict[Hashable, str]] = {}
    for item in (*items, *sorted(strangers, key=lambda item: (not isinstance(item, str), item))):
        name, own = label(item)
        found.setdefault(name, {})[item] = own
    return found


def count_active(given: Mapping[str, Roles]) -> Counter[Any]:
    """Return how often each item is active."""
    return Counter(item for roles in given.values() for item in roles[ACTIVE])


def draw_by_item(found: Marks) -> Iterator[Markup]:
    """Draw every item at the rows that have it, get it or give it; what is lost, waits or runs twice is marked below."""
    rows = {name: n for n, name in enumerate(found.rows)}
    bottom = TOP + ROW * len(rows)
    cells: list[Markup] = []
    arrows: list[Markup] = []
    names = short_names(list(found.columns), LETTERS, found.words.set)
    pitch, places = place_columns({name: len(items) for name, items in found.columns.items()})
    for (name, items), (start, width, left) in zip(found.columns.items(), places, strict=True):
        yield draw_head(f"{found.words.set} {name}", names[name], start, width)
        shown = find_label_step(max(map(len, items.values())), pitch)
        for n, (item, label) in enumerate(items.items()):
            x = left + pitch * (n + 0.5)
            if n % shown == 0:
                yield Markup('<text class="note mid" x="{:g}" y="31">{}</text>').format(x, label)
            for row, at in rows.items():
                mark = found.at.get((row, item))
                if mark is not None:
                    cells.append(_draw_cell(mark, x, at, pitch))
                    if mark.giver:
                        arrows.append(_draw_arrow(x, rows[mark.giver], at))
            if sign := _below(found, item):
                look = "note" if item in found.waits else "trouble"
                yield Markup('<text class="{} mid" x="{:g}" y="{}">{}</text>').format(
                    look, x, bottom + 11, sign
                )
    yield from (*cells, *arrows)


def _below(found: Marks, item: Any) -> str:
    if item in found.doubled:
        return f"{found.doubled[item]}x"
    return "✗" if item in found.lost else "…" if item in found.waits else ""


def _draw_cell(mark: Mark, x: float, row: int, pitch: float) -> Markup:
    width, y = min(22.0, pitch - 3), TOP + ROW * row + 6
    look = mark.kind if mark.role == ACTIVE or mark.kind in (LEAVES, WRONG) else f"{mark.role} {mark.kind}"
    role = "" if mark.role == ACTIVE or mark.kind == WRONG else "w" if mark.role == WARM_UP else "s"
    sign = role or "✗" * (mark.kind == WRONG) + "R" * mark.crossing
    box = Markup('<rect class="{}" x="{:g}" y="{:g}" width="{:g}" height="{}" rx="3"/>').format(
        look, x - width / 2, y, width, ROW - 12
    )
    if mark.crossing:
        box += draw_frame(x, y, width)
    if sign:
        box += Markup('<text class="{} mid" x="{:g}" y="{:g}">{}</text>').format(
            "role" if role else "sign", x, y + 16.5, sign
        )
    return box


def _draw_arrow(x: float, giver: int, taker: int) -> Markup:
    """Draw the move of an active item within its column: from the edge of the giver's row to the edge of the taker's."""
    down = taker > giver
    start = TOP + ROW * giver + (ROW - 6 if down else 6)
    end = TOP + ROW * taker + (5 if down else ROW - 5)
    return Markup(
        '<path class="arrow" d="M{0:g} {1:g}V{2:g}"/><path class="tip" d="M{0:g} {3:g}l-4 {4}h8z"/>'
    ).format(x, start, end - 6 if down else end + 6, end, -7 if down else 7)


def draw_by_set(found: Marks) -> Iterator[Markup]:
    """Write how many active items and copies of each set a row gets, and how many of the active ones newly."""
    pitch = (WIDTH - LEFT - RIGHT) / max(1, len(found.columns))
    names = short_names(list(found.columns), max(2, int((pitch - GAP / 2) / LETTER)), found.words.set)
    for n, (name, items) in enumerate(found.columns.items()):
        x = LEFT + pitch * (n + 0.5)
        yield draw_head(f"{found.words.set} {name}", names[name], x - pitch / 2, pitch - GAP / 2)
        yield Markup('<text class="note mid" x="{:g}" y="31">{}</text>').format(x, len(items))
        for at, row in enumerate(found.rows):
            own = [found.at[row, item] for item in items if (row, item) in found.at]
            held = [mark for mark in own if mark.kind != LEAVES]
            active = [mark for mark in held if mark.role == ACTIVE]
            new = sum(mark.kind in (MOVES, NEW) for mark in active)
            if held:
                copies = f"+{len(held) - len(active)}" if len(held) > len(active) else ""
                y = TOP + ROW * at
                yield Markup('<text class="count mid" x="{:g}" y="{:g}">{}{}</text>').format(
                    x, y + 17, len(active), copies
                )
                yield Markup('<text class="change mid" x="{:g}" y="{:g}">{}</text>').format(
                    x, y + 29, f"{new} new" if new else ""
                )
    yield Markup('<text class="note" x="0" y="{:g}">{}</text>').format(
        TOP + ROW * len(found.rows) + 16, found.words.counted
    )


ROWS, SETS, ITEMS = 24, 10, 24
"""Clients, members or workers that get a row each, sets and items that get a column each."""
SPOKEN = 30
"""Rows that are read out."""
KINDS = (STAYS, MOVES, NEW, "standby", WRONG)


def draw_panel(title: str, found: Marks) -> Markup:
    """Draw what each row gets; what is too large to be drawn by item is drawn by set, and else by load."""
    body: Iterable[Markup]
    if len(found.rows) > ROWS or len(found.columns) > SETS:
        trouble = {"lost": len(found.lost), "active more than once": len(found.doubled)}
        items = len({(name, item) for (name, item), mark in found.at.items() if mark.kind != LEAVES})
        body, height = draw_bars(_count_loads(found), items, trouble, found.words.row), 200
    else:
        whole = sum(map(len, found.columns.values())) <= ITEMS
        listed = draw_rows(found.rows, found.notes, found.loads, lines=whole, kind=found.words.row)
        body = (*listed, *(draw_by_item(found) if whole else draw_by_set(found)))
        height = TOP + ROW * len(found.rows) + 22
    if found.below:
        body = (*body, Markup('<text class="note" x="0" y="{}">{}</text>').format(height + 10, found.below))
        height += 16
    return Markup('<svg class="panel" viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>').format(
        WIDTH, height, f"{title}: {describe_picture(found)}", Markup("").join(body)
    )


def describe_picture(found: Marks) -> str:
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


def _count_loads(found: Marks) -> list[dict[str, int]]:
    loads = {name: dict.fromkeys(KINDS, 0) for name in found.rows}
    for (name, _), mark in found.at.items():
        if mark.kind != LEAVES:
            loads[name][mark.kind if mark.role == ACTIVE or mark.kind == WRONG else "standby"] += 1
    return list(loads.values())
