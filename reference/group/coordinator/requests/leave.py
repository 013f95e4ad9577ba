"""LeaveGroup in each state: members go for good, by their ids or by their instance ids."""

from collections.abc import Hashable

from kassay.reference.group.coordinator import membership, rebalance
from kassay.reference.group.coordinator.draft import Draft
from kassay.reference.group.coordinator.pending import Emptied, Pending
from kassay.reference.group.messages import Error, LeaveGroup, LeaveGroupResponse, LeavingMember


def leave(draft: Draft, token: Hashable, request: LeaveGroup) -> None:
    """Remove members, and rebalance the others if any was there; that none is left is written before it is answered."""
    answers = tuple((leaving, _remove(draft, leaving)) for leaving in request.members)
    answer = LeaveGroupResponse(members=answers)
    batch = draft.next_batch
    if not draft.empty and any(error is Error.NONE for _, error in answers):
        rebalance.begin_or_complete(draft)
    if draft.next_batch > batch and draft.empty:
        draft.waiting = (*draft.waiting[:-1], Pending(batch, Emptied(answer), token))
    else:
        draft.reply(token, answer)


def _remove(draft: Draft, leaving: LeavingMember) -> Error:
    member_id, instance_id = leaving.member_id, leaving.instance_id
    if not member_id and instance_id is not None and draft.behaviour.static_members:
        owner = membership.static_member(draft, instance_id)
        if owner is None:
            return Error.UNKNOWN_MEMBER_ID
        member_id = owner.member_id
    elif member_id in draft.pending:
        membership.remove(draft, member_id)
        draft.cancel_timer(("session", member_id))
        return Error.NONE
    error = membership.fault(draft, member_id, instance_id)
    if error is Error.NONE:
        draft.cancel_timer(("session", member_id))
        membership.turn_away(draft, draft.members[member_id])
    return error
