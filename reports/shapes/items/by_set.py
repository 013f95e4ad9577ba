"""The picture by set of items, a subtopology or a connector: how many each row has active, keeps as copies, and gets newly."""

from collections.abc import Iterator

from markupsafe import Markup

from kassay.reports.shapes.items.marks import ACTIVE, LEAVES, MOVES, NEW, Marks
from kassay.reports.shapes.layout import GAP, LEFT, LETTER, RIGHT, ROW, TOP, WIDTH, head
from kassay.reports.shapes.names import short_names


def by_set(found: Marks) -> Iterator[Markup]:
    """Write how many active items and copies of each set a row gets, and how many of the active ones newly."""
    pitch = (WIDTH - LEFT - RIGHT) / max(1, len(found.columns))
    names = short_names(list(found.columns), max(2, int((pitch - GAP / 2) / LETTER)), found.words.set)
    for n, (name, items) in enumerate(found.columns.items()):
        x = LEFT + pitch * (n + 0.5)
        yield head(f"{found.words.set} {name}", names[name], x - pitch / 2, pitch - GAP / 2)
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
