"""The picture of an application by task: a column each, active tasks filled, standbys framed, warm-ups dashed."""

from collections.abc import Iterator

from markupsafe import Markup

from kassay.model.tasks import TaskId
from kassay.reports.shapes.layout import GAP, LEFT, RIGHT, ROW, TOP, WIDTH, frame, head
from kassay.reports.shapes.tasks.marks import ACTIVE, LEAVES, WARM_UP, WRONG, Mark, Marks

WIDEST = 30.0


def by_task(found: Marks) -> Iterator[Markup]:
    """Draw every task at the clients that have it, get it or give it; what is lost or runs twice is marked below."""
    room = WIDTH - LEFT - RIGHT - GAP * len(found.subtopologies)
    pitch = min(WIDEST, room / max(1, sum(map(len, found.subtopologies.values()))))
    rows = {name: n for n, name in enumerate(found.clients)}
    bottom, start = TOP + ROW * len(rows), float(LEFT)
    cells: list[Markup] = []
    arrows: list[Markup] = []
    for subtopology, tasks in found.subtopologies.items():
        width = pitch * len(tasks)
        yield head(f"subtopology {subtopology}", str(subtopology), start, width)
        for n, task in enumerate(tasks):
            x = start + pitch * (n + 0.5)
            yield Markup('<text class="note mid" x="{:g}" y="31">{}</text>').format(x, task.partition)
            for name, row in rows.items():
                mark = found.at.get((name, task))
                if mark is not None:
                    cells.append(_cell(mark, x, row, pitch))
                    if mark.giver:
                        arrows.append(_arrow(x, rows[mark.giver], row))
            if task in found.lost or task in found.doubled:
                yield Markup('<text class="trouble mid" x="{:g}" y="{}">{}</text>').format(
                    x, bottom + 11, _trouble(found, task)
                )
        start += width + GAP
    yield from (*cells, *arrows)


def _trouble(found: Marks, task: TaskId) -> str:
    return f"{found.doubled[task]}x" if task in found.doubled else "✗"


def _cell(mark: Mark, x: float, row: int, pitch: float) -> Markup:
    width, y = min(22.0, pitch - 3), TOP + ROW * row + 6
    look = mark.kind if mark.role == ACTIVE or mark.kind in (LEAVES, WRONG) else f"{mark.role} {mark.kind}"
    sign = "✗" * (mark.kind == WRONG) + "R" * mark.crossing
    if mark.role != ACTIVE and mark.kind != WRONG:
        sign = "w" if mark.role == WARM_UP else "s"
    box = Markup('<rect class="{}" x="{:g}" y="{:g}" width="{:g}" height="{}" rx="3"/>').format(
        look, x - width / 2, y, width, ROW - 12
    )
    if mark.crossing:
        box += frame(x, y, width)
    kind = "role" if sign in ("s", "w") else "sign"
    return box + (
        Markup('<text class="{} mid" x="{:g}" y="{:g}">{}</text>').format(kind, x, y + 16.5, sign)
        if sign
        else Markup()
    )


def _arrow(x: float, giver: int, taker: int) -> Markup:
    """Draw the move of an active task within its column: from the edge of the giver's row to the edge of the taker's."""
    down = taker > giver
    start = TOP + ROW * giver + (ROW - 6 if down else 6)
    end = TOP + ROW * taker + (5 if down else ROW - 5)
    return Markup(
        '<path class="arrow" d="M{0:g} {1:g}V{2:g}"/><path class="tip" d="M{0:g} {3:g}l-4 {4}h8z"/>'
    ).format(x, start, end - 6 if down else end + 6, end, -7 if down else 7)
