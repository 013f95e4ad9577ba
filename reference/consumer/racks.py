"""Racks as client-side assignors see them: which count, and when they matter at all (KIP-881).

Source: AbstractPartitionAssignor and its `useRackAwareAssignment`, 3.5 to 4.4.
"""

from collections.abc import Collection, Iterable

from kassay.model import Member, Topic

Racks = frozenset[str]


def rack_of(member: Member) -> str | None:
    """Return a member's rack; an empty client.rack is none."""
    return member.rack or None


def racks_of(topic: Topic) -> list[Racks]:
    """Return the racks of each of a topic's partitions: of all replicas that have one, also of offline ones.

    The empty string counts as a replica's rack, though no member matches it.
    """
    if topic.racks is None:
        return [frozenset()] * topic.partitions
    known = {racks: frozenset(rack for rack in racks if rack is not None) for racks in set(topic.racks)}
    return list(map(known.__getitem__, topic.racks))


def are_used(members: Iterable[Member], partitions: Collection[Racks]) -> bool:
    """Say whether racks matter: some member's rack has a replica, and not every partition is on all racks."""
    different = set(partitions)
    there = frozenset().union(*different)
    if not any(rack_of(member) in there for member in members):
        return False
    return any(racks != there for racks in different)
