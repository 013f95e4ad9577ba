"""Heartbeat in each state: a member lives, and learns whether its generation still stands."""

from collections.abc import Hashable

from kassay.reference.group.coordinator import membership
from kassay.reference.group.coordinator.draft import Draft
from kassay.reference.group.messages import Error, Heartbeat, HeartbeatResponse

LIVES = {error: HeartbeatResponse(error=error) for error in Error}


def heartbeat(draft: Draft, token: Hashable, request: Heartbeat) -> None:
    """Answer a heartbeat and prolong the member's session."""
    error = membership.fault(draft, request.member_id, request.instance_id)
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
