"""What follows when a batch is written, or when the log refuses it: then what it brought about is taken back."""

from msgspec.structs import replace

from kassay.reference.group.coordinator import membership, rebalance
from kassay.reference.group.coordinator.draft import Draft
from kassay.reference.group.coordinator.log import take
from kassay.reference.group.coordinator.member import Member
from kassay.reference.group.coordinator.pending import (
    After,
    Committed,
    Created,
    Emptied,
    Forgotten,
    Joined,
    Replaced,
    Synced,
)
from kassay.reference.group.coordinator.requests.sync import spread
from kassay.reference.group.messages import (
    Error,
    JoinGroupResponse,
    LeaveGroupResponse,
    OffsetCommitResponse,
    SyncGroupResponse,
)


def written(draft: Draft, batch: int) -> None:
    """Tell the members what waited for a batch, unless the group has gone on since."""
    after = take(draft, batch)
    match after:
        case Joined(generation) if draft.state == "AwaitSync" and draft.generation == generation:
            rebalance.tell_joined(draft)
        case Synced(generation, states) if draft.generation == generation and draft.state in {
            "AwaitSync",
            "Stable",
        }:
            if draft.state == "AwaitSync" or draft.behaviour.resyncs:
                spread(draft, dict(states))
        case Replaced():
            _answer_replaced(draft, after)
        case Emptied(token, answer) if answer is not None:
            draft.reply(token, answer)
        case Committed(token):
            draft.reply(token, OffsetCommitResponse())
        case _:
            pass


def refused(draft: Draft, batch: int, error: Error) -> None:
    """Tell the members that wait for a batch, and take back the group or commit that it was to keep."""
    after = take(draft, batch)
    fail(draft, after, error)
    match after:
        case Created():
            draft.forget()
        case Forgotten(generation, protocol_type, member_added, pending):
            draft.state, draft.generation, draft.protocol_type = "Stable", generation, protocol_type
            draft.member_added, draft.pending = member_added, list(pending)
        case Committed(_, created, had_offsets):
            draft.has_offsets = had_offsets
            if created:
                draft.forget()
        case _:
            pass


def fail(draft: Draft, after: After, error: Error) -> None:
    """Answer those that wait for a batch with an error."""
    match after:
        case Created(token):
            _refuse_joins(draft, error, [m for m in draft.members.values() if m.joining == token])
        case Joined(generation) if draft.state == "AwaitSync" and draft.generation == generation:
            _refuse_joins(draft, error, [m for m in draft.members.values() if m.joining is not None])
            rebalance.begin(draft)
        case Synced(generation) if draft.generation == generation:
            if draft.state == "AwaitSync":
                rebalance.end_sync(draft, error)
                rebalance.begin(draft)
            elif draft.behaviour.resyncs:
                _refuse_syncs(draft, error)
        case Replaced():
            _take_back(draft, after, error)
        case Emptied(token, answer) if answer is not None:
            draft.reply(token, LeaveGroupResponse(error=error))
        case Committed(token):
            draft.reply(token, OffsetCommitResponse(error=error))
        case _:
            pass


def _refuse_joins(draft: Draft, error: Error, members: list[Member]) -> None:
    for member in members:
        draft.reply(member.joining, JoinGroupResponse(error=error))
        draft.update(member, joining=None)


def _refuse_syncs(draft: Draft, error: Error) -> None:
    for member in list(draft.members.values()):
        if member.syncing is not None:
            draft.reply(member.syncing, SyncGroupResponse(error=error))
            draft.update(member, syncing=None)


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


def _take_back(draft: Draft, replaced: Replaced, error: Error) -> None:
    """Give a static member its old id again, as the new one could not be kept."""
    member = draft.members.get(replaced.member_id)
    if member is None:
        return
    if member.joining is not None:
        draft.reply(member.joining, JoinGroupResponse(error=error))
        member = draft.update(member, joining=None)
    old = membership.rename(draft, member, replaced.old.member_id)
    draft.begin_session(
        draft.update(
            old,
            protocols=replaced.old.protocols,
            session_timeout_ms=replaced.old.session_timeout_ms,
            rebalance_timeout_ms=replaced.old.rebalance_timeout_ms,
        )
    )
