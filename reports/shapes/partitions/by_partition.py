"""The picture of a group by partition: a column each, in which a move is an arrow, so that no two arrows cross."""

from collections.abc import Iterator

from markupsafe import Markup

from kassay.reports.shapes.layout import DIGIT, LETTERS, ROW, TOP, arranged, frame, head, spaced
from kassay.reports.shapes.names import short_names
from kassay.reports.shapes.partitions.marks import WRONG, Mark, Marks


def by_partition(found: Marks) -> Iterator[Markup]:
    """Draw every partition at the members that have, get or give it; what is lost or given twice is marked below."""
    pitch, places = arranged({topic: len(partitions) for topic, partitions in found.topics.items()})
    names = short_names(list(found.topics), LETTERS, "topic")
    rows = {name: n for n, name in enumerate(found.members)}
    cells: list[Markup] = []
    arrows: list[Markup] = []
    bottom = TOP + ROW * len(found.members)
    for (topic, partitions), (start, width, left) in zip(found.topics.items(), places, strict=True):
        yield head(topic, names[topic], start, width)
        yield from _unread(found, topic, left, pitch * len(partitions))
        numbered = spaced(len(str(partitions[-1].partition)), pitch)
        for n, partition in enumerate(partitions):
            x = left + pitch * (n + 0.5)
            if n % numbered == 0:
                yield Markup('<text class="note mid" x="{:g}" y="31">{}</text>').format(
                    x, partition.partition
                )
            for name in found.members:
                mark = found.at.get((name, partition))
                if mark is not None:
                    cells.append(_cell(mark, x, rows[name], pitch))
                    if mark.giver:
                        arrows.append(_arrow(x, rows[mark.giver], rows[name]))
            if partition in found.lost or partition in found.doubled:
                below = f"{found.doubled[partition]}x" if partition in found.doubled else "✗"
                yield Markup('<text class="trouble mid" x="{:g}" y="{}">{}</text>').format(
                    x, bottom + (20 if n % 2 and pitch < 2.4 * DIGIT else 11), below
                )
    yield from (*cells, *arrows)


def _unread(found: Marks, topic: str, left: float, width: float) -> Iterator[Markup]:
    """Draw a band where a member does not subscribe to the topic, with a dash where nothing else stands in it."""
    for row, name in enumerate(found.members):
        if (name, topic) in found.unread:
            y = TOP + ROW * row + 5
            yield Markup('<rect class="unread" x="{:g}" y="{:g}" width="{:g}" height="{}"/>').format(
                left, y, width, ROW - 10
            )
            if not any((name, partition) in found.at for partition in found.topics[topic]):
                yield Markup('<text class="note mid" x="{:g}" y="{:g}">\N{EN DASH}</text>').format(
                    left + width / 2, y + 17
                )


def _cell(mark: Mark, x: float, row: int, pitch: float) -> Markup:
    width, y = min(22.0, pitch - 3), TOP + ROW * row + 6
    sign = "✗" * (mark.kind == WRONG) + "R" * mark.crossing + (str(mark.times) if mark.times > 1 else "")
    box = Markup('<rect class="{}" x="{:g}" y="{:g}" width="{:g}" height="{}" rx="3"/>').format(
        mark.kind, x - width / 2, y, width, ROW - 12
    )
    if mark.crossing:
        box += frame(x, y, width)
    return box + (
        Markup('<text class="sign mid" x="{:g}" y="{:g}">{}</text>').format(x, y + 16.5, sign)
        if sign
        else Markup()
    )


def _arrow(x: float, giver: int, taker: int) -> Markup:
    """Draw a move within its column: from the middle of the giver's row to the edge of the taker's."""
    down = taker > giver
    start = TOP + ROW * giver + ROW / 2
    end = TOP + ROW * taker + (5 if down else ROW - 5)
    return Markup(
        '<path class="arrow" d="M{0:g} {1:g}V{2:g}"/><path class="tip" d="M{0:g} {3:g}l-4 {4}h8z"/><circle class="tip" cx="{0:g}" cy="{1:g}" r="2.6"/>'
    ).format(x, start, end - 6 if down else end + 6, end, -7 if down else 7)
