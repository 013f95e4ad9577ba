"""The picture of a group with an assignment as SVG: by partition, by topic, or by load, as large as the group is."""

from collections.abc import Iterable

from markupsafe import Markup

from kassay.model import Assignment, Group
from kassay.reports.shapes.layout import ROW, TOP, WIDTH, rows
from kassay.reports.shapes.partitions.by_load import by_load
from kassay.reports.shapes.partitions.by_partition import by_partition
from kassay.reports.shapes.partitions.by_topic import by_topic
from kassay.reports.shapes.partitions.marks import WRONG, Marks, marks

MEMBERS, TOPICS, PARTITIONS = 24, 10, 24
"""Members that get a row each, topics and partitions that get a column each."""
SPOKEN = 30
"""Members that are read out."""


def panel(title: str, group: Group, assignment: Assignment) -> Markup:
    """Draw what each member gets; what is too large to be drawn by partition is drawn by topic, and else by load."""
    found = marks(group, assignment)
    body: Iterable[Markup]
    if len(found.members) > MEMBERS or len(found.topics) > TOPICS:
        body, height = by_load(found), 200
    else:
        whole = sum(map(len, found.topics.values())) <= PARTITIONS
        racks = {name: f"rack {rack}" for name, rack in found.racks.items()}
        body = (
            *rows(found.members, racks, found.loads, lines=whole),
            *(by_partition(found) if whole else by_topic(found)),
        )
        height = TOP + ROW * len(found.members) + 22
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
    trouble = (
        ("lost", len(found.lost)),
        ("given twice or more", len(found.doubled)),
        ("given wrongly", wrong),
    )
    return "; ".join([*told, *more, *(f"{count} {what}" for what, count in trouble if count)])
