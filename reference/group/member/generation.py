"""A member in its generation: it sends heartbeats, commits, and takes up the state that its leader gave it.

Source: AbstractCoordinator.HeartbeatResponseHandler and SyncGroupResponseHandler, ConsumerCoordinator.sendOffsetCommitRequest,
OffsetCommitResponseHandler, onJoinComplete and onJoinPrepare of kafka-clients 4.4; KIP-429 for what cooperative members keep; "Handling
Coordinator Failures" of the client-side assignment proposal.
"""

from collections.abc import Hashable

from msgspec.structs import replace

from kassay.reference.group.member.joining import MOVED, ask, fail, join, leave, look, lose, wait
from kassay.reference.group.member.state import (
    DONE,
    After,
    Commit,
    Committed,
    Effects,
    Items,
    Lose,
    Member,
    NotCommitted,
    Own,
    Pending,
    Revoke,
)
from kassay.reference.group.messages import (
    CancelTimer,
    Error,
    Heartbeat,
    HeartbeatResponse,
    OffsetCommit,
    Send,
    SetTimer,
    SyncGroup,
    SyncGroupResponse,
)

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


def handle_failure(member: Member, out: Effects) -> Member:
    """Send the next heartbeat soon after one that failed."""
    if member.phase in IN_GENERATION and member.generation >= 0:
        out.append(SetTimer("heartbeat", member.config.retry_ms))
    return member


def beat(member: Member, out: Effects) -> Member:
    """Send a heartbeat, unless one is under way or the coordinator is not known."""
    if member.beat is not None or member.node is None:
        return member
    token, config = ("beat", member.tokens), member.config
    request = Heartbeat(
        generation=member.generation, member_id=member.member_id, instance_id=config.instance_id
    )
    out.append(Send(token, request, member.node))
    if member.use.leased:
        # A coordinator may drop a member that misses its session, or the rebalance that begins after this heartbeat.
        out.append(SetTimer(("lease", token), min(config.session_timeout_ms, config.rebalance_timeout_ms)))
    return replace(
        member, beat=token, beat_of=(member.generation, member.member_id), tokens=member.tokens + 1
    )


def handle_heartbeat(member: Member, response: HeartbeatResponse, out: Effects) -> Member:
    """Do what the response to a heartbeat demands."""
    error, current = response.error, member.beat_of == (member.generation, member.member_id)
    token, member = member.beat, replace(member, beat=None)
    if error is Error.NONE:
        if not (member.use.leased and current):
            return member
        if member.lease is not None:
            out.append(CancelTimer(("lease", member.lease)))
        return replace(member, lease=token)
    if error in MOVED:
        return handle_failure(replace(member, node=None), out)
    if error is Error.RESYNC_REQUIRED:
        # A member under a lease may hear this before it has taken up its state, which is outdated then.
        waits = member.given and member.phase == "Syncing" and member.use.leased
        if current and (waits or member.phase == "Stable"):
            return replace(member, phase="Syncing", states=(), given=False)
        return member
    if error is Error.REBALANCE_IN_PROGRESS:
        # A member without its state also receives this error as the answer to its SyncGroup.
        told = member.given or member.phase in ("Stable", "Revoking")
        return replace(member, rejoins=True) if told else member
    return handle_fenced(member, error, out) if current else member


def handle_fenced(member: Member, error: Error, out: Effects) -> Member:
    """Leave the generation where the coordinator says that the member is not in it; other errors pass."""
    if error is Error.FENCED_INSTANCE_ID:
        return fail(member, error, out)
    if error in (Error.UNKNOWN_MEMBER_ID, Error.ILLEGAL_GENERATION):
        return lose(member, out, keeps_id=error is Error.ILLEGAL_GENERATION)
    return member


# Commits


REFUSED = frozenset({Error.UNKNOWN_MEMBER_ID, Error.ILLEGAL_GENERATION, Error.FENCED_INSTANCE_ID})
"""Errors of a member that is not in the generation in which it commits."""


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
    """End the commit of this token, if it is one, with an event for the application, and do what the error demands."""
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
    return member if not current or member.phase in DONE else handle_fenced(member, error, out)


LOST = frozenset({Error.UNKNOWN_MEMBER_ID, Error.ILLEGAL_GENERATION})
"""Errors that say that the member is not in the generation in which it thinks it is."""


def sync(member: Member, out: Effects) -> Member:
    """Send SyncGroup; the leader's has the states of all members."""
    request = SyncGroup(
        generation=member.generation,
        member_id=member.member_id,
        instance_id=member.config.instance_id,
        protocol_type=member.use.protocol_type,
        protocol=member.protocol,
        states=member.states,
        error=member.failure,
    )
    return ask(member, "sync", request, out)


