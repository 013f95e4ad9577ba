"""What happens in a generation: members synchronise, send heartbeats, commit and leave, and those that are silent are dropped.

The leader hands in the states of all members in its SyncGroup, and each gets its own. After that heartbeats tell a member whether its generation still stands.

Source: GroupMetadataManager.classicGroupSync, classicGroupHeartbeat, classicGroupLeave and expireClassicGroupMemberHeartbeat; OffsetMetadataManager.commitOffset.
"""

from collections.abc import Hashable

from kassay.reference.group.coordinator import rebalance
from kassay.reference.group.coordinator.state import (
    Committed,
    Draft,
    Forgotten,
    GroupForgotten,
    ItemsCommitted,
    Leaving,
    Member,
    Synced,
)
from kassay.reference.group.messages import (
    Error,
    Heartbeat,
    HeartbeatResponse,
    LeaveGroup,
    LeaveGroupResponse,
    LeavingMember,
    OffsetCommit,
    OffsetCommitResponse,
    State,
    SyncGroup,
    SyncGroupResponse,
)

LIVES = {error: HeartbeatResponse(error=error) for error in Error}

# SyncGroup


def sync(draft: Draft, token: Hashable, request: SyncGroup) -> None:
    """Answer SyncGroup, or park it until the leader has sent its own."""
    error = _sync_fault(draft, request)
    if error is not Error.NONE:
        draft.reply(token, SyncGroupResponse(error=error))
        return
    member = draft.members[request.member_id]
    if member.member_id in draft.unsynced:
        draft.unsynced.remove(member.member_id)
        if not draft.unsynced:
            draft.cancel_timer("sync")
    leads = member.member_id == draft.leader
    if draft.state == "AwaitSync":
        draft.update(member, syncing=token)
        if leads:
            _lead(draft, token, request)
    elif leads and draft.behaviour.resyncs and (request.states or request.error is not Error.NONE):
        draft.update(member, syncing=token)
        _lead(draft, token, request)
    else:
        if member.to_resync:
            draft.update(member, to_resync=False)
        draft.reply(token, state_of(draft, member))


def _sync_fault(draft: Draft, request: SyncGroup) -> Error:
    error = rebalance.fault(draft, request.member_id, request.instance_id)
    if error is not Error.NONE:
        return error
    if request.generation != draft.generation:
        return Error.ILLEGAL_GENERATION
    for named, chosen in ((request.protocol_type, draft.protocol_type), (request.protocol, draft.protocol)):
        if named is not None and chosen is not None and named != chosen:
            return Error.INCONSISTENT_GROUP_PROTOCOL
    if draft.state != "Joining":
        return Error.NONE
    generation, failure = draft.failure or (None, Error.REBALANCE_IN_PROGRESS)
    return failure if generation == request.generation else Error.REBALANCE_IN_PROGRESS


def _lead(draft: Draft, token: Hashable, request: SyncGroup) -> None:
    """Take the states of all members from the leader, or the error by which it ends the generation."""
    if request.error is not Error.NONE and draft.behaviour.spreads_errors:
        draft.failure = (draft.generation, request.error)
        rebalance.end_sync(draft, request.error)
        rebalance.begin(draft)
        return
    states = dict(request.states)
    if draft.behaviour.persists == "nothing":
        spread(draft, states)
    else:
        draft.write((draft.record(states),), Synced(draft.generation, request.states), token)


def spread(draft: Draft, states: dict[str, State]) -> None:
    """Give the members their states; those that wait for them get them now."""
    resynced = draft.state == "Stable"
    draft.state = "Stable"
    for member in draft.members.values():
        waits = member.syncing is not None
        given = draft.update(
            member,
            state=states.get(member.member_id),
            syncing=None,
            to_resync=resynced and not waits,
        )
        if waits:
            draft.reply(member.syncing, state_of(draft, given))
            draft.begin_session(given)


def state_of(draft: Draft, member: Member) -> SyncGroupResponse:
    """Return a member's state."""
    return SyncGroupResponse(protocol_type=draft.protocol_type, protocol=draft.protocol, state=member.state)


# Heartbeat


