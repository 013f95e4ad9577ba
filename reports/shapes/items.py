"""The picture of an assignment as SVG: by item, by set of items (topic, subtopology, connector) if they are many, or by load.

Items are partitions, tasks or connectors.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, TypeAlias

from markupsafe import Markup

from kassay.reports.shapes.layout import (
    DIGIT,
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
    draw_arrow,
    draw_bars,
    draw_box,
    draw_head,
    draw_rows,
    find_label_step,
    place_columns,
    short_names,
    write_text,
)

ACTIVE, STANDBY, WARM_UP = "active", "standby", "warm-up"
Roles: TypeAlias = Mapping[str, Sequence[Any]]
"""Role -> items."""


@dataclass(frozen=True, slots=True)
class Mark:
    """One item at one row."""

    role: str
    kind: str
    crossing: bool = False
    """True if it is read across racks."""
    giver: str = ""
    """The row that an active item comes from."""
    times: int = 1
    """How often the row gets it, 0 if it leaves."""


def count_cell(own: Sequence[Mark]) -> tuple[str, str] | None:
    """Return the numbers of active items and copies of a set at a row, and the number of new active ones; None for nothing."""
    held = [mark for mark in own if mark.kind != LEAVES]
    active = [mark for mark in held if mark.role == ACTIVE]
    new = sum(mark.kind in (MOVES, NEW) for mark in active)
    copies = f"+{len(held) - len(active)}" if len(held) > len(active) else ""
    return (f"{len(active)}{copies}", f"{new} new" if new else "") if held else None


def describe_row(name: str, own: Sequence[Mark]) -> str:
    """Return in words how many items a row runs, gains and keeps copies of."""
    held = [mark for mark in own if mark.kind != LEAVES]
    active = [mark for mark in held if mark.role == ACTIVE]
    new, copies = sum(mark.kind in (MOVES, NEW) for mark in active), len(held) - len(active)
    gained = f", {new:,} of them newly" if new else ""
    return f"{name} runs {len(active):,}{gained}" + (f", and keeps {copies:,} copies" if copies else "")


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a picture: the nouns of its rows and sets of items, and what it says of their marks."""

    row: str
    set: str
    counted: str
    """The note on numbers if it counts the items of each set."""
    head: str
    """The text before the name of a set in its tooltip."""
    doubled: tuple[str, str] = ("active more than once", "active twice or more")
    """Items that are assigned more than once, under bars and for screen readers."""
    cell: Callable[[Sequence[Mark]], tuple[object, str] | None] = count_cell
    tell: Callable[[str, Sequence[Mark]], str] = describe_row
    dotted: bool = False
    """True if arrows begin with a dot in the middle of a row, not at its edge."""


@dataclass(frozen=True, slots=True)
class Marks:
    """A group and an assignment as a picture shows them: rows down, sets of items across, and the marks."""

    words: Words
    rows: Sequence[str]
    columns: Mapping[str, Mapping[Any, str]]
    """The items of each set, with their labels."""
    at: Mapping[tuple[str, Any], Mark]
    lost: frozenset[Any]
    """Items that are active nowhere."""
    doubled: Mapping[Any, int]
    """Items that are active more than once, with the number of times."""
    loads: Mapping[str, str]
    notes: Mapping[str, str]
    """Notes under the names of rows."""
    waits: frozenset[Any] = frozenset()
    """Items that are active nowhere until the next rebalance."""
    below: str = ""
    """The note under the picture."""
    unread: frozenset[tuple[str, str]] = frozenset()
    """Rows with sets that they do not subscribe to."""
    shared: int | None = None
    """The number of items that even bars share; None: of those that are assigned."""


