"""The member's state machine: which event leads where, and what the member does of itself after each."""

from collections.abc import Hashable

from msgspec.structs import replace

from kassay.reference.group.member.generation import (
    IN_GENERATION,
    commit,
    commit_ended,
    end_lease,
    handle_failure,
    handle_heartbeat,
    handle_revoked,
    handle_sync,
    is_due,
    rejoin,
    resend,
    revoke,
    sync,
    synced_late,
    take_up,
)
from kassay.reference.group.member.joining import (
    MOVED,
    ask_to_leave,
    find,
    handle_coordinator,
    handle_join,
    joined_late,
    leave,
    look,
    lose,
    wait,
)
from kassay.reference.group.member.state import (
    DONE,
    Closed,
    ClusterChanged,
    Commit,
    Effects,
    FromApplication,
    Member,
    MemberEvent,
    MemberStep,
    Resumed,
    Revoked,
    Stalled,
    Started,
    SubscriptionChanged,
)
from kassay.reference.group.messages import (
    Alarm,
    Answered,
    CancelTimer,
    Error,
    FindCoordinatorResponse,
    HeartbeatResponse,
    JoinGroupResponse,
    LeaveGroupResponse,
    NotAnswered,
    OffsetCommitResponse,
    Response,
    SetTimer,
    Step,
    SyncGroupResponse,
)


def step(member: Member, event: MemberEvent) -> MemberStep:
    """Return a member after an event, and its effects."""
    out: Effects = []
    match event:
        case Answered(token, response):
            member = _hear(member, token, response, out)
            if member.node is None and response.error in MOVED and member.config.manner.disconnects:
                # Nothing that is under way to the old coordinator will be answered.
                for sent in (member.beat, *(pending.token for pending in member.commits), member.asked):
                    if sent is not None and sent[0] != "find":
                        member = _handle_timeout(member, sent, out)
        case NotAnswered(token):
            member = _handle_timeout(member, token, out)
        case Alarm(key):
            member = _alarm(member, key, out)
        case _:
            member = _handle_call(member, event, out)
    member = _proceed(member, out)
    if member.overdue and member.node is not None:
        member = is_due(member, out)
    return Step(member, tuple(out))


def _handle_call(member: Member, event: FromApplication, out: Effects) -> Member:
    """Take an event of the application."""
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
            return handle_revoked(member, out) if awaited else member
        case Stalled() if not member.stalled and member.phase not in DONE:
            out.append(SetTimer("poll", member.config.max_poll_ms))
            return replace(member, stalled=True)
        case Resumed() if member.stalled:
            out.append(CancelTimer("poll"))
            member = replace(member, stalled=False)
            return take_up(member, out) if member.given and member.phase == "Syncing" else member
        case Closed():
            return _handle_close(member, out)
    return member


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


def _handle_close(member: Member, out: Effects) -> Member:
    if member.phase == "Closed" or not member.owned:
        return member if member.phase == "Closed" else leave(member, out)
    if member.phase == "Joining" or (member.phase == "Syncing" and not member.given):
        # In a rebalance others may own it already.
        return leave(member, out)
    return revoke(member, member.owned, "leave", out)


def _hear(member: Member, token: Hashable, response: Response, out: Effects) -> Member:
    """Take a response, unless the member has given up the request or is not in the group any more."""
    match response:
        case HeartbeatResponse():
            if token != member.beat:
                return member
            member = handle_heartbeat(member, response, out)
            awaited = member.given and member.phase == "Syncing" and not member.rejoins
            return take_up(member, out) if awaited else member
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
            return look(handle_coordinator(member, response, out), out)
        case JoinGroupResponse():
            take_joined = handle_join if member.phase == "Joining" else joined_late
            return take_joined(member, response, out)
        case SyncGroupResponse():
            take_synced = handle_sync if member.phase == "Syncing" else synced_late
            return take_synced(member, response, out)


def _handle_timeout(member: Member, token: Hashable, out: Effects) -> Member:
    asked = member.asked
    if token == member.beat:
        return handle_failure(replace(member, beat=None, node=None), out)
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
    if key != "poll":
        return end_lease(member, key, out)
    if member.stalled and member.phase in IN_GENERATION:
        # It joins again when the application polls. Source: AbstractCoordinator.handlePollTimeoutExpiry.
        return lose(ask_to_leave(member, out), out)
    if member.stalled:
        out.append(SetTimer("poll", member.config.heartbeat_ms))
    return member
