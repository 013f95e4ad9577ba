"""The join phase: how a rebalance begins, waits for members, and ends in a new generation."""

from kassay.reference.group.coordinator import membership
from kassay.reference.group.coordinator.draft import Draft, StoppedError
from kassay.reference.group.coordinator.log import record, write
from kassay.reference.group.coordinator.member import Member
from kassay.reference.group.coordinator.pending import Emptied, Joined
from kassay.reference.group.coordinator.protocols import chosen, metadata
from kassay.reference.group.coordinator.reading import PASSED_OVER, STOPS, reading
from kassay.reference.group.messages import (
    Error,
    JoinedMember,
    JoinGroupResponse,
    SyncGroupResponse,
)


def begin_or_complete(draft: Draft) -> None:
    """Begin a rebalance, or end the join phase that is under way if nobody is waited for."""
    if draft.state == "Joining":
        complete_if_joined(draft)
    else:
        begin(draft)


def begin(draft: Draft) -> None:
    """Begin a rebalance: who has sent SyncGroup is to join again."""
    if draft.state == "AwaitSync" or draft.behaviour.resyncs:
        end_sync(draft, Error.REBALANCE_IN_PROGRESS)
    draft.unsynced = []
    if draft.behaviour.sync_timeout:
        draft.cancel_timer("sync")
    draft.state, draft.is_initial, draft.empty = "Joining", draft.empty, False
    delay = draft.behaviour.initial_delay_ms
    if draft.is_initial and delay is not None:
        draft.delay_ms, draft.remaining_ms = delay, max(rebalance_timeout(draft) - delay, 0)
        draft.set_timer("rebalance", delay)
    elif membership.has_joined(draft):
        complete(draft)
    else:
        wait(draft)


def wait(draft: Draft) -> None:
    """Give the members a rebalance timeout to join."""
    draft.remaining_ms = None
    draft.set_timer("rebalance", rebalance_timeout(draft))


def rebalance_timeout(draft: Draft) -> int:
    """Return the longest rebalance timeout of a member, in milliseconds."""
    return max((member.rebalance_timeout_ms for member in draft.members.values()), default=0)


def end_sync(draft: Draft, error: Error) -> None:
    """Take their states from the members and answer the parked requests of the generation with an error."""
    for member in draft.members.values():
        if member.syncing is not None:
            draft.reply(member.syncing, SyncGroupResponse(error=error))
            draft.begin_session(member)
        if member.syncing is not None or member.state is not None:
            draft.update(member, state=None, syncing=None)


def complete_if_joined(draft: Draft) -> None:
    """End the join phase if nobody is waited for, unless it waits anyway as that of an empty group."""
    waits = draft.is_initial and draft.behaviour.initial_delay_ms is not None
    if draft.state == "Joining" and not waits and membership.has_joined(draft):
        complete(draft)


def complete_delayed(draft: Draft) -> None:
    """End the join phase of a group that was empty, or delay it once more if a member came."""
    remaining = draft.remaining_ms
    if draft.member_added and remaining:
        draft.member_added = False
        spent = draft.delay_ms
        draft.delay_ms = min(draft.behaviour.initial_delay_ms or 0, remaining)
        draft.remaining_ms = max(remaining - spent, 0)
        draft.set_timer("rebalance", draft.delay_ms)
    else:
        complete(draft)


def complete(draft: Draft) -> None:
    """End the join phase: drop who did not join unless it is static, and begin a generation of the others."""
    draft.cancel_timer("rebalance")
    for member in list(draft.members.values()):
        if member.joining is None and member.instance_id is None:
            membership.remove(draft, member.member_id)
            draft.cancel_timer(("session", member.member_id))
    joined = tuple(member.member_id for member in draft.members.values() if member.joining is not None)
    if not draft.members:
        _empty(draft)
    elif not joined:
        wait(draft)
    else:
        if draft.leader not in joined or not draft.behaviour.leader_stays:
            draft.leader = draft.choose(joined)
        _begin_generation(draft)


def _empty(draft: Draft) -> None:
    """Begin a generation without members."""
    draft.generation += 1
    draft.state, draft.protocol, draft.leader, draft.empty, draft.unsynced = "Stable", None, None, True, []
    if draft.behaviour.persists != "nothing":
        write(draft, (record(draft, {}),), Emptied())


def _begin_generation(draft: Draft) -> None:
    """Begin a generation of the members, who are told of it once it is written if it is."""
    draft.generation += 1
    draft.protocol = chosen(draft)
    if stops(draft):
        raise StoppedError
    draft.state, draft.failure = "AwaitSync", None
    for member in draft.members.values():
        if member.is_new or member.to_resync:
            draft.update(member, is_new=False, to_resync=False)
    if draft.behaviour.persists == "each phase":
        write(draft, (record(draft, {}, synced=False),), Joined(draft.generation))
    else:
        tell_joined(draft)
    if (
        draft.behaviour.sync_timeout
    ):  # after the sessions: of timers that run out at once the one set first comes first
        draft.unsynced = list(draft.members)
        draft.set_timer("sync", rebalance_timeout(draft))


def stops(draft: Draft) -> bool:
    """Tell whether somebody's metadata cannot be read, so that all stops; where others' are passed over, it is chance whose are read first."""
    if not draft.behaviour.stops_at_unreadable or draft.protocol_type != "consumer":
        return False
    kinds = {reading(metadata(member, draft.protocol)) for member in draft.members.values()}
    if {STOPS, PASSED_OVER} <= kinds:
        return draft.choose((STOPS, PASSED_OVER)) == STOPS
    return STOPS in kinds


def tell_joined(draft: Draft) -> None:
    """Answer the parked JoinGroups of a generation that has begun, and begin the sessions of its members."""
    for member in draft.members.values():
        draft.begin_session(member)
        if member.joining is not None:
            draft.reply(member.joining, generation_of(draft, member))
            draft.update(member, joining=None)


def generation_of(draft: Draft, member: Member) -> JoinGroupResponse:
    """Return what a member is told of the generation: the leader learns of all members."""
    leads = member.member_id == draft.leader
    return JoinGroupResponse(
        generation=draft.generation,
        protocol_type=draft.protocol_type,
        protocol=draft.protocol,
        leader=draft.leader or "",
        member_id=member.member_id,
        members=tuple(
            JoinedMember(other.member_id, other.instance_id, metadata(other, draft.protocol))
            for other in draft.members.values()
        )
        if leads
        else (),
    )