def compare_roles(
    held: Mapping[str, Roles],
    given: Mapping[str, Roles],
    stateful: Mapping[Any, bool],
    *,
    place: Callable[[str], str] = str,
    across: Callable[[str, Any], int] = lambda _row, _item: 0,
) -> dict[tuple[str, Any], Mark]:
    """Return the mark of each row and item: compare the old assignment `held` with the new one `given`.

    `stateful` has all existing items, and whether they may have copies. `place` maps a row to its process, which keeps one copy of an item.
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
        # The active role comes last, so it is the visible one of an item in two roles.
        for role in sorted(roles, key=lambda role: role == ACTIVE):
            active = role == ACTIVE
            before = set(had.get(ACTIVE, ())) if active else had_any
            for item in roles[role]:
                wrong = row not in held or item not in stateful or copies[place(row), item] > 1
                wrong |= not active and not stateful.get(item)
                kind = WRONG if wrong else STAYS if item in before else MOVES if item in owner else NEW
                giver = owner[item] if active and kind == MOVES else ""
                if giver and item in given.get(giver, {}).get(ACTIVE, ()):
                    giver = ""  # it still has the item
                at[row, item] = Mark(role, kind, active and across(row, item) > 0, giver)
    return at


def label_columns(
    items: Sequence[Any], at: Mapping[tuple[str, Any], Mark], label: Callable[[Any], tuple[str, str]]
) -> dict[str, dict[Any, str]]:
    """Return the items by set with their labels, existing items first; `label` returns the name of an item's set and of the item."""
    strangers = {item for _, item in at} - set(items)
    found: dict[str, dict[Any, str]] = {}
    for item in (*items, *sorted(strangers, key=lambda item: (not isinstance(item, str), item))):
        name, own = label(item)
        found.setdefault(name, {})[item] = own
    return found


def count_active(given: Mapping[str, Roles]) -> Counter[Any]:
    """Return how often each item is active."""
    return Counter(item for roles in given.values() for item in roles[ACTIVE])


def draw_by_item(found: Marks) -> Iterator[Markup]:
    """Draw every item at its old and new rows; lost, waiting and doubled items are marked below."""
    rows = {name: n for n, name in enumerate(found.rows)}
    bottom = TOP + ROW * len(rows)
    cells: list[Markup] = []
    arrows: list[Markup] = []
    names = short_names(list(found.columns), LETTERS, found.words.set)
    pitch, places = place_columns({name: len(items) for name, items in found.columns.items()})
    for (name, items), (start, width, left) in zip(found.columns.items(), places, strict=True):
        yield draw_head(f"{found.words.head}{name}", names[name], start, width)
        yield from _draw_unread(found, name, left, pitch * len(items))
        shown = find_label_step(max(map(len, items.values())), pitch)
        for n, (item, label) in enumerate(items.items()):
            x = left + pitch * (n + 0.5)
            if n % shown == 0:
                yield write_text("note mid", x, 31, label)
            for row, at in rows.items():
                mark = found.at.get((row, item))
                if mark is None:
                    continue
                is_active = mark.role == ACTIVE
                look = mark.kind if is_active or mark.kind in (LEAVES, WRONG) else f"{mark.role} {mark.kind}"
                role = "" if is_active or mark.kind == WRONG else "w" if mark.role == WARM_UP else "s"
                sign = role or "✗" * (mark.kind == WRONG) + "R" * mark.crossing
                sign += str(mark.times) if mark.times > 1 else ""
                cells.append(draw_box(look, x, at, pitch, sign, role=bool(role), crossing=mark.crossing))
                if mark.giver:
                    giver = rows[mark.giver]
                    edge = ROW / 2 if found.words.dotted else ROW - 6 if at > giver else 6
                    arrows.append(draw_arrow(x, giver, at, edge))
                    if found.words.dotted:
                        dot = Markup('<circle class="tip" cx="{:g}" cy="{:g}" r="2.6"/>')
                        arrows.append(dot.format(x, TOP + ROW * giver + edge))
            sign = "✗" if item in found.lost else "…" if item in found.waits else ""
            if sign := f"{found.doubled[item]}x" if item in found.doubled else sign:
                waits = item in found.waits
                # Neighbouring signs would overlap in narrow columns.
                y = bottom + (20 if n % 2 and pitch < 2.4 * DIGIT and not waits else 11)
                yield write_text("note mid" if waits else "trouble mid", x, y, sign)
    yield from (*cells, *arrows)


