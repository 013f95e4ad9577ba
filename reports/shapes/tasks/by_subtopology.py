"""The picture of an application by subtopology: how many of its tasks each client runs, keeps as standby, and newly."""

from collections.abc import Iterator

from markupsafe import Markup

from kassay.reports.shapes.layout import GAP, LEFT, RIGHT, ROW, TOP, WIDTH, head
from kassay.reports.shapes.tasks.marks import ACTIVE, LEAVES, MOVES, NEW, Marks


def by_subtopology(found: Marks) -> Iterator[Markup]:
    """Write how many active tasks and copies of each subtopology a client gets, and how many of the active ones newly."""
    pitch = (WIDTH - LEFT - RIGHT) / max(1, len(found.subtopologies))
    for n, (subtopology, tasks) in enumerate(found.subtopologies.items()):
        x = LEFT + pitch * (n + 0.5)
        yield head(f"subtopology {subtopology}", str(subtopology), x - pitch / 2, pitch - GAP / 2)
        yield Markup('<text class="note mid" x="{:g}" y="31">{}</text>').format(x, len(tasks))
        for row, name in enumerate(found.clients):
            own = [found.at[name, task] for task in tasks if (name, task) in found.at]
            held = [mark for mark in own if mark.kind != LEAVES]
            active = [mark for mark in held if mark.role == ACTIVE]
            new = sum(mark.kind in (MOVES, NEW) for mark in active)
            if held:
                copies = f"+{len(held) - len(active)}" if len(held) > len(active) else ""
                y = TOP + ROW * row
                yield Markup('<text class="count mid" x="{:g}" y="{:g}">{}{}</text>').format(
                    x, y + 17, len(active), copies
                )
                yield Markup('<text class="change mid" x="{:g}" y="{:g}">{}</text>').format(
                    x, y + 29, f"{new} new" if new else ""
                )
    yield Markup('<text class="note" x="0" y="{:g}">{}</text>').format(
        TOP + ROW * len(found.clients) + 16, "active tasks+standbys of each subtopology"
    )
