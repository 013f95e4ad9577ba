"""The member's state machine: which event leads where, and what the member does of itself after each."""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec.structs import replace

from kassay.reference.group.events import Alarm, Answered, CancelTimer, NotAnswered, SetTimer, Step
from kassay.reference.group.member.application import (
    Closed,
    ClusterChanged,
    Commit,
    Resumed,
    Revoked,
    Stalled,
    Started,
    SubscriptionChanged,
)
from kassay.reference.group.member.asking import MOVED, find, found, wait
from kassay.reference.group.member.committing import commit, commit_ended
from kassay.reference.group.member.heartbeat import IN_GENERATION, failed, heard, is_due
from kassay.reference.group.member.joining import joined, joined_late
from kassay.reference.group.member.leading import look
from kassay.reference.group.member.losing import ask_to_leave, leave, lose
from kassay.reference.group.member.owning import lease_ended, rejoin, revoke, revoked, take_up
from kassay.reference.group.member.state import DONE, Effects, Member, MemberEvent, MemberStep
from kassay.reference.group.member.synchronising import resend, sync, synced, synced_late
from kassay.reference.group.messages import (
    Error,
    FindCoordinatorResponse,
    HeartbeatResponse,
    JoinGroupResponse,
    OffsetCommitResponse,
    SyncGroupResponse,
)


def step(member: Member, event: MemberEvent) -> MemberStep:
    """Tell a member what happened; returns what it is then, and what it wants done."""
    out: Effects = []
    member = _HANDLERS[type(event)](member, event, out)
    member = _proceed(member, out)
    if member.overdue and member.node is not None:
        member = is_due(member, out)
    return Step(member, tuple(out))


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


def _started(member: Member, _: Started, _out: Effects) -> Member:
    return replace(member, phase="Unjoined") if member.phase == "New" else member


def _subscribed(member: Member, event: SubscriptionChanged, out: Effects) -> Member:
    return look(replace(member, subscription=event.subscription), out)


def _informed(member: Member, event: ClusterChanged, out: Effects) -> Member:
    return look(replace(member, cluster=event.cluster), out)


def _gave_up(member: Member, event: Revoked, out: Effects) -> Member:
    awaited = member.phase == "Revoking" and event.items == member.revoking
    return revoked(member, out) if awaited else member


def _stalled(member: Member, _: Stalled, out: Effects) -> Member:
    if member.stalled or member.phase in DONE:
        return member
    out.append(SetTimer("poll", member.config.max_poll_ms))
    return replace(member, stalled=True)


def _resumed(member: Member, _: Resumed, out: Effects) -> Member:
    if not member.stalled:
        return member
    out.append(CancelTimer("poll"))
    member = replace(member, stalled=False)
    return take_up(member, out) if member.given and member.phase == "Syncing" else member


def _closed(member: Member, _: Closed, out: Effects) -> Member:
    if member.phase == "Closed" or not member.owned:
        return member if member.phase == "Closed" else leave(member, out)
    if member.phase == "Joining" or (member.phase == "Syncing" and not member.given):
        # In a rebalance others may own it already.
        return leave(member, out)
    return revoke(member, member.owned, "leave", out)


def _answered(member: Member, event: Answered, out: Effects) -> Member:
    member = _hear(member, event, out)
    if member.node is None and event.response.error in MOVED and member.config.manner.disconnects:
        return _disconnect(member, out)
    return member


def _disconnect(member: Member, out: Effects) -> Member:
    """Close the connection to who coordinates no longer: nothing that is under way there will be answered."""
    for token in (member.beat, *(pending.token for pending in member.commits), member.asked):
        if token is not None and token[0] != "find":
            member = _not_answered(member, NotAnswered(token), out)
    return member


def _hear(member: Member, event: Answered, out: Effects) -> Member:
    token, response = event.token, event.response
    if isinstance(response, HeartbeatResponse):
        return _beat(member, response, out) if token == member.beat else member
    if isinstance(response, OffsetCommitResponse):
        return commit_ended(member, token, response.error, out)
    if token != member.asked:
        return member
    member = replace(member, asked=None)
    if isinstance(response, FindCoordinatorResponse) and member.phase not in DONE:
        return look(found(member, response, out), out)
    if member.phase in DONE:
        return member
    if isinstance(response, JoinGroupResponse):
        return (
            joined(member, response, out) if member.phase == "Joining" else joined_late(member, response, out)
        )
    if isinstance(response, SyncGroupResponse):
        return (
            synced(member, response, out) if member.phase == "Syncing" else synced_late(member, response, out)
        )
    return member


def _beat(member: Member, response: HeartbeatResponse, out: Effects) -> Member:
    member = heard(member, response, out)
    awaited = member.given and member.phase == "Syncing" and not member.rejoins
    return take_up(member, out) if awaited else member


def _not_answered(member: Member, event: NotAnswered, out: Effects) -> Member:
    token, asked = event.token, member.asked
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


def _alarm(member: Member, event: Alarm, out: Effects) -> Member:
    key = event.key
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


_HANDLERS: Mapping[type, Callable[[Member, Any, Effects], Member]] = {
    Answered: _answered,
    NotAnswered: _not_answered,
    Alarm: _alarm,
    Started: _started,
    SubscriptionChanged: _subscribed,
    ClusterChanged: _informed,
    Commit: commit,
    Revoked: _gave_up,
    Stalled: _stalled,
    Resumed: _resumed,
    Closed: _closed,
}
