"""The picture of a large group of members: a bar for each member, or for each few, as high as its load."""

from collections.abc import Iterator

from markupsafe import Markup

from kassay.reports.shapes.bars import bars
from kassay.reports.shapes.partitions.marks import LEAVES, MOVES, NEW, STAYS, WRONG, Marks

KINDS = (STAYS, MOVES, NEW, WRONG)


def by_load(found: Marks) -> Iterator[Markup]:
    """Draw the loads, what stays at the bottom."""
    loads = {name: dict.fromkeys(KINDS, 0) for name in found.members}
    for (name, _), mark in found.at.items():
        if mark.kind != LEAVES:
            loads[name][mark.kind] += mark.times
    trouble = {"lost": len(found.lost), "given more than once": len(found.doubled)}
    return bars(list(loads.values()), sum(map(len, found.topics.values())), trouble, "member")
