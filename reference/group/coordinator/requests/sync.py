"""SyncGroup in each state: the leader hands in the states of all members, and each gets its own."""

from collections.abc import Hashable

from kassay.reference.group.coordinator import membership, rebalance
from kassay.reference.group.coordinator.draft import Draft
from kassay.reference.group.coordinator.log import record, write
from kassay.reference.group.coordinator.member import Member
from kassay.reference.group.coordinator.pending import Synced
from kassay.reference.group.messages import Error, State, SyncGroup, SyncGroupResponse


def sync(draft: Draft, token: Hashable, request: SyncGroup) -> None:
    """Answer SyncGroup, or park it until the leader has sent its own."""
    error = _fault(draft, request)
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


def _fault(draft: Draft, request: SyncGroup) -> Error:
    error = membership.fault(draft, request.member_id, request.instance_id)
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
        write(draft, (record(draft, states),), Synced(draft.generation, request.states), token)


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
