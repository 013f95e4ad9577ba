"""The picture of groups of topics, members and partitions as SVG: by partition, by topic if they are many, or by load in large groups."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from kassay.model import Assignment, Group, TopicPartition
from kassay.model.hosts import locate_racks
from kassay.properties.partitions.owners import owners
from kassay.properties.partitions.rounds import apply_assignment
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
    draw_arrow,
    draw_bars,
    draw_box,
    draw_head,
    draw_rows,
    find_label_step,
    place_columns,
    read_style,
    short_names,
    write_text,
)


@dataclass(frozen=True, slots=True)
class Mark:
    """One partition at one member."""

    kind: str
    times: int = 1
    """How often the member gets it."""
    crossing: bool = False
    """True if it is read across racks."""
    giver: str = ""
    """The member that it comes from."""


@dataclass(frozen=True, slots=True)
class Marks:
    """A group and an assignment as a picture shows them: members down, topics with their partitions across, and the marks."""

    members: Sequence[str]
    racks: Mapping[str, str]
    topics: Mapping[str, Sequence[TopicPartition]]
    at: Mapping[tuple[str, TopicPartition], Mark]
    unread: frozenset[tuple[str, str]]
    """Members with topics that they do not subscribe to."""
    lost: frozenset[TopicPartition]
    """Partitions with a subscriber, but without a new owner."""
    doubled: Mapping[TopicPartition, int]
    """Partitions that are assigned more than once, with the number of times."""
    loads: Mapping[str, int]
    gained: Mapping[str, int]
    """How many of its partitions a member did not own before."""


def mark_partitions(group: Group, assignment: Assignment) -> Marks:
    """Compare the valid owners of partitions with the new assignment; racks may come from host names."""
    group = locate_racks(group)
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
    """Draw every partition at its old and new members; lost partitions and those assigned twice are marked below."""
    pitch, places = place_columns({topic: len(partitions) for topic, partitions in found.topics.items()})
    names = short_names(list(found.topics), LETTERS, "topic")
    rows = {name: n for n, name in enumerate(found.members)}
    cells: list[Markup] = []
    arrows: list[Markup] = []
    bottom = TOP + ROW * len(found.members)
    for (topic, partitions), (start, width, left) in zip(found.topics.items(), places, strict=True):
        yield draw_head(topic, names[topic], start, width)
        yield from _draw_unread(found, topic, left, pitch * len(partitions))
        numbered = find_label_step(len(str(partitions[-1].partition)), pitch)
        for n, partition in enumerate(partitions):
            x = left + pitch * (n + 0.5)
            if n % numbered == 0:
                yield write_text("note mid", x, 31, partition.partition)
            for name in found.members:
                mark = found.at.get((name, partition))
                if mark is None:
                    continue
                sign = "✗" * (mark.kind == WRONG) + "R" * mark.crossing
                sign += str(mark.times) if mark.times > 1 else ""
                cells.append(
                    draw_box(mark.kind, x, rows[name], pitch, sign, role=False, crossing=mark.crossing)
                )
                if mark.giver:
                    giver = rows[mark.giver]
                    dot = Markup('<circle class="tip" cx="{:g}" cy="{:g}" r="2.6"/>')
                    arrows.append(
                        draw_arrow(x, giver, rows[name], ROW / 2) + dot.format(x, TOP + ROW * giver + ROW / 2)
                    )
            if partition in found.lost or partition in found.doubled:
                below = f"{found.doubled[partition]}x" if partition in found.doubled else "✗"
                y = bottom + (20 if n % 2 and pitch < 2.4 * DIGIT else 11)
                yield write_text("trouble mid", x, y, below)
    yield from (*cells, *arrows)


def _draw_unread(found: Marks, topic: str, left: float, width: float) -> Iterator[Markup]:
    """Draw a band for each member that is not subscribed to the topic, with a dash if the band is empty."""
    for row, name in enumerate(found.members):
        if (name, topic) in found.unread:
            y = TOP + ROW * row + 5
            yield Markup('<rect class="unread" x="{:g}" y="{:g}" width="{:g}" height="{}"/>').format(
                left, y, width, ROW - 10
            )
            if not any((name, partition) in found.at for partition in found.topics[topic]):
                yield write_text("note mid", left + width / 2, y + 17, "\N{EN DASH}")


MINUS = "\N{MINUS SIGN}"


def draw_by_topic(found: Marks) -> Iterator[Markup]:
    """Write how many partitions of each topic a member gets, gains and loses."""
    pitch = (WIDTH - LEFT - RIGHT) / max(1, len(found.topics))
    names = short_names(list(found.topics), max(2, int((pitch - GAP / 2) / LETTER)), "topic")
    for n, (topic, partitions) in enumerate(found.topics.items()):
        x = LEFT + pitch * (n + 0.5)
        yield draw_head(topic, names[topic], x - pitch / 2, pitch - GAP / 2)
        yield write_text("note mid", x, 31, len(partitions))
        for row, name in enumerate(found.members):
            own = [found.at[name, p] for p in partitions if (name, p) in found.at]
            held = sum(mark.times for mark in own)
            new = sum(mark.times for mark in own if mark.kind in (MOVES, NEW))
            gone = sum(mark.kind == LEAVES for mark in own)
            y = TOP + ROW * row
            if held or gone:
                yield write_text("count mid", x, y + 17, held)
                said = f"+{new}" * bool(new) + f" {MINUS}{gone}" * bool(gone)
                yield write_text("change mid", x, y + 29, said.strip())
    bottom = TOP + ROW * len(found.members) + 16
    yield write_text("note", 0, bottom, f"partitions of each topic; + arrives, {MINUS} leaves")


KINDS = (STAYS, MOVES, NEW, WRONG)


def draw_by_load(found: Marks) -> Iterator[Markup]:
    """Draw the loads, with the partitions that stay at the bottom."""
    loads = {name: dict.fromkeys(KINDS, 0) for name in found.members}
    for (name, _), mark in found.at.items():
        if mark.kind != LEAVES:
            loads[name][mark.kind] += mark.times
    trouble = {"lost": len(found.lost), "assigned more than once": len(found.doubled)}
    return draw_bars(list(loads.values()), sum(map(len, found.topics.values())), trouble, "member")


MEMBERS, TOPICS, MOST_PARTITIONS = 24, 10, 24
"""Members that get a row each, topics and partitions that get a column each."""
SPOKEN = 30
"""Members that are listed for screen readers."""


def draw_panel(title: str, group: Group, assignment: Assignment) -> Markup:
    """Draw the assignment by partition; larger groups by topic, and the largest by load."""
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
    """Return in words what the picture shows."""
    told = []
    for name in found.members[:SPOKEN]:
        gained = f", {found.gained[name]:,} of them newly" if found.gained[name] else ""
        told.append(f"{name} gets {found.loads[name]:,}{gained}")
    more = [f"{len(found.members) - SPOKEN:,} more members"] if len(found.members) > SPOKEN else []
    wrong = sum(m.kind == WRONG for m in found.at.values())
    trouble = (
        ("lost", len(found.lost)),
        ("assigned more than once", len(found.doubled)),
        ("assigned wrongly", wrong),
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
        ("wrong", "✗", "not allowed here"),
        ("unread", "\N{EN DASH}", "not subscribed"),
        ("lost", "✗", "has no owner; 2x: assigned twice"),
    ),
    style=read_style("partitions"),
    joined=apply_assignment,
)
