"""The picture of a group by topic: how many of its partitions each member gets, gains and loses."""

from collections.abc import Iterator

from markupsafe import Markup

from kassay.reports.shapes.layout import GAP, LEFT, LETTER, RIGHT, ROW, TOP, WIDTH, head
from kassay.reports.shapes.names import short_names
from kassay.reports.shapes.partitions.marks import LEAVES, MOVES, NEW, Marks

MINUS = "\N{MINUS SIGN}"


def by_topic(found: Marks) -> Iterator[Markup]:
    """Write how many partitions of each topic a member gets, and how many of them newly."""
    pitch = (WIDTH - LEFT - RIGHT) / max(1, len(found.topics))
    names = short_names(list(found.topics), max(2, int((pitch - GAP / 2) / LETTER)), "topic")
    for n, (topic, partitions) in enumerate(found.topics.items()):
        x = LEFT + pitch * (n + 0.5)
        yield head(topic, names[topic], x - pitch / 2, pitch - GAP / 2)
        yield Markup('<text class="note mid" x="{:g}" y="31">{}</text>').format(x, len(partitions))
        for row, name in enumerate(found.members):
            own = [found.at[name, p] for p in partitions if (name, p) in found.at]
            held = sum(mark.times for mark in own)
            new = sum(mark.times for mark in own if mark.kind in (MOVES, NEW))
            gone = sum(mark.kind == LEAVES for mark in own)
            y = TOP + ROW * row
            if held or gone:
                yield Markup('<text class="count mid" x="{:g}" y="{:g}">{}</text>').format(x, y + 17, held)
                said = f"+{new}" * bool(new) + f" {MINUS}{gone}" * bool(gone)
                yield Markup('<text class="change mid" x="{:g}" y="{:g}">{}</text>').format(
                    x, y + 29, said.strip()
                )
    yield Markup('<text class="note" x="0" y="{:g}">{}</text>').format(
        TOP + ROW * len(found.members) + 16,
        f"partitions of each topic; + arrives, {MINUS} leaves",
    )
