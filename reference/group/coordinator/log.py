"""Writing what must outlive the coordinator, and what follows when it is written or refused."""

from kassay.reference.group.coordinator.draft import Draft
from kassay.reference.group.coordinator.pending import (
    After,
    Pending,
)
from kassay.reference.group.coordinator.protocols import metadata
from kassay.reference.group.coordinator.records import GroupWritten, Record, WrittenMember
from kassay.reference.group.events import Write
from kassay.reference.group.messages import State


def write(draft: Draft, records: tuple[Record, ...], after: After) -> None:
    """Append a batch; what it was written for is done once it is committed."""
    draft.effects.append(Write(draft.next_batch, records))
    draft.waiting = (*draft.waiting, Pending(draft.next_batch, after))
    draft.next_batch += 1


def take(draft: Draft, batch: int) -> After:
    """Return what a batch was written for, and forget it; raises ValueError where no such batch is waited for."""
    for pending in draft.waiting:
        if pending.batch == batch:
            draft.waiting = tuple(other for other in draft.waiting if other is not pending)
            return pending.after
    raise ValueError(f"batch {batch} is not being written")


def record(draft: Draft, states: dict[str, State], *, synced: bool = True) -> GroupWritten:
    """Return the group as it is written, with the states that its members are to have."""
    return GroupWritten(
        generation=draft.generation,
        protocol_type=draft.protocol_type,
        protocol=draft.protocol,
        leader=draft.leader,
        members=tuple(
            WrittenMember(
                member_id=member.member_id,
                instance_id=member.instance_id,
                client_id=member.client_id,
                session_timeout_ms=member.session_timeout_ms,
                rebalance_timeout_ms=member.rebalance_timeout_ms,
                metadata=metadata(member, draft.protocol),
                state=states.get(member.member_id),
            )
            for member in draft.members.values()
        ),
        synced=synced,
    )