def _draw_unread(found: Marks, name: str, left: float, width: float) -> Iterator[Markup]:
    """Draw a band for each row that is not subscribed to the set, with a dash if the band is empty."""
    for at, row in enumerate(found.rows):
        if (row, name) in found.unread:
            y = TOP + ROW * at + 5
            yield Markup('<rect class="unread" x="{:g}" y="{:g}" width="{:g}" height="{}"/>').format(
                left, y, width, ROW - 10
            )
            if not any((row, item) in found.at for item in found.columns[name]):
                yield write_text("note mid", left + width / 2, y + 17, "\N{EN DASH}")


def draw_by_set(found: Marks) -> Iterator[Markup]:
    """Write how many items of each set a row gets, and how many change."""
    pitch = (WIDTH - LEFT - RIGHT) / max(1, len(found.columns))
    names = short_names(list(found.columns), max(2, int((pitch - GAP / 2) / LETTER)), found.words.set)
    for n, (name, items) in enumerate(found.columns.items()):
        x = LEFT + pitch * (n + 0.5)
        yield draw_head(f"{found.words.head}{name}", names[name], x - pitch / 2, pitch - GAP / 2)
        yield write_text("note mid", x, 31, len(items))
        for at, row in enumerate(found.rows):
            cell = found.words.cell([found.at[row, item] for item in items if (row, item) in found.at])
            if cell:
                y = TOP + ROW * at
                yield write_text("count mid", x, y + 17, cell[0])
                yield write_text("change mid", x, y + 29, cell[1])
    yield write_text("note", 0, TOP + ROW * len(found.rows) + 16, found.words.counted)


ROWS, SETS, ITEMS = 24, 10, 24
"""Members, clients or workers that get a row each, sets and items that get a column each."""
SPOKEN = 30
"""Rows that are listed for screen readers."""
KINDS = (STAYS, MOVES, NEW, "standby", WRONG)


def draw_by_load(found: Marks) -> Iterator[Markup]:
    """Draw the loads, with the items that stay at the bottom."""
    loads = {name: dict.fromkeys(KINDS, 0) for name in found.rows}
    for (name, _), mark in found.at.items():
        if mark.kind != LEAVES:
            loads[name][mark.kind if mark.role == ACTIVE or mark.kind == WRONG else "standby"] += mark.times
    assigned = sum(mark.kind != LEAVES for mark in found.at.values())
    trouble = {"lost": len(found.lost), found.words.doubled[0]: len(found.doubled)}
    shared = assigned if found.shared is None else found.shared
    return draw_bars(list(loads.values()), shared, trouble, found.words.row)


def draw_panel(title: str, found: Marks) -> Markup:
    """Draw the assignment by item; larger ones by set of items, and the largest by load."""
    body: Iterable[Markup]
    if len(found.rows) > ROWS or len(found.columns) > SETS:
        body, height = draw_by_load(found), 200
    else:
        whole = sum(map(len, found.columns.values())) <= ITEMS
        listed = draw_rows(found.rows, found.notes, found.loads, lines=whole, kind=found.words.row)
        body = (*listed, *(draw_by_item(found) if whole else draw_by_set(found)))
        height = TOP + ROW * len(found.rows) + 22
    if found.below:
        body = (*body, write_text("note", 0, height + 10, found.below))
        height += 16
    return Markup('<svg class="panel" viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>').format(
        WIDTH, height, f"{title}: {describe_picture(found)}", Markup("").join(body)
    )


def describe_picture(found: Marks) -> str:
    """Return in words what the picture shows."""
    own: dict[str, list[Mark]] = {name: [] for name in found.rows}
    for (name, _), mark in found.at.items():
        own[name].append(mark)
    told = [found.words.tell(name, own[name]) for name in found.rows[:SPOKEN]]
    more = [f"{len(found.rows) - SPOKEN:,} more {found.words.row}s"] if len(found.rows) > SPOKEN else []
    trouble = (
        ("lost", len(found.lost)),
        ("waiting for the next rebalance", len(found.waits)),
        (found.words.doubled[1], len(found.doubled)),
        ("assigned wrongly", sum(mark.kind == WRONG for mark in found.at.values())),
    )
    below = [found.below] if found.below else []
    return "; ".join([*told, *more, *(f"{count} {what}" for what, count in trouble if count), *below])
