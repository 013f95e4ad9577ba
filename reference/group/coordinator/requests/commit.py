"""OffsetCommit in each state: only members of the current generation may, or anybody while there are no members."""

from collections.abc import Hashable

from kassay.reference.group.coordinator import membership
from kassay.reference.group.coordinator.draft import Draft
from kassay.reference.group.coordinator.log import write
from kassay.reference.group.coordinator.pending import Committed
from kassay.reference.group.coordinator.records import ItemsCommitted
from kassay.reference.group.messages import Error, OffsetCommit, OffsetCommitResponse


def commit(draft: Draft, token: Hashable, request: OffsetCommit) -> None:
    """Write what was committed; the answer follows when it is written."""
    error = _fault(draft, request)
    if error is not Error.NONE:
        draft.reply(token, OffsetCommitResponse(error=error))
        return
    created, had_offsets = draft.state == "Down", draft.has_offsets
    if created:
        draft.state, draft.empty = "Stable", True
    if not draft.empty:
        draft.begin_session(draft.members[request.member_id])
    if not request.items:
        draft.reply(token, OffsetCommitResponse())
        return
    draft.has_offsets = True
    write(draft, (ItemsCommitted(request.items),), Committed(created, had_offsets), token)


def _fault(draft: Draft, request: OffsetCommit) -> Error:
    if request.generation < 0 and draft.empty:
        return Error.NONE
    if draft.state == "Down":
        return Error.ILLEGAL_GENERATION
    error = membership.fault(draft, request.member_id, request.instance_id)
    if error is not Error.NONE:
        return error
    if request.generation != draft.generation:
        return Error.ILLEGAL_GENERATION
    return Error.REBALANCE_IN_PROGRESS if draft.state == "AwaitSync" else Error.NONE
