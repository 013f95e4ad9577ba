"""The picture of groups of topics, members and partitions: what becomes of each partition at each member."""

from collections import Counter
from collections.abc import Sequence

from kassay.model import Assignment, Group, TopicPartition
from kassay.model.hosts import locate_racks
from kassay.properties.partitions.owners import owners
from kassay.properties.partitions.rounds import apply_assignment
from kassay.reports.shapes.items import ACTIVE, Mark, Marks, Words, draw_panel, label_columns
from kassay.reports.shapes.layout import LEAVES, MOVES, NEW, STAYS, WRONG, Picture, read_style

MINUS = "\N{MINUS SIGN}"


def count_cell(own: Sequence[Mark]) -> tuple[int, str] | None:
    """Return how many partitions of a topic a member gets, and how many it gains and loses; None for nothing."""
    held, new, gone = count_marks(own)
    said = f"+{new}" * bool(new) + f" {MINUS}{gone}" * bool(gone)
    return (held, said.strip()) if held or gone else None


def describe_row(name: str, own: Sequence[Mark]) -> str:
    """Return in words how many partitions a member gets and gains."""
    held, new, _ = count_marks(own)
    return f"{name} gets {held:,}" + (f", {new:,} of them newly" if new else "")


def count_marks(own: Sequence[Mark]) -> tuple[int, int, int]:
    """Return how many of some partitions a member gets, gains and loses."""
    new = sum(mark.times for mark in own if mark.kind in (MOVES, NEW))
    return sum(mark.times for mark in own), new, sum(mark.kind == LEAVES for mark in own)


WORDS = Words(
    "member", "topic", f"partitions of each topic; + arrives, {MINUS} leaves", head="",
    doubled=("assigned more than once", "assigned more than once"), cell=count_cell, tell=describe_row, dotted=True,
)  # fmt: skip


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
            at[name, partition] = Mark(ACTIVE, kind, crossing, giver if kind == MOVES else "", times)
    for partition, before in standing.items():
        gone = Mark(ACTIVE, LEAVES, times=0)
        at |= {(owner, partition): gone for owner in before if partition not in given.get(owner, ())}
    totals = Counter(p for parts in given.values() for p in parts.elements())
    read = {topic for member in group.members for topic in member.topics}
    every = [partition for topic in group.topics for partition in topic]
    labels = label_columns(every, at, lambda partition: (partition.topic, str(partition.partition)))
    # A topic without partitions stands at its place, if a member claims some of it.
    listed = dict.fromkeys([*(topic.name for topic in group.topics), *labels])
    columns = {name: labels[name] for name in listed if name in labels}
    names = [*known, *sorted(set(assignment) - set(known))]
    return Marks(
        WORDS,
        names,
        columns,
        at,
        frozenset(p for p in existing if p.topic in read and not totals[p]),
        {partition: times for partition, times in totals.items() if times > 1},
        {name: str(given[name].total() if name in given else 0) for name in names},
        {name: f"rack {member.rack}" for name, member in known.items() if member.rack},
        unread=frozenset(
            (name, topic) for name, member in known.items() for topic in columns if topic not in member.topics
        ),
        shared=sum(map(len, columns.values())),
    )


PARTITIONS = Picture(
    html=lambda title, group, assignment: draw_panel(title, mark_partitions(group, assignment)),
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