def handle_sync(member: Member, response: SyncGroupResponse, out: Effects) -> Member:
    """Take up the state as soon as that may be, or do what the error demands."""
    error = response.error
    if error is Error.NONE:
        if response.protocol not in (None, member.protocol):
            return fail(member, Error.INCONSISTENT_GROUP_PROTOCOL, out)
        member = replace(member, state=response.state, given=True, attempts=0)
        return beat(member, out) if member.use.leased else take_up(member, out)
    if error in LOST:
        return lose(member, out, keeps_id=error is Error.ILLEGAL_GENERATION)
    loads = error is Error.COORDINATOR_LOAD_IN_PROGRESS and member.config.manner.resends_sync
    if error in MOVED or error is Error.REBALANCE_IN_PROGRESS or loads:
        return resend(member, error, out)
    return fail(member, error, out)


def synced_late(member: Member, response: SyncGroupResponse, out: Effects) -> Member:
    """Take an answer that comes when the member has lost its place meanwhile: no state is taken up any more."""
    error = response.error
    if error is Error.NONE or error in LOST or error is Error.REBALANCE_IN_PROGRESS:
        return member
    return handle_sync(member, response, out)


def resend(member: Member, error: Error, out: Effects) -> Member:
    """Ask again after an error: for the same state, or in Kafka for another generation."""
    rebalances = error is Error.REBALANCE_IN_PROGRESS
    again = member.config.manner.resends_sync and not rebalances
    member = replace(member, node=None if error in MOVED else member.node, rejoins=not again)
    return member if rebalances else wait(member, out)


# Owned items


def take_up(member: Member, out: Effects) -> Member:
    """Take up the state that was given, if the application polls and the lease runs; first give up what is not in it."""
    use = member.use
    if member.stalled or (use.leased and member.lease is None):
        return member
    items = use.items(member.state)
    if not use.fits(member.subscription, member.cluster, items):
        return replace(member, phase="Stable", given=False, rejoins=True, prepared=False)
    gone = tuple(item for item in member.owned if item not in items)
    if gone:
        member = replace(member, rejoins=member.rejoins or use.cooperative)
        return revoke(member, gone, "adopt", out)
    return take_state(member, out)


def take_state(member: Member, out: Effects) -> Member:
    """Take up the state that was given: begin with what is new in it, when all that is not in it was given up."""
    items = member.use.items(member.state)
    added = tuple(item for item in items if item not in member.owned)
    if added:
        out.append(Own(added))
    taken = replace(
        member, phase="Stable", given=False, prepared=False, owned=items, had=items, had_in=member.generation
    )
    return look(taken, out)


def revoke(member: Member, items: Items, after: After, out: Effects) -> Member:
    """Have the application give up some items, and go on at once or when it has."""
    out.append(Revoke(items))
    member = replace(member, phase="Revoking", revoking=items, after=after)
    return member if member.config.waits_for_revocation else handle_revoked(member, out)


def handle_revoked(member: Member, out: Effects) -> Member:
    """Go on with what the items were given up for."""
    left = tuple(item for item in member.owned if item not in member.revoking)
    member = replace(member, owned=left, revoking=())
    if member.after == "join":
        return join(member, out)
    return leave(member, out) if member.after == "leave" else take_state(member, out)


def rejoin(member: Member, out: Effects) -> Member:
    """Give up all, or as a cooperative member what is no longer subscribed to, and then join; once only until it has joined."""
    use, owned = member.use, member.owned
    if member.prepared:
        return join(member, out)
    member = replace(member, prepared=True)
    kept = use.retained(member.subscription, member.cluster, owned) if use.cooperative and owned else ()
    if len(kept) < len(owned):
        return revoke(member, tuple(item for item in owned if item not in kept), "join", out)
    return join(member, out)


def end_lease(member: Member, key: Hashable, out: Effects) -> Member:
    """Stop working when the coordinator has not answered for so long that it may have dropped the member.

    The member begins again when a heartbeat shows that it is still counted in; an answer to this one comes too late for that.
    """
    if key == ("lease", member.beat):
        return replace(member, beat=None, node=None)
    if key != ("lease", member.lease):
        return member
    if member.owned:
        out.append(Lose(member.owned))
    member = replace(member, lease=None, owned=())
    if member.phase == "Revoking":
        return handle_revoked(member, out)
    return replace(member, phase="Syncing", given=True) if member.phase == "Stable" else member
