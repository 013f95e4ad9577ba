"""The requests of members, in each state of the group, and the sessions of members that are silent.

A new dynamic member first gets an id and then joins with it (KIP-394). A static one is new to the group once; after that it comes back without an id,
and into a stable group without a rebalance (KIP-345). A member that joins again starts a rebalance, or learns of the generation that it missed. The
leader hands in the states of all members in its SyncGroup, and each gets its own. After that heartbeats tell a member whether its generation still stands.

Source: GroupMetadataManager.classicGroupJoin, classicGroupSync, classicGroupHeartbeat, classicGroupLeave and expireClassicGroupMemberHeartbeat of
Kafka 4.x; OffsetMetadataManager.commitOffset.
"""

from collections.abc import Hashable

from kassay.reference.group.coordinator import rebalance
from kassay.reference.group.coordinator.rebalance import supports
from kassay.reference.group.coordinator.state import (
    Committed,
    Created,
    Draft,
    Forgotten,
    GroupForgotten,
    GroupWritten,
    ItemsCommitted,
    Leaving,
    Member,
    Replaced,
    Synced,
)
from kassay.reference.group.messages import (
    Error,
    Heartbeat,
    HeartbeatResponse,
    JoinGroup,
    JoinGroupResponse,
    LeaveGroup,
    LeaveGroupResponse,
    LeavingMember,
    OffsetCommit,
    OffsetCommitResponse,
    State,
    SyncGroup,
    SyncGroupResponse,
)

# JoinGroup


def join(draft: Draft, token: Hashable, request: JoinGroup) -> None:
    """Answer JoinGroup or park it until the join phase ends."""
    least, greatest = draft.behaviour.session_timeouts_ms
    if not least <= request.session_timeout_ms <= greatest:
        refuse(draft, token, Error.INVALID_SESSION_TIMEOUT, request.member_id)
        return
    created = draft.state == "Down"
    if created and request.member_id:
        refuse(draft, token, Error.UNKNOWN_MEMBER_ID, request.member_id)
        return
    if created:
        draft.state = "Empty"
    if not _has_room(draft, request.member_id):
        rebalance.remove(draft, request.member_id)
        refuse(draft, token, Error.GROUP_MAX_SIZE_REACHED)
    elif not _fits(draft, request):
        refuse(draft, token, Error.INCONSISTENT_GROUP_PROTOCOL, request.member_id)
    elif request.member_id:
        _join_again(draft, token, request)
    else:
        _join_new(draft, token, request)
    if created and draft.behaviour.persists == "synced":
        parked = any(member.joining == token for member in draft.members.values())
        draft.write((GroupWritten(0, None, None, None),), Created(), token if parked else None)


def refuse(
    draft: Draft, token: Hashable, error: Error, member_id: str = "", protocol: str | None = ""
) -> None:
    """Answer JoinGroup with an error."""
    draft.reply(token, JoinGroupResponse(error=error, member_id=member_id, protocol=protocol))


def _has_room(draft: Draft, member_id: str) -> bool:
    """Return True if the group may have this member; in the join phase only members count that have joined."""
    most = draft.behaviour.group_max_size
    if most is None or draft.empty:
        return True
    member = draft.members.get(member_id)
    if draft.state == "Joining":
        awaiting = sum(other.joining is not None for other in draft.members.values())
        return (member is not None and member.joining is not None) or awaiting < most
    return member is not None or len(draft.members) < most


def _fits(draft: Draft, request: JoinGroup) -> bool:
    """Return True if the member has the type of the others and shares a protocol with them."""
    if draft.empty:
        return bool(request.protocol_type and request.protocols)
    alike = request.protocol_type == draft.protocol_type
    return alike and supports(draft.members.values(), request.protocols)


def _join_new(draft: Draft, token: Hashable, request: JoinGroup) -> None:
    instance_id = request.instance_id if draft.behaviour.static_members else None
    member_id = f"{instance_id or request.client_id}-{draft.next_member}"
    draft.next_member += 1
    if instance_id is not None:
        old = rebalance.static_member(draft, instance_id)
        if old is not None:
            _come_back(draft, token, request, old, member_id)
            return
    elif draft.behaviour.member_id_required and request.known_id_required:
        draft.pending.append(member_id)
        draft.set_timer(("session", member_id), request.session_timeout_ms)
        refuse(draft, token, Error.MEMBER_ID_REQUIRED, member_id)
        return
    _add(draft, token, request, member_id)


def _add(draft: Draft, token: Hashable, request: JoinGroup, member_id: str) -> None:
    """Let a new member in; it is dropped if it is not in a generation soon, as a client that gave up cannot be told from it."""
    limit = draft.behaviour.new_member_timeout_ms
    member = Member(
        member_id=member_id,
        instance_id=request.instance_id if draft.behaviour.static_members else None,
        client_id=request.client_id,
        session_timeout_ms=request.session_timeout_ms,
        rebalance_timeout_ms=_rebalance_timeout(draft, request),
        protocols=request.protocols,
        joining=token,
        is_new=limit is not None,
    )
    if draft.state == "Joining" and draft.is_initial:
        draft.member_added = True
    if not draft.members:
        draft.protocol_type = request.protocol_type
    rebalance.add(draft, member)
    draft.set_timer(("session", member_id), member.session_timeout_ms if limit is None else limit)
    rebalance.begin_or_complete(draft)


def _rebalance_timeout(draft: Draft, request: JoinGroup) -> int:
    own = draft.behaviour.own_rebalance_timeout
    return request.rebalance_timeout_ms if own else request.session_timeout_ms


def _join_again(draft: Draft, token: Hashable, request: JoinGroup) -> None:
    if request.member_id in draft.pending:
        if request.instance_id is not None:
            refuse(draft, token, Error.UNKNOWN_SERVER_ERROR)
        else:
            _add(draft, token, request, request.member_id)
        return
    error = rebalance.fault(draft, request.member_id, request.instance_id)
    if error is not Error.NONE:
        refuse(draft, token, error, request.member_id, protocol=None)
        return
    member = draft.members[request.member_id]
    unchanged = draft.behaviour.answers_unchanged and member.protocols == request.protocols
    leads_stable = draft.state == "Stable" and draft.leader == member.member_id
    if draft.state != "Joining" and unchanged and not leads_stable:
        draft.reply(token, rebalance.make_join_response(draft, member))
    else:
        _update(draft, token, request, member)
        rebalance.begin_or_complete(draft)


def _update(draft: Draft, token: Hashable, request: JoinGroup, member: Member) -> Member:
    return draft.update(
        member,
        protocols=request.protocols,
        rebalance_timeout_ms=_rebalance_timeout(draft, request),
        session_timeout_ms=request.session_timeout_ms,
        joining=token,
    )


def _come_back(draft: Draft, token: Hashable, request: JoinGroup, old: Member, member_id: str) -> None:
    """Let a static member back in under a new id: without a rebalance if the group is stable and keeps its protocol."""
    leader = draft.leader
    renamed = rebalance.rename(draft, old, member_id)
    draft.begin_session(renamed)
    _update(draft, token, request, renamed)
    if draft.state != "Stable" or rebalance.select_protocol(draft) != draft.protocol:
        rebalance.begin_or_complete(draft)
        return
    states = {member.member_id: member.state for member in draft.members.values()}
    draft.write((draft.record(states),), Replaced(member_id, old, leader, request.skips_assignment), token)


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
        draft.reply(token, make_sync_response(draft, member))


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
            draft.reply(member.syncing, make_sync_response(draft, given))
            draft.begin_session(given)


def make_sync_response(draft: Draft, member: Member) -> SyncGroupResponse:
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
