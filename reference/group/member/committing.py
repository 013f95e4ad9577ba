"""How a member commits, and how commits of those who are no longer in the generation are fenced off.

Source: ConsumerCoordinator.sendOffsetCommitRequest and OffsetCommitResponseHandler of kafka-clients 4.4.
"""

from collections.abc import Hashable

from msgspec.structs import replace

from kassay.reference.group.events import Send
from kassay.reference.group.member.application import Commit, Committed, NotCommitted
from kassay.reference.group.member.asking import MOVED
from kassay.reference.group.member.heartbeat import gone
from kassay.reference.group.member.state import DONE, Effects, Member, Pending
from kassay.reference.group.messages import Error, OffsetCommit

REFUSED = frozenset({Error.UNKNOWN_MEMBER_ID, Error.ILLEGAL_GENERATION, Error.FENCED_INSTANCE_ID})
"""Errors of who is not in the generation that it commits in."""


def commit(member: Member, event: Commit, out: Effects) -> Member:
    """Commit items of the generation that the member is in, or say why that cannot be asked for."""
    error = _obstacle(member, event)
    if error is not None:
        out.append(NotCommitted(event.items, error))
        return member
    number = member.tokens
    token = ("commit", number)
    request = OffsetCommit(
        generation=member.generation,
        member_id=member.member_id,
        instance_id=member.config.instance_id,
        items=event.items,
    )
    out.append(Send(token, request, member.node))
    pending = Pending(token, event.items, member.generation, member.member_id)
    return replace(member, commits=(*member.commits, pending), tokens=number + 1)


def _obstacle(member: Member, event: Commit) -> Error | None:
    if member.phase in ("Joining", "Syncing"):
        return Error.REBALANCE_IN_PROGRESS
    if member.phase not in ("Stable", "Revoking") or member.generation < 0:
        return Error.UNKNOWN_MEMBER_ID
    if not all(item in member.owned for item in event.items):
        return Error.ILLEGAL_GENERATION
    return Error.COORDINATOR_NOT_AVAILABLE if member.node is None else None


def commit_ended(member: Member, token: Hashable, error: Error, out: Effects) -> Member:
    """Tell the application how the commit of this token ended, if that is one, and do what the error demands."""
    ended = next((pending for pending in member.commits if pending.token == token), None)
    if ended is None:
        return member
    left = tuple(pending for pending in member.commits if pending is not ended)
    current = (ended.generation, ended.member_id) == (member.generation, member.member_id)
    rebalances = not current and member.phase == "Joining" and error in REFUSED
    fenced_late = error is Error.FENCED_INSTANCE_ID and not current
    told = Error.REBALANCE_IN_PROGRESS if rebalances else Error.ILLEGAL_GENERATION if fenced_late else error
    out.append(Committed(ended.items) if error is Error.NONE else NotCommitted(ended.items, told))
    member = replace(member, commits=left)
    if error in MOVED:
        return replace(member, node=None)
    if error is Error.REBALANCE_IN_PROGRESS:
        return replace(member, rejoins=True) if member.phase in ("Stable", "Revoking") else member
    return member if not current or member.phase in DONE else gone(member, error, out)
