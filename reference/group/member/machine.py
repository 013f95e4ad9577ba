"""The member's state machine: which event leads where, and what the member does of itself after each.

Here is which chapter takes what: finding, failing and leaving `asking.py`; JoinGroup and the leader `joining.py`; SyncGroup and what is owned
`synchronising.py`; heartbeats and commits `staying.py`.

What a member does in its generation: it shows that it lives, learns whether the generation still stands, and commits.

Commits of those who are no longer in the generation are fenced off by its number.

Source: AbstractCoordinator.HeartbeatResponseHandler, ConsumerCoordinator.sendOffsetCommitRequest and OffsetCommitResponseHandler of kafka-clients 4.4.

How a member learns its state and takes it up: what it begins with, what it gives up first, and what it gives up before it joins again.

Source: AbstractCoordinator.SyncGroupResponseHandler, ConsumerCoordinator.onJoinComplete and onJoinPrepare of kafka-clients 4.4; KIP-429 for what cooperative
members keep; "Handling Coordinator Failures" of the proposal.
"""

from collections.abc import Hashable

from msgspec.structs import replace

from kassay.reference.group.member.joining import (
    MOVED,
    ask,
    ask_to_leave,
    fail,
    find,
    found,
    join,
    joined,
    joined_late,
    leave,
    look,
    lose,
    wait,
)
from kassay.reference.group.member.state import (
    DONE,
    After,
    Closed,
    ClusterChanged,
    Commit,
    Committed,
    Effects,
    FromApplication,
    Items,
    Lose,
    Member,
    MemberEvent,
    MemberStep,
    NotCommitted,
    Own,
    Pending,
    Resumed,
    Revoke,
    Revoked,
    Stalled,
    Started,
    SubscriptionChanged,
    Token,
)
from kassay.reference.group.messages import (
    Alarm,
    Answered,
    CancelTimer,
    Error,
    FindCoordinatorResponse,
    Heartbeat,
    HeartbeatResponse,
    JoinGroupResponse,
    LeaveGroupResponse,
    NotAnswered,
    OffsetCommit,
    OffsetCommitResponse,
    Response,
    Send,
    SetTimer,
    Step,
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


LOST = frozenset({Error.UNKNOWN_MEMBER_ID, Error.ILLEGAL_GENERATION})
"""Errors that say that the member is not in the generation in which it thinks it is."""


def sync(member: Member, out: Effects) -> Member:
    """Ask for the state, and as the leader tell those of all."""
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


def synced(member: Member, response: SyncGroupResponse, out: Effects) -> Member:
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
    return synced(member, response, out)


def resend(member: Member, error: Error, out: Effects) -> Member:
    """Ask again after an answer that is none: for the same state, or as Kafka's members do for another generation."""
    rebalances = error is Error.REBALANCE_IN_PROGRESS
    again = member.config.manner.resends_sync and not rebalances
    member = replace(member, node=None if error in MOVED else member.node, rejoins=not again)
    return member if rebalances else wait(member, out)


# What it owns


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
    return own(member, out)


def own(member: Member, out: Effects) -> Member:
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
    return member if member.config.waits_for_revocation else revoked(member, out)


def revoked(member: Member, out: Effects) -> Member:
    """Go on with what the items were given up for."""
    left = tuple(item for item in member.owned if item not in member.revoking)
    member = replace(member, owned=left, revoking=())
    if member.after == "join":
        return join(member, out)
    return leave(member, out) if member.after == "leave" else own(member, out)


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


def lease_ended(member: Member, key: Hashable, out: Effects) -> Member:
    """Stop working when the coordinator has not answered for so long that it may have counted the member out.

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
        return revoked(member, out)
    return replace(member, phase="Syncing", given=True) if member.phase == "Stable" else member


def step(member: Member, event: MemberEvent) -> MemberStep:
    """Tell a member what happened; returns what it is then, and what it wants done."""
    out: Effects = []
    member = _proceed(_take(member, event, out), out)
    if member.overdue and member.node is not None:
        member = is_due(member, out)
    return Step(member, tuple(out))


def _take(member: Member, event: MemberEvent, out: Effects) -> Member:
    match event:
        case Answered():
            return _answered(member, event, out)
        case NotAnswered(token):
            return _not_answered(member, token, out)
        case Alarm(key):
            return _alarm(member, key, out)
        case _:
            return _told(member, event, out)


def _told(member: Member, event: FromApplication, out: Effects) -> Member:
    """Do what the application wants, or take note of what it says."""
    match event:
        case Started():
            return replace(member, phase="Unjoined") if member.phase == "New" else member
        case SubscriptionChanged(subscription):
            return look(replace(member, subscription=subscription), out)
        case ClusterChanged(cluster):
            return look(replace(member, cluster=cluster), out)
        case Commit():
            return commit(member, event, out)
        case Revoked(items):
            awaited = member.phase == "Revoking" and items == member.revoking
            return revoked(member, out) if awaited else member
        case Stalled():
            return _stalled(member, out)
        case Resumed():
            return _resumed(member, out)
        case Closed():
            return _closed(member, out)


def _proceed(member: Member, out: Effects) -> Member:
    """Do what is next: find the coordinator, join, or synchronise; one thing at a time."""
    phase = member.phase
    if member.asked is not None or member.waits or phase in DONE:
        return member
    if member.node is None:
        return find(member, out)
    if phase == "Revoking":
        return member
    if phase == "Syncing" and not member.rejoins:
        return member if member.given else sync(member, out)
    if member.stalled or (phase == "Stable" and not member.rejoins):
        return member
    return rejoin(member, out)


def _stalled(member: Member, out: Effects) -> Member:
    if member.stalled or member.phase in DONE:
        return member
    out.append(SetTimer("poll", member.config.max_poll_ms))
    return replace(member, stalled=True)


def _resumed(member: Member, out: Effects) -> Member:
    if not member.stalled:
        return member
    out.append(CancelTimer("poll"))
    member = replace(member, stalled=False)
    return take_up(member, out) if member.given and member.phase == "Syncing" else member


def _closed(member: Member, out: Effects) -> Member:
    if member.phase == "Closed" or not member.owned:
        return member if member.phase == "Closed" else leave(member, out)
    if member.phase == "Joining" or (member.phase == "Syncing" and not member.given):
        # In a rebalance others may own it already.
        return leave(member, out)
    return revoke(member, member.owned, "leave", out)


def _answered(member: Member, event: Answered, out: Effects) -> Member:
    member = _hear(member, event.token, event.response, out)
    if member.node is None and event.response.error in MOVED and member.config.manner.disconnects:
        return _disconnect(member, out)
    return member


def _hear(member: Member, token: Hashable, response: Response, out: Effects) -> Member:
    """Take a response, unless it is to a request that the member has given up; one that is not in the group any more does nothing with it."""
    match response:
        case HeartbeatResponse():
            return _beat(member, response, out) if token == member.beat else member
        case OffsetCommitResponse():
            return commit_ended(member, token, response.error, out)
        case LeaveGroupResponse():
            return member
    if token != member.asked:
        return member
    member = replace(member, asked=None)
    if member.phase in DONE:
        return member
    match response:
        case FindCoordinatorResponse():
            return look(found(member, response, out), out)
        case JoinGroupResponse():
            take_joined = joined if member.phase == "Joining" else joined_late
            return take_joined(member, response, out)
        case SyncGroupResponse():
            take_synced = synced if member.phase == "Syncing" else synced_late
            return take_synced(member, response, out)


def _disconnect(member: Member, out: Effects) -> Member:
    """Close the connection to who coordinates no longer: nothing that is under way there will be answered."""
    for token in (member.beat, *(pending.token for pending in member.commits), member.asked):
        if token is not None and token[0] != "find":
            member = _not_answered(member, token, out)
    return member


def _beat(member: Member, response: HeartbeatResponse, out: Effects) -> Member:
    member = heard(member, response, out)
    awaited = member.given and member.phase == "Syncing" and not member.rejoins
    return take_up(member, out) if awaited else member


def _not_answered(member: Member, token: Hashable, out: Effects) -> Member:
    asked = member.asked
    if token == member.beat:
        return failed(replace(member, beat=None, node=None), out)
    if asked is None or token != asked:
        return commit_ended(member, token, Error.COORDINATOR_NOT_AVAILABLE, out)
    kind, member = asked[0], replace(member, asked=None)
    if member.phase in DONE:
        return member
    if kind == "sync" and member.phase == "Syncing":
        return resend(member, Error.COORDINATOR_NOT_AVAILABLE, out)
    return wait(member if kind == "find" else replace(member, node=None), out)


def _alarm(member: Member, key: Hashable, out: Effects) -> Member:
    if key == "heartbeat":
        return is_due(member, out)
    if key == "retry":
        return replace(member, waits=False)
    return _overdue(member, out) if key == "poll" else lease_ended(member, key, out)


def _overdue(member: Member, out: Effects) -> Member:
    """Leave the group as long as the application does not poll; it joins again when it does.

    Source: AbstractCoordinator.handlePollTimeoutExpiry.
    """
    if not member.stalled:
        return member
    if member.phase not in IN_GENERATION:
        out.append(SetTimer("poll", member.config.heartbeat_ms))
        return member
    return lose(ask_to_leave(member, out), out)
