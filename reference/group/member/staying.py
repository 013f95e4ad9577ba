"""What a member does in its generation: it shows that it lives, learns whether the generation still stands, and commits.

Commits of those who are no longer in the generation are fenced off by its number.

Source: AbstractCoordinator.HeartbeatResponseHandler, ConsumerCoordinator.sendOffsetCommitRequest and OffsetCommitResponseHandler of kafka-clients 4.4.
"""

from collections.abc import Hashable

from msgspec.structs import replace

from kassay.reference.group.events import CancelTimer, Send, SetTimer
from kassay.reference.group.member.application import Commit, Committed, NotCommitted
from kassay.reference.group.member.asking import MOVED, fail, lose
from kassay.reference.group.member.state import DONE, Effects, Member, Pending, Token
from kassay.reference.group.messages import Error, Heartbeat, HeartbeatResponse, OffsetCommit

IN_GENERATION = frozenset({"Syncing", "Stable", "Revoking"})
"""Phases in which a member sends heartbeats."""


def is_due(member: Member, out: Effects) -> Member:
    """Send a heartbeat when its time has come, if a generation is there to be kept alive."""
    if member.phase not in IN_GENERATION or member.generation < 0:
        return member
    if member.node is None:
        return replace(member, overdue=True)
    out.append(SetTimer("heartbeat", member.config.heartbeat_ms))
    return beat(replace(member, overdue=False), out)


def failed(member: Member, out: Effects) -> Member:
    """Send the next heartbeat soon after one that failed."""
    if member.phase in IN_GENERATION and member.generation >= 0:
        out.append(SetTimer("heartbeat", member.config.retry_ms))
    return member


def beat(member: Member, out: Effects) -> Member:
    """Send a heartbeat, unless one is under way or nobody is known who would take it."""
    if member.beat is not None or member.node is None:
        return member
    token, config = ("beat", member.tokens), member.config
    request = Heartbeat(
        generation=member.generation, member_id=member.member_id, instance_id=config.instance_id
    )
    out.append(Send(token, request, member.node))
    if member.use.leased:
        # A coordinator may drop who misses its session, and who misses the rebalance that begins after this heartbeat.
        out.append(SetTimer(("lease", token), min(config.session_timeout_ms, config.rebalance_timeout_ms)))
    return replace(
        member, beat=token, beat_of=(member.generation, member.member_id), tokens=member.tokens + 1
    )


def heard(member: Member, response: HeartbeatResponse, out: Effects) -> Member:
    """Do what the coordinator says about the member's generation."""
    error, current = response.error, member.beat_of == (member.generation, member.member_id)
    token, member = member.beat, replace(member, beat=None)
    if error is Error.NONE:
        return _lease(member, token, out) if member.use.leased and current else member
    if error in MOVED:
        return failed(replace(member, node=None), out)
    if error is Error.RESYNC_REQUIRED:
        return replace(member, phase="Syncing", states=()) if member.phase == "Stable" and current else member
    if error is Error.REBALANCE_IN_PROGRESS:
        # Who has yet to learn its state has been told by its SyncGroup, too.
        told = member.given or member.phase in ("Stable", "Revoking")
        return replace(member, rejoins=True) if told else member
    return gone(member, error, out) if current else member


def gone(member: Member, error: Error, out: Effects) -> Member:
    """Leave the generation where the coordinator says that the member is not in it; other errors pass."""
    if error is Error.FENCED_INSTANCE_ID:
        return fail(member, error, out)
    if error in (Error.UNKNOWN_MEMBER_ID, Error.ILLEGAL_GENERATION):
        return lose(member, out, keeps_id=error is Error.ILLEGAL_GENERATION)
    return member


def _lease(member: Member, token: Token | None, out: Effects) -> Member:
    if member.lease is not None:
        out.append(CancelTimer(("lease", member.lease)))
    return replace(member, lease=token)


# Commits


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
