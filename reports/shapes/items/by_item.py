"""The picture by item: a column each, active ones filled, standbys framed, warm-ups dashed."""

from collections.abc import Iterator
from typing import Any

from markupsafe import Markup

from kassay.reports.shapes.items.marks import ACTIVE, LEAVES, WARM_UP, WRONG, Mark, Marks
from kassay.reports.shapes.layout import LETTERS, ROW, TOP, arranged, frame, head, spaced
from kassay.reports.shapes.names import short_names


def by_item(found: Marks) -> Iterator[Markup]:
    """Draw every item at the rows that have it, get it or give it; what is lost, waits or runs twice is marked below."""
    rows = {name: n for n, name in enumerate(found.rows)}
    bottom = TOP + ROW * len(rows)
    cells: list[Markup] = []
    arrows: list[Markup] = []
    names = short_names(list(found.columns), LETTERS, found.words.set)
    pitch, places = arranged({name: len(items) for name, items in found.columns.items()})
    for (name, items), (start, width, left) in zip(found.columns.items(), places, strict=True):
        yield head(f"{found.words.set} {name}", names[name], start, width)
        shown = spaced(max(map(len, items.values())), pitch)
        for n, (item, label) in enumerate(items.items()):
            x = left + pitch * (n + 0.5)
            if n % shown == 0:
                yield Markup('<text class="note mid" x="{:g}" y="31">{}</text>').format(x, label)
            for row, at in rows.items():
                mark = found.at.get((row, item))
                if mark is not None:
                    cells.append(_cell(mark, x, at, pitch))
                    if mark.giver:
                        arrows.append(_arrow(x, rows[mark.giver], at))
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


def _cell(mark: Mark, x: float, row: int, pitch: float) -> Markup:
    width, y = min(22.0, pitch - 3), TOP + ROW * row + 6
    look = mark.kind if mark.role == ACTIVE or mark.kind in (LEAVES, WRONG) else f"{mark.role} {mark.kind}"
    role = "" if mark.role == ACTIVE or mark.kind == WRONG else "w" if mark.role == WARM_UP else "s"
    sign = role or "✗" * (mark.kind == WRONG) + "R" * mark.crossing
    box = Markup('<rect class="{}" x="{:g}" y="{:g}" width="{:g}" height="{}" rx="3"/>').format(
        look, x - width / 2, y, width, ROW - 12
    )
    if mark.crossing:
        box += frame(x, y, width)
    if sign:
        box += Markup('<text class="{} mid" x="{:g}" y="{:g}">{}</text>').format(
            "role" if role else "sign", x, y + 16.5, sign
        )
    return box


def _arrow(x: float, giver: int, taker: int) -> Markup:
    """Draw the move of an active item within its column: from the edge of the giver's row to the edge of the taker's."""
    down = taker > giver
    start = TOP + ROW * giver + (ROW - 6 if down else 6)
    end = TOP + ROW * taker + (5 if down else ROW - 5)
    return Markup(
        '<path class="arrow" d="M{0:g} {1:g}V{2:g}"/><path class="tip" d="M{0:g} {3:g}l-4 {4}h8z"/>'
    ).format(x, start, end - 6 if down else end + 6, end, -7 if down else 7)