def heartbeat(draft: Draft, token: Hashable, request: Heartbeat) -> None:
    """Answer a heartbeat and prolong the member's session."""
    error = rebalance.fault(draft, request.member_id, request.instance_id)
    if error is Error.NONE and request.generation != draft.generation:
        error = Error.ILLEGAL_GENERATION
    if error is Error.NONE:
        member = draft.members[request.member_id]
        draft.begin_session(member)
        if draft.state == "Joining":
            error = Error.REBALANCE_IN_PROGRESS
        elif draft.state == "AwaitSync":
            error = draft.behaviour.awaiting_sync
        elif member.to_resync:
            error = Error.RESYNC_REQUIRED
    draft.reply(token, LIVES[error])


# OffsetCommit


def commit(draft: Draft, token: Hashable, request: OffsetCommit) -> None:
    """Write what was committed; the answer follows when it is written."""
    error = _commit_fault(draft, request)
    if error is not Error.NONE:
        draft.reply(token, OffsetCommitResponse(error=error))
        return
    created, had_offsets = draft.state == "Down", draft.has_offsets
    if created:
        draft.state = "Empty"
    if not draft.empty:
        draft.begin_session(draft.members[request.member_id])
    if not request.items:
        draft.reply(token, OffsetCommitResponse())
        return
    draft.has_offsets = True
    draft.write((ItemsCommitted(request.items),), Committed(created, had_offsets), token)


def _commit_fault(draft: Draft, request: OffsetCommit) -> Error:
    if request.generation < 0 and draft.empty:
        return Error.NONE
    if draft.state == "Down":
        return Error.ILLEGAL_GENERATION
    error = rebalance.fault(draft, request.member_id, request.instance_id)
    if error is not Error.NONE:
        return error
    if request.generation != draft.generation:
        return Error.ILLEGAL_GENERATION
    return Error.REBALANCE_IN_PROGRESS if draft.state == "AwaitSync" else Error.NONE


# LeaveGroup


def leave(draft: Draft, token: Hashable, request: LeaveGroup) -> None:
    """Remove members, and rebalance the others if any was there; that none is left is written before it is answered."""
    answers = tuple((leaving, _remove(draft, leaving)) for leaving in request.members)
    draft.leaving = Leaving(token, LeaveGroupResponse(members=answers))
    if not draft.empty and any(error is Error.NONE for _, error in answers):
        rebalance.begin_or_complete(draft)
    if draft.leaving is not None:
        draft.reply(token, draft.leaving.answer)


def _remove(draft: Draft, leaving: LeavingMember) -> Error:
    member_id, instance_id = leaving.member_id, leaving.instance_id
    if not member_id and instance_id is not None and draft.behaviour.static_members:
        owner = rebalance.static_member(draft, instance_id)
        if owner is None:
            return Error.UNKNOWN_MEMBER_ID
        member_id = owner.member_id
    elif member_id in draft.pending:
        rebalance.remove(draft, member_id)
        draft.cancel_timer(("session", member_id))
        return Error.NONE
    error = rebalance.fault(draft, member_id, instance_id)
    if error is Error.NONE:
        draft.cancel_timer(("session", member_id))
        rebalance.turn_away(draft, draft.members[member_id])
    return error


# Members that are silent


def end_session(draft: Draft, member_id: str) -> None:
    """Drop a member that has not been heard of; a parked request counts as a sign of life, but for a new member."""
    if member_id in draft.pending:
        rebalance.remove(draft, member_id)
    else:
        member = draft.members.get(member_id)
        parked = member is not None and (member.joining is not None or member.syncing is not None)
        if member is None or (parked and not member.is_new):
            return
        rebalance.turn_away(draft, member)
        if draft.state in {"Stable", "AwaitSync"}:
            rebalance.begin(draft)
            return
    if draft.state == "Joining" and rebalance.has_joined(draft):
        rebalance.complete(draft)


def drop_unsynced(draft: Draft) -> None:
    """Drop the members that know their generation and have not sent SyncGroup (KAFKA-12890)."""
    if draft.unsynced and draft.state in {"AwaitSync", "Stable"}:
        for member_id in list(draft.unsynced):
            rebalance.remove(draft, member_id)
            draft.cancel_timer(("session", member_id))
        rebalance.begin(draft)


def clean_up(draft: Draft) -> None:
    """Forget a group without members and offsets, and look again later."""
    draft.set_timer("cleanup", draft.behaviour.cleanup_ms)
    if draft.state == "Empty" and not draft.has_offsets:
        after = Forgotten(draft.generation, draft.protocol_type, draft.member_added, tuple(draft.pending))
        draft.forget()
        if draft.behaviour.persists != "nothing":
            draft.write((GroupForgotten(),), after)
