"""What follows when a batch is written, refused or late: members are told, or what it brought about is taken back.

Nobody is told of what the log does not have: each batch is written for a reason, and the request that wrote it waits.

Source: CoordinatorRuntime of Kafka 4.x, whose futures are completed by the log; the appends of GroupMetadataManager and what they do when they fail.
"""

from collections.abc import Callable, Hashable

from msgspec.structs import replace

from kassay.reference.group.coordinator import rebalance
from kassay.reference.group.coordinator.draft import ANSWERED, Draft
from kassay.reference.group.coordinator.generation import spread
from kassay.reference.group.coordinator.state import (
    After,
    Committed,
    Created,
    Emptied,
    Forgotten,
    GivenUp,
    Joined,
    Pending,
    Replaced,
    Synced,
)
from kassay.reference.group.messages import (
    Error,
    JoinGroupResponse,
    LeaveGroupResponse,
    OffsetCommitResponse,
    Response,
    SyncGroupResponse,
)

REFUSALS: dict[type[After], Callable[[Error], Response]] = {
    Created: lambda error: JoinGroupResponse(error=error),
    Synced: lambda error: SyncGroupResponse(error=error),
    Emptied: lambda error: LeaveGroupResponse(error=error),
    Committed: lambda error: OffsetCommitResponse(error=error),
}
"""Why a batch was written -> how the request that wrote it is refused."""


def find(draft: Draft, batch: int) -> Pending:
    """Return what is waiting for a batch; raises ValueError where nothing is."""
    for pending in draft.waiting:
        if pending.batch == batch:
            return pending
    raise ValueError(f"batch {batch} is not being written")


def settle(draft: Draft, batch: int) -> None:
    """Wait for a batch no longer."""
    draft.waiting = tuple(pending for pending in draft.waiting if pending.batch != batch)


def written(draft: Draft, batch: int) -> None:
    """Tell the members what waited for a batch, unless the group has gone on since."""
    pending = find(draft, batch)
    settle(draft, batch)
    after = pending.after
    match after:
        case Joined(generation) if draft.state == "AwaitSync" and draft.generation == generation:
            rebalance.tell_joined(draft)
        case Synced(generation, states) if draft.generation == generation:
            if draft.state == "AwaitSync" or (draft.state == "Stable" and draft.behaviour.resyncs):
                spread(draft, dict(states))
        case Replaced():
            _answer_replaced(draft, after)
        case Emptied(answer) if answer is not None:
            draft.reply(pending.token, answer)
        case Committed():
            draft.reply(pending.token, OffsetCommitResponse())
        case _:
            pass


def refused(draft: Draft, batch: int, error: Error) -> None:
    """Tell the members that wait for a batch, and take back the group or commit that it was to keep."""
    after = find(draft, batch).after
    fail(draft, batch, error)
    settle(draft, batch)
    match after:
        case Created():
            draft.forget()
        case Forgotten(generation, protocol_type, member_added, pending):
            draft.state, draft.generation, draft.protocol_type = "Empty", generation, protocol_type
            draft.member_added, draft.pending = member_added, list(pending)
        case Committed(created, had_offsets):
            draft.has_offsets = had_offsets
            if created:
                draft.forget()
        case _:
            pass


def timed_out(draft: Draft, batch: int) -> None:
    """Refuse those that wait for a batch, which stays in the log, so that nothing of the group is taken back.

    A member whose JoinGroup made the group counts as joined, though it is refused. To look for groups to forget is put off.
    """
    pending = find(draft, batch)
    if isinstance(pending.after, Created):
        for member in list(draft.members.values()):
            if pending.token is not None and member.joining == pending.token:
                draft.update(member, joining=ANSWERED)
    fail(draft, batch, Error.COORDINATOR_NOT_AVAILABLE)
    if isinstance(pending.after, Forgotten):
        draft.set_timer("cleanup", draft.behaviour.cleanup_ms)
    draft.waiting = tuple(Pending(batch, GivenUp()) if one.batch == batch else one for one in draft.waiting)


def fail(draft: Draft, batch: int, error: Error) -> None:
    """Answer those that wait for a batch with an error, and the request that wrote it if it is not answered yet."""
    after = find(draft, batch).after
    match after:
        case Joined(generation) if draft.state == "AwaitSync" and draft.generation == generation:
            for member in draft.members.values():
                if member.joining is not None:
                    draft.reply(member.joining, JoinGroupResponse(error=error))
                    _unpark(draft, member.joining)
            rebalance.begin(draft)
        case Synced(generation) if draft.state == "AwaitSync" and draft.generation == generation:
            rebalance.end_sync(draft, error)
            rebalance.begin(draft)
        case Replaced():
            _take_back(draft, after)
        case _:
            pass
    token = find(draft, batch).token
    if token is not None:
        if isinstance(after, Replaced):
            draft.reply(token, _not_replaced(draft, after, error))
        else:
            draft.reply(token, REFUSALS[type(after)](error))
        _unpark(draft, token)


def _unpark(draft: Draft, token: Hashable) -> None:
    for member in draft.members.values():
        if member.joining == token:
            draft.update(member, joining=None)
        if member.syncing == token:
            draft.begin_session(draft.update(member, syncing=None))


def _answer_replaced(draft: Draft, replaced: Replaced) -> None:
    """Tell a static member that its new id is kept, and that its states still stand if it leads."""
    member = draft.members.get(replaced.member_id)
    if member is None or member.joining is None:
        return
    leads = draft.leader == member.member_id
    if leads and replaced.skips_assignment and draft.state == "Joining":
        return  # Kafka throws here, so the request stays parked
    response = rebalance.generation_of(draft, member)
    if replaced.skips_assignment:
        response = replace(response, skip_assignment=leads)
    else:
        response = replace(response, leader=replaced.leader or "", members=())
    draft.reply(member.joining, response)
    draft.update(member, joining=None)


def _not_replaced(draft: Draft, replaced: Replaced, error: Error) -> JoinGroupResponse:
    """Refuse a static member whose new id could not be kept, and yet tell it of the generation, as Kafka does."""
    return JoinGroupResponse(
        error=error,
        generation=draft.generation,
        protocol_type=draft.protocol_type,
        protocol=draft.protocol,
        leader=replaced.leader or "",
    )


def _take_back(draft: Draft, replaced: Replaced) -> None:
    """Give a static member its old id again, as the new one could not be kept."""
    member = draft.members.get(replaced.member_id)
    if member is not None:
        old = rebalance.rename(draft, draft.update(member, joining=None), replaced.old.member_id)
        draft.begin_session(
            draft.update(
                old,
                protocols=replaced.old.protocols,
                session_timeout_ms=replaced.old.session_timeout_ms,
                rebalance_timeout_ms=replaced.old.rebalance_timeout_ms,
            )
        )
