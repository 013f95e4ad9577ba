"""The picture of a group with an assignment as SVG: by partition, by topic, or by load, as large as the group is."""

from collections.abc import Iterator

from markupsafe import Markup, escape

from kassay.model import Assignment, Group
from kassay.reports.shapes.partitions.by_load import by_load
from kassay.reports.shapes.partitions.marks import LEAVES, MOVES, NEW, WRONG, Mark, Marks, marks
from kassay.reports.shapes.partitions.names import short_names, shortened

MEMBERS, PARTITIONS, TOPICS = 24, 24, 10
"""Members that get a row each, partitions and topics that get a column each."""
WIDTH, LEFT, RIGHT, ROW, TOP, GAP = 420, 92, 34, 36, 42, 9
SPOKEN = 30
"""Members that are read out."""


def panel(title: str, group: Group, assignment: Assignment) -> Markup:
    """Draw what each member gets; what is too large to be drawn by partition is drawn by topic, and else by load."""
    found = marks(group, assignment)
    columns = sum(map(len, found.topics.values()))
    if len(found.members) > MEMBERS or (columns > PARTITIONS and len(found.topics) > TOPICS):
        body, height = by_load(found), 200
    else:
        body, height = _rows(found, columns <= PARTITIONS), TOP + ROW * len(found.members) + 22
    return Markup('<svg class="panel" viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>').format(
        WIDTH, height, f"{title}: {spoken(found)}", Markup("").join(body)
    )


def spoken(found: Marks) -> str:
    """Say in words what the picture shows."""
    told = []
    for name in found.members[:SPOKEN]:
        gained = f", {found.gained[name]:,} of them newly" if found.gained[name] else ""
        told.append(f"{name} gets {found.loads[name]:,}{gained}")
    more = [f"{len(found.members) - SPOKEN:,} more members"] if len(found.members) > SPOKEN else []
    wrong = sum(m.kind == WRONG for m in found.at.values())
    trouble = (("lost", len(found.lost)), ("given twice or more", len(found.doubled)), ("given wrongly", wrong))
    return "; ".join([*told, *more, *(f"{count} {what}" for what, count in trouble if count)])


def _rows(found: Marks, by_partition: bool) -> Iterator[Markup]:
    """Draw a row for each member, with a column for each partition, or each topic."""
    known = short_names(found.members)
    yield Markup('<text class="note end" x="{}" y="31">load</text>').format(WIDTH)
    for n, name in enumerate(found.members):
        y = TOP + ROW * n + ROW / 2
        rack = found.racks.get(name, "")
        yield Markup('<path class="line" d="M{} {:g}H{}"/>').format(LEFT - 4, y, WIDTH - RIGHT)
        yield Markup('<text class="member" x="0" y="{:g}">{}<title>{}</title></text>').format(
            y + (-1 if rack else 4), known[name], name
        )
        if rack:
            yield Markup('<text class="note" x="0" y="{:g}">{}</text>').format(y + 12, shortened(f"rack {rack}", 14))
        yield Markup('<text class="load end" x="{}" y="{:g}">{}</text>').format(WIDTH, y + 5, found.loads[name])
    yield from _by_partition(found) if by_partition else _by_topic(found)


