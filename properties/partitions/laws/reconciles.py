"""The law about reconciliation by a group coordinator: revoke before assign, and come to an end."""

from collections.abc import Iterator

from kassay.model import Group, TopicPartition
from kassay.properties.partitions.rounds import Assign
from kassay.properties.runs import Violation

HEARTBEATS = 3
"""How often every member is heard until all must have what they are given: to revoke, to have revoked, to be given."""


def reconciles(assign: Assign, group: Group) -> Iterator[str]:
    """Members that own what they claim come to own what they are given: each revokes first, and gets only what nobody else owns.

    Members send heartbeats in turn, three times. At each a member is told to revoke what it is not given any more, has revoked what
    it was told before, and is given what is free. Source: KIP-848, reconciliation of a member with its target assignment.
    """
    target = {member: set(given) for member, given in assign(group).items()}
    owned = {member.id: set(member.owned) for member in group.members}
    revoking: dict[str, set[TopicPartition]] = {member: set() for member in owned}
    for _ in range(HEARTBEATS):
        for member, own in owned.items():
            own.difference_update(revoking[member])
            wanted = target.get(member, set())
            revoking[member] = own - wanted
            if not revoking[member]:
                taken = set().union(*(others for other, others in owned.items() if other != member))
                own.update(wanted - taken)
    for member, own in owned.items():
        for partition in sorted(target.get(member, set()) - own):
            others = [other for other, theirs in owned.items() if partition in theirs]
            said = f"{member} waits for {partition} for ever: {' and '.join(others)} may keep it"
            yield Violation(said, partition)
