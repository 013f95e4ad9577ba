"""Groups whose partitions weigh something: as unequal as lag and bytes are, a few heavy ones and many light ones."""

from dataclasses import replace
from random import Random

from kassay.model import Group

SORTS = ("heavy tail", "even", "mostly none", "few values")
"""How weights are drawn: as the reciprocal of an even draw, within a tenth of each other, four of five 0, or of 1 to 4."""
UNIT = 1000


def weighed(r: Random, group: Group, sort: str = "heavy tail", unit: str | None = "records") -> Group:
    """Return a group whose partitions all weigh something, drawn as a sort of SORTS says, in whole numbers alone."""
    topics = tuple(
        replace(topic, weights=tuple(_weight(r, sort) for _ in range(topic.partitions)))
        for topic in group.topics
    )
    return replace(group, topics=topics, weight_unit=unit)


def limited(r: Random, group: Group) -> Group:
    """Return a group some of whose members can bear about as much as their share of all weight, one of them at least."""
    total = sum(weight or 0 for topic in group.topics for weight in topic.weights or ())
    share = total // max(len(group.members), 1)
    chosen = r.randrange(len(group.members)) if group.members else 0
    members = tuple(
        replace(m, capacity=share * r.randint(6, 14) // 10) if n == chosen or r.random() < 0.6 else m
        for n, m in enumerate(group.members)
    )
    return replace(group, members=members)


def _weight(r: Random, sort: str) -> int:
    if sort == "heavy tail":
        return UNIT * 1000 // r.randint(1, 1000)
    if sort == "even":
        return r.randint(UNIT * 9 // 10, UNIT)
    if sort == "few values":
        return r.randint(1, 4)
    return r.randint(1, UNIT) if r.random() < 0.2 else 0
