"""The picture of the shape of topics, members and partitions.

What a picture marks: for each member and partition whether it stays, arrives, leaves or is wrong, and who reads from afar.

The picture of a group by partition: a column each, in which a move is an arrow, so that no two arrows cross.

The picture of a group by topic: how many of its partitions each member gets, gains and loses.

The picture of a large group of members: a bar for each member, or for each few, as high as its load.

The picture of a group with an assignment as SVG: by partition, by topic, or by load, as large as the group is.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from kassay.model import Assignment, Group, TopicPartition
from kassay.model.hosts import located
from kassay.properties.partitions.owners import owners
from kassay.properties.partitions.rounds import after
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
    Picture,
    draw_bars,
    draw_frame,
    draw_head,
    draw_rows,
    find_label_step,
    place_columns,
    read_style,
    short_names,
)


@dataclass(frozen=True, slots=True)
class Mark:
    """One partition at one member: what becomes of it, how often it is given, whether it is read across racks, and whence it comes."""

    kind: str
    times: int = 1
    crossing: bool = False
    giver: str = ""


@dataclass(frozen=True, slots=True)
class Marks:
    """A group and an assignment as a picture shows them: members down, topics with their partitions across, and the marks.

    `unread` are the topics that a member does not subscribe to; `lost` the partitions with a subscriber that nobody gets,
    `doubled` those that are given more than once, with how often. `loads` says how many a member gets, `gained` how many of them newly.
    """

    members: Sequence[str]
    racks: Mapping[str, str]
    topics: Mapping[str, Sequence[TopicPartition]]
    at: Mapping[tuple[str, TopicPartition], Mark]
    unread: frozenset[tuple[str, str]]
    lost: frozenset[TopicPartition]
    doubled: Mapping[TopicPartition, int]
    loads: Mapping[str, int]
    gained: Mapping[str, int]


def mark_partitions(group: Group, assignment: Assignment) -> Marks:
    """Compare what members own, by the claims that stand, with what they get; racks may be those that host names tell."""
    group = located(group)
    standing = owners(group)
    known = {member.id: member for member in group.members}
    existing = {partition for topic in group.topics for partition in topic}
    near = {topic.name: topic.racks for topic in group.topics if topic.racks}
    given = {name: Counter(parts) for name, parts in assignment.items()}
    at: dict[tuple[str, TopicPartition], Mark] = {}
    for name, parts in given.items():
        for partition, times in parts.items():
            member = known.get(name)
            legal = member is not None and partition in existing and partition.topic in member.topics
            before = standing.get(partition, [])
            rack = member.rack if member else None
            racks = near[partition.topic][partition.partition] if legal and partition.topic in near else ()
            kind = WRONG if not legal else STAYS if name in before else MOVES if before else NEW
            giver = next((owner for owner in before if partition not in given.get(owner, ())), "")
            crossing = bool(rack) and any(each is not None for each in racks) and rack not in racks
            at[name, partition] = Mark(kind, times, crossing, giver if kind == MOVES else "")
    for partition, before in standing.items():
        at |= {
            (owner, partition): Mark(LEAVES, 0) for owner in before if partition not in given.get(owner, ())
        }
    totals = Counter(p for parts in given.values() for p in parts.elements())
    read = {topic for member in group.members for topic in member.topics}
    topics: dict[str, list[TopicPartition]] = {topic.name: list(topic) for topic in group.topics}
    for partition in sorted({p for _, p in at} - existing):
        topics.setdefault(partition.topic, []).append(partition)
    return Marks(
        [*known, *sorted(set(assignment) - set(known))],
        {name: member.rack for name, member in known.items() if member.rack},
        {name: parts for name, parts in topics.items() if parts},
        at,
        frozenset(
            (name, topic) for name, member in known.items() for topic in topics if topic not in member.topics
        ),
        frozenset(p for p in existing if p.topic in read and not totals[p]),
        {partition: times for partition, times in totals.items() if times > 1},
        Counter({name: sum(parts.values()) for name, parts in given.items()}),
        Counter(
            name for (name, _), mark in at.items() if mark.kind in (MOVES, NEW) for _ in range(mark.times)
        ),
    )


def draw_by_partition(found: Marks) -> Iterator[Markup]:
    """Draw every partition at the members that have, get or give it; what is lost or given twice is marked below."""
    pitch, places = place_columns({topic: len(partitions) for topic, partitions in found.topics.items()})
    names = short_names(list(found.topics), LETTERS, "topic")
    rows = {name: n for n, name in enumerate(found.members)}
    cells: list[Markup] = []
    arrows: list[Markup] = []
    bottom = TOP + ROW * len(found.members)
    for (topic, partitions), (start, width, left) in zip(found.topics.items(), places, strict=True):
        yield draw_head(topic, names[topic], start, width)
        yield from _unread(found, topic, left, pitch * len(partitions))
        numbered = find_label_step(len(str(partitions[-1].partition)), pitch)
        for n, partition in enumerate(partitions):
            x = left + pitch * (n + 0.5)
            if n % numbered == 0:
                yield Markup('<text class="note mid" x="{:g}" y="31">{}</text>').format(
                    x, partition.partition
                )
            for name in found.members:
                mark = found.at.get((name, partition))
                if mark is not None:
                    cells.append(_draw_cell(mark, x, rows[name], pitch))
                    if mark.giver:
                        arrows.append(_draw_arrow(x, rows[mark.giver], rows[name]))
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


def _draw_cell(mark: Mark, x: float, row: int, pitch: float) -> Markup:
    width, y = min(22.0, pitch - 3), TOP + ROW * row + 6
    sign = "✗" * (mark.kind == WRONG) + "R" * mark.crossing + (str(mark.times) if mark.times > 1 else "")
    box = Markup('<rect class="{}" x="{:g}" y="{:g}" width="{:g}" height="{}" rx="3"/>').format(
        mark.kind, x - width / 2, y, width, ROW - 12
    )
    if mark.crossing:
        box += draw_frame(x, y, width)
    return box + (
        Markup('<text class="sign mid" x="{:g}" y="{:g}">{}</text>').format(x, y + 16.5, sign)
        if sign
        else Markup()
    )


def _draw_arrow(x: float, giver: int, taker: int) -> Markup:
    """Draw a move within its column: from the middle of the giver's row to the edge of the taker's."""
    down = taker > giver
    start = TOP + ROW * giver + ROW / 2
    end = TOP + ROW * taker + (5 if down else ROW - 5)
    return Markup(
        '<path class="arrow" d="M{0:g} {1:g}V{2:g}"/><path class="tip" d="M{0:g} {3:g}l-4 {4}h8z"/><circle class="tip" cx="{0:g}" cy="{1:g}" r="2.6"/>'
    ).format(x, start, end - 6 if down else end + 6, end, -7 if down else 7)


MINUS = "\N{MINUS SIGN}"


def draw_by_topic(found: Marks) -> Iterator[Markup]:
    """Write how many partitions of each topic a member gets, and how many of them newly."""
    pitch = (WIDTH - LEFT - RIGHT) / max(1, len(found.topics))
    names = short_names(list(found.topics), max(2, int((pitch - GAP / 2) / LETTER)), "topic")
    for n, (topic, partitions) in enumerate(found.topics.items()):
        x = LEFT + pitch * (n + 0.5)
        yield draw_head(topic, names[topic], x - pitch / 2, pitch - GAP / 2)
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


KINDS = (STAYS, MOVES, NEW, WRONG)


def draw_by_load(found: Marks) -> Iterator[Markup]:
    """Draw the loads, what stays at the bottom."""
    loads = {name: dict.fromkeys(KINDS, 0) for name in found.members}
    for (name, _), mark in found.at.items():
        if mark.kind != LEAVES:
            loads[name][mark.kind] += mark.times
    trouble = {"lost": len(found.lost), "given more than once": len(found.doubled)}
    return draw_bars(list(loads.values()), sum(map(len, found.topics.values())), trouble, "member")


MEMBERS, TOPICS, MOST_PARTITIONS = 24, 10, 24
"""Members that get a row each, topics and partitions that get a column each."""
SPOKEN = 30
"""Members that are read out."""


def draw_panel(title: str, group: Group, assignment: Assignment) -> Markup:
    """Draw what each member gets; what is too large to be drawn by partition is drawn by topic, and else by load."""
    found = mark_partitions(group, assignment)
    body: Iterable[Markup]
    if len(found.members) > MEMBERS or len(found.topics) > TOPICS:
        body, height = draw_by_load(found), 200
    else:
        whole = sum(map(len, found.topics.values())) <= MOST_PARTITIONS
        racks = {name: f"rack {rack}" for name, rack in found.racks.items()}
        body = (
            *draw_rows(found.members, racks, found.loads, lines=whole),
            *(draw_by_partition(found) if whole else draw_by_topic(found)),
        )
        height = TOP + ROW * len(found.members) + 22
    return Markup('<svg class="panel" viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>').format(
        WIDTH, height, f"{title}: {describe_picture(found)}", Markup("").join(body)
    )


def describe_picture(found: Marks) -> str:
    """Say in words what the picture shows."""
    told = []
    for name in found.members[:SPOKEN]:
        gained = f", {found.gained[name]:,} of them newly" if found.gained[name] else ""
        told.append(f"{name} gets {found.loads[name]:,}{gained}")
    more = [f"{len(found.members) - SPOKEN:,} more members"] if len(found.members) > SPOKEN else []
    wrong = sum(m.kind == WRONG for m in found.at.values())
    trouble = (
        ("lost", len(found.lost)),
        ("given twice or more", len(found.doubled)),
        ("given wrongly", wrong),
    )
    return "; ".join([*told, *more, *(f"{count} {what}" for what, count in trouble if count)])


PARTITIONS = Picture(
    html=draw_panel,
    most={"members": 40, "partitions": 120},
    lead="Members are rows; columns are partitions, or topics where these are many, and very large groups are bars of loads.",
    legend=(
        ("kept", "", "stays"),
        ("moved", "", "arrives from another member"),
        ("new", "", "had no owner"),
        ("gone", "", "leaves"),
        ("far", "R", "read from another rack"),
        ("wrong", "✗", "may not be here"),
        ("unread", "\N{EN DASH}", "not subscribed"),
        ("lost", "✗", "nobody gets it; 2x: given twice"),
    ),
    style=read_style("partitions"),
    joined=after,
)
