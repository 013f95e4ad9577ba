"""Who owned what and who gets what, as a table with a row for each member and partition: what a figure is drawn of."""

import pandas as pd

from kassay.model import Assignment, Group
from kassay.reports.shapes.partitions.marks import LEAVES, STAYS, marks

COLUMNS = ("member", "rack", "topic", "partition", "exists", "subscribed", "owned", "given", "crossing")


def held(group: Group, assignment: Assignment) -> pd.DataFrame:
    """Return every pair of a member and a partition, also of members and partitions that do not exist but are named.

    `given` is how often the member gets the partition; `owned` whether it owns it, by the claims that stand; `crossing` whether
    its rack has none of the partition's replicas.
    """
    found = marks(group, assignment)
    existing = {partition for topic in group.topics for partition in topic}
    known = {member.id: member for member in group.members}
    rows = []
    for name in found.members:
        for topic, partitions in found.topics.items():
            subscribed = name in known and (name, topic) not in found.unread
            for partition in partitions:
                mark = found.at.get((name, partition))
                rows.append(
                    (
                        name, found.racks.get(name, ""), topic, partition.partition, partition in existing, subscribed,
                        mark is not None and mark.kind in (STAYS, LEAVES), mark.times if mark else 0, mark is not None and mark.crossing,
                    )
                )  # fmt: skip
    return pd.DataFrame(rows, columns=list(COLUMNS))
