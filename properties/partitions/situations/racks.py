"""Situations in the racks of members and replicas (KIP-881)."""

from kassay.model import Group
from kassay.model.hosts import located


def racks(group: Group) -> bool:
    """A member tells its rack, and some replica's rack is known."""
    group = located(group)
    return any(member.rack for member in group.members) and bool(_replica_racks(group))


def partial_racks(group: Group) -> bool:
    """Some members tell their rack and others do not."""
    return len({bool(member.rack) for member in group.members}) > 1


def replica_without_rack(group: Group) -> bool:
    """A replica has no rack though another replica of the same topic has one."""
    return any(
        None in near and any(rack is not None for other in topic.racks for rack in other)
        for topic in group.topics
        if topic.racks
        for near in topic.racks
    )


def topic_without_racks(group: Group) -> bool:
    """The racks of one topic's replicas are unknown, those of another are known."""
    return len({topic.racks is None for topic in group.topics if topic.partitions}) > 1


def empty_rack(group: Group) -> bool:
    """A member's rack is the empty string, which means that it has none."""
    return any(member.rack == "" for member in group.members)


def empty_replica_rack(group: Group) -> bool:
    """A replica's rack is the empty string, which to Kafka is a rack like others."""
    return "" in _replica_racks(group)


def distant_member(group: Group) -> bool:
    """A member is in a rack that has no replica at all."""
    group = located(group)
    known = _replica_racks(group)
    return bool(known) and any(member.rack and member.rack not in known for member in group.members)


def racks_decide(group: Group) -> bool:
    """Racks can change the outcome: a member shares a rack with some replica, but not with one of every partition.

    A partition without known racks is in none.
    """
    group = located(group)
    near = [
        frozenset(rack for rack in racks if rack is not None)
        for topic in group.topics
        for racks in (topic.racks or ((),) * topic.partitions)
    ]
    homes = {member.rack for member in group.members if member.rack}
    return any(homes & here for here in near) and len(set(near)) > 1


def _replica_racks(group: Group) -> set[str]:
    return {rack for topic in group.topics for near in topic.racks or () for rack in near if rack is not None}
