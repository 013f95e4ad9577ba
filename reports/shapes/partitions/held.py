"""Who owned what and who gets what, as a table with a row for each member and partition: what a picture is drawn of."""

from collections import Counter

import pandas as pd

from kassay.model import Assignment, Group

COLUMNS = ("member", "rack", "topic", "partition", "exists", "subscribed", "owned", "given", "crossing")


def held(group: Group, assignment: Assignment) -> pd.DataFrame:
    """Return every pair of a member and a partition, also of members and partitions that do not exist but are named.

    `given` is how often the member gets the partition; `crossing` whether its rack has none of the partition's replicas.
    """
    racks = {topic.name: topic.racks for topic in group.topics}
    existing = {partition for topic in group.topics for partition in topic}
    named = {p for member in group.members for p in member.owned} | {
        p for v in assignment.values() for p in v
    }
    order = {topic.name: n for n, topic in enumerate(group.topics)}
    partitions = sorted(existing | named, key=lambda p: (order.get(p.topic, len(order)), p))
    known = {member.id: member for member in group.members}
    rows = []
    for name in [*known, *sorted(set(assignment) - set(known))]:
        member = known.get(name)
        given = Counter(assignment.get(name, ()))
        for p in partitions:
            near = (racks.get(p.topic) or ()) if p in existing else ()
            replicas = near[p.partition] if near else ()
            rack = member.rack if member else None
            rows.append(
                (
                    name, rack or "", p.topic, p.partition, p in existing, member is not None and p.topic in member.topics,
                    member is not None and p in member.owned, given[p],
                    bool(rack) and any(replicas) and rack not in replicas,
                )
            )  # fmt: skip
    return pd.DataFrame(rows, columns=list(COLUMNS))
