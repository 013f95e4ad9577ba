"""Writing what must outlive the coordinator, and what follows when it is written or refused."""

from collections.abc import Hashable

from kassay.reference.group.coordinator.draft import Draft
from kassay.reference.group.coordinator.pending import (
    After,
    Pending,
)
from kassay.reference.group.coordinator.protocols import metadata
from kassay.reference.group.coordinator.records import GroupWritten, Record, WrittenMember
from kassay.reference.group.events import Write
from kassay.reference.group.messages import State


def write(draft: Draft, records: tuple[Record, ...], after: After, token: Hashable = None) -> None:
    """Append a batch for a request; what it was written for is done once it is committed."""
    draft.effects.append(Write(draft.next_batch, records))
    draft.waiting = (*draft.waiting, Pending(draft.next_batch, after, token))
    draft.next_batch += 1


def find(draft: Draft, batch: int) -> Pending:
    """Return what is waiting for a batch; raises ValueError where nothing is."""
    for pending in draft.waiting:
        if pending.batch == batch:
            return pending
    raise ValueError(f"batch {batch} is not being written")


def settle(draft: Draft, batch: int) -> None:
    """Wait for a batch no longer."""
    draft.waiting = tuple(pending for pending in draft.waiting if pending.batch != batch)


def record(draft: Draft, states: dict[str, State], *, synced: bool = True) -> GroupWritten:
    """Return the group as it is written, with the states that its members are to have."""
    resynced = draft.behaviour.resyncs and draft.state == "Stable"
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
                to_resync=resynced and member.syncing is None,
            )
            for member in draft.members.values()
        ),
        synced=synced,
    )