def _by_partition(found: Marks) -> Iterator[Markup]:
    columns = sum(map(len, found.topics.values()))
    pitch = min(30.0, (WIDTH - LEFT - RIGHT - GAP * len(found.topics)) / max(1, columns))
    left, rows = float(LEFT), {name: n for n, name in enumerate(found.members)}
    cells: list[Markup] = []
    arrows: list[Markup] = []
    bottom = TOP + ROW * len(found.members)
    for topic, partitions in found.topics.items():
        width = pitch * len(partitions)
        yield _head(topic, left, width)
        for name in found.members:
            if (name, topic) in found.unread:
                y = TOP + ROW * rows[name] + 5
                yield Markup('<rect class="unread" x="{:g}" y="{:g}" width="{:g}" height="{}"/>').format(left, y, width, ROW - 10)
        for n, partition in enumerate(partitions):
            x = left + pitch * (n + 0.5)
            yield Markup('<text class="note mid" x="{:g}" y="31">{}</text>').format(x, partition.partition)
            for name in found.members:
                mark = found.at.get((name, partition))
                if mark is not None:
                    cells.append(_cell(mark, x, rows[name], pitch))
                    if mark.giver:
                        arrows.append(_arrow(x, rows[mark.giver], rows[name]))
            below = "lost" if partition in found.lost else f"{found.doubled[partition]}×" if partition in found.doubled else ""
            if below:
                yield Markup('<text class="trouble mid" x="{:g}" y="{}">{}</text>').format(x, bottom + 14, below if pitch > 22 or below != "lost" else "✗")
        left += width + GAP
    yield from (*cells, *arrows)


def _head(topic: str, left: float, width: float) -> Markup:
    return Markup('<text class="topic mid" x="{:g}" y="12">{}<title>{}</title></text><path class="head" d="M{:g} 17H{:g}"/>').format(
        left + width / 2, shortened(topic, max(2, int(width / 7.2))), topic, left + 1, left + width - 1
    )


def _cell(mark: Mark, x: float, row: int, pitch: float) -> Markup:
    width, y = min(22.0, pitch - 3), TOP + ROW * row + 6
    sign = "✗" * (mark.kind == WRONG) + "R" * mark.crossing + (str(mark.times) if mark.times > 1 else "")
    box = Markup('<rect class="{}" x="{:g}" y="{:g}" width="{:g}" height="{}" rx="3"/>').format(mark.kind, x - width / 2, y, width, ROW - 12)
    if mark.crossing:
        box += Markup('<rect class="far" x="{:g}" y="{:g}" width="{:g}" height="{}" rx="4"/>').format(x - width / 2 - 1.5, y - 1.5, width + 3, ROW - 9)
    return box + (Markup('<text class="sign mid" x="{:g}" y="{:g}">{}</text>').format(x, y + 16.5, sign) if sign else Markup())


def _arrow(x: float, giver: int, taker: int) -> Markup:
    """Draw a move within its column: from the middle of the giver's row to the edge of the taker's."""
    down = taker > giver
    start = TOP + ROW * giver + ROW / 2
    end = TOP + ROW * taker + (5 if down else ROW - 5)
    return Markup('<path class="arrow" d="M{0:g} {1:g}V{2:g}"/><path class="tip" d="M{0:g} {3:g}l-4 {4}h8z"/><circle class="tip" cx="{0:g}" cy="{1:g}" r="2.6"/>').format(
        x, start, end - 6 if down else end + 6, end, -7 if down else 7
    )


def _by_topic(found: Marks) -> Iterator[Markup]:
    """Write how many partitions of each topic a member gets, and how many of them newly."""
    pitch = (WIDTH - LEFT - RIGHT) / max(1, len(found.topics))
    for n, (topic, partitions) in enumerate(found.topics.items()):
        x = LEFT + pitch * (n + 0.5)
        yield _head(topic, x - pitch / 2, pitch - GAP / 2)
        yield Markup('<text class="note mid" x="{:g}" y="31">{}</text>').format(x, len(partitions))
        for row, name in enumerate(found.members):
            own = [found.at[name, p] for p in partitions if (name, p) in found.at]
            held = sum(mark.times for mark in own)
            new = sum(mark.times for mark in own if mark.kind in (MOVES, NEW))
            gone = sum(mark.kind == LEAVES for mark in own)
            y = TOP + ROW * row
            if held or gone:
                yield Markup('<text class="count mid" x="{:g}" y="{:g}">{}</text>').format(x, y + 17, held)
                said = f"+{new}" * bool(new) + f" −{gone}" * bool(gone)
                yield Markup('<text class="change mid" x="{:g}" y="{:g}">{}</text>').format(x, y + 29, said.strip())
