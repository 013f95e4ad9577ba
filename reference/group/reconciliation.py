"""How a member of a KIP-848 group is led to its target assignment, epoch by epoch: nothing is given before its last owner has given it up.

The coordinator computes a target for each epoch of the group, by any assignor and all at once; this is what makes it safe to reach. So a
broker-side assignor need not hold anything back, as a cooperative client-side one must.

Source: KIP-848; org.apache.kafka.coordinator.group.modern.consumer.CurrentAssignmentBuilder of Kafka 4.x.
"""

from collections.abc import Callable
from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from kassay.model import TopicPartition

Partitions: TypeAlias = frozenset[TopicPartition]
NONE: Partitions = frozenset()


class Reconciled(Struct, frozen=True):
    """A member as its coordinator knows it.

    "unrevoked": it is to give up `revoking` and stays in its epoch until it has. "unreleased": it is in the epoch of the target, and waits for
    partitions that others have not handed over yet. "stable": it has all that the target gives it.
    """

    member_id: str
    epoch: int = 0
    state: Literal["stable", "unrevoked", "unreleased"] = "stable"
    assigned: Partitions = NONE
    revoking: Partitions = NONE

    @property
    def holds(self) -> Partitions:
        """The partitions on which the member may still work: no other member is given them."""
        return self.assigned | self.revoking


def reconcile(
    member: Reconciled,
    target: Partitions,
    target_epoch: int,
    owned: Partitions | None,
    is_free: Callable[[TopicPartition], bool],
) -> Reconciled:
    """Return the member after a heartbeat, one step further on the way to its target.

    `owned` are the partitions that the member reports, None if the heartbeat leaves them out. `is_free` is True for a partition that no member holds.
    """
    if member.state == "stable" and member.epoch == target_epoch:
        return member
    if member.state == "unrevoked" and _owns(owned, member.revoking):
        return member
    kept, gone = member.assigned & target, member.assigned - target
    if gone and _owns(owned, gone):
        return replace(member, state="unrevoked", assigned=kept, revoking=gone)
    wanted = target - kept
    free = frozenset(partition for partition in wanted if partition in member.revoking or is_free(partition))
    return Reconciled(
        member.member_id, target_epoch, "unreleased" if wanted - free else "stable", kept | free
    )


def _owns(owned: Partitions | None, given_up: Partitions) -> bool:
    """Return True if the member may still own what it must revoke; a member that does not report counts as if it did."""
    return owned is None or bool(owned & given_up)
