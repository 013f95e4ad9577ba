"""Mutants of the coordinator's log and of its roster: what it reads and writes, who is dropped or fenced, and whose request is forgotten."""

from msgspec.structs import replace
from simulation.changes import change_coordinator_step, change_load, ignore_events
from simulation.rebalance_mutants import KAFKA, PROPOSAL, Mutant

from kassay.reference.group.coordinator.state import Synced
from kassay.reference.group.messages import (
    Alarm,
    Asked,
    CancelTimer,
    Error,
    JoinGroup,
    JoinGroupResponse,
    LeaveGroup,
    Refused,
    Reply,
    SetTimer,
    Step,
    SyncGroupResponse,
    Write,
    Written,
)


@change_load
def nothing_is_read(load, _log, first_id):
    """A new coordinator does not read the log."""
    return load((), first_id)


@change_load
def last_record_is_missed(load, log, first_id):
    """A new coordinator does not read the last record of the log."""
    return load(log[:-1], first_id)


@change_load
def generation_is_not_read(load, log, first_id):
    """A new coordinator counts generations from the beginning."""
    done = load(log, first_id)
    return Step(replace(done.state, generation=0), done.effects)


@change_coordinator_step
def answers_before_it_writes(step, coordinator, event):
    """Answers do not wait until the log has committed."""
    if type(event) in {Written, Refused}:
        return Step(coordinator, ())
    done = step(coordinator, event)
    effects = [*done.effects]
    state = done.state
    for one in done.effects:
        if type(one) is Write:
            more = step(state, Written(one.batch))
            state = more.state
            effects += more.effects
    return Step(state, tuple(effects))


@change_coordinator_step
def refused_writes_count(step, coordinator, event):
    """Batches that the log refuses count as written."""
    return step(coordinator, Written(event.batch) if type(event) is Refused else event)


@change_load
def failover_loses_a_member(load, log, first_id):
    """A new coordinator does not read the last member of the group."""
    done = load(log, first_id)
    return Step(replace(done.state, roster=done.state.roster[:-1]), done.effects)


@change_coordinator_step
def late_writes_spread_old_states(step, coordinator, event):
    """When states are written after the group went on to rebalance, members that wait for the next states get them all the same."""
    if type(event) is Written and coordinator.state == "AwaitSync":
        waiting = tuple(
            replace(one, after=replace(one.after, generation=coordinator.generation))
            if one.batch == event.batch and type(one.after) is Synced
            else one
            for one in coordinator.waiting
        )
        return step(replace(coordinator, waiting=waiting), event)
    return step(coordinator, event)


@change_coordinator_step
def leaving_changes_nothing(step, coordinator, event):
    """A member that leaves is forgotten, and the others go on as they are."""
    done = step(coordinator, event)
    asked = type(event) is Asked and type(event.request) is LeaveGroup
    if not asked or coordinator.state != "Stable" or done.state.state != "Joining":
        return done
    ids = {one.member_id for one in event.request.members}
    roster = tuple(one for one in coordinator.roster if one.member_id not in ids)
    leader = coordinator.leader if coordinator.leader not in ids else roster[0].member_id
    answers = tuple(one for one in done.effects if type(one) is Reply)
    return Step(replace(coordinator, roster=roster, leader=leader), answers)


@ignore_events
def dead_members_stay(coordinator, event):
    """No session ends in a stable group, so a crashed member is never removed."""
    return type(event) is Alarm and event.key[0] == "session" and coordinator.state == "Stable"


@change_coordinator_step
def sessions_end_while_parked(step, coordinator, event):
    """A JoinGroup that waits does not count as heartbeat."""
    if type(event) is Alarm and event.key[0] == "session":
        roster = tuple(
            replace(one, joining=None) if one.member_id == event.key[1] else one for one in coordinator.roster
        )
        return step(replace(coordinator, roster=roster), event)
    done = step(coordinator, event)
    if type(event) is not Asked or type(event.request) is not JoinGroup:
        return done
    own = next((one for one in done.state.roster if one.joining == event.token), None)
    if own is None:
        return done
    timer = SetTimer(("session", own.member_id), own.session_timeout_ms)
    return Step(done.state, (*done.effects, timer))


@change_coordinator_step
def static_members_are_dropped(step, coordinator, event):
    """At the end of a join phase static members that did not join again are dropped as dynamic ones are."""
    ends = type(event) is Alarm and event.key == "rebalance" and coordinator.state == "Joining"
    if ends and any(one.joining is not None for one in coordinator.roster):
        roster = tuple(one for one in coordinator.roster if one.joining is not None)
        ids = {one.member_id for one in roster}
        leader = coordinator.leader if coordinator.leader in ids else roster[0].member_id
        done = step(replace(coordinator, roster=roster, leader=leader), event)
        gone = [one for one in coordinator.roster if one.member_id not in ids]
        return Step(done.state, (*done.effects, *(CancelTimer(("session", one.member_id)) for one in gone)))
    return step(coordinator, event)


@change_coordinator_step
def older_processes_count(step, coordinator, event):
    """A static process whose place another has taken goes on under that one's name."""
    if type(event) is Asked and getattr(event.request, "instance_id", None) and event.request.member_id:
        request = event.request
        now = [one.member_id for one in coordinator.roster if one.instance_id == request.instance_id]
        own = request.member_id if request.member_id in now or not now else now[0]
        event = Asked(event.token, replace(request, member_id=own))
    return step(coordinator, event)


@change_coordinator_step
def fenced_are_unknown(step, coordinator, event):
    """A static process whose place another has taken is told that it is unknown."""
    done = step(coordinator, event)
    effects = tuple(
        Reply(one.token, replace(one.response, error=Error.UNKNOWN_MEMBER_ID))
        if type(one) is Reply and one.response.error is Error.FENCED_INSTANCE_ID
        else one
        for one in done.effects
    )
    return Step(done.state, effects)


@change_coordinator_step
def parked_syncs_are_forgotten(step, coordinator, event):
    """Parked SyncGroup requests get no response when the group rebalances."""
    return _without_replies(
        step(coordinator, event),
        _find_parked(coordinator, "syncing", event),
        lambda response: type(response) is SyncGroupResponse and response.error is not Error.NONE,
    )


@change_coordinator_step
def parked_joins_are_forgotten(step, coordinator, event):
    """When the join phase ends, who joined before the last is not answered."""
    return _without_replies(
        step(coordinator, event),
        _find_parked(coordinator, "joining", event),
        lambda response: type(response) is JoinGroupResponse,
    )


def _find_parked(coordinator, kind, event):
    own = event.token if type(event) is Asked else None
    return {getattr(one, kind) for one in coordinator.roster} - {None, own}


def _without_replies(done, tokens, is_left_out):
    return Step(
        done.state,
        tuple(
            one
            for one in done.effects
            if type(one) is not Reply or one.token not in tokens or not is_left_out(one.response)
        ),
    )


LOG_MUTANTS = (
    Mutant(nothing_is_read, ("failover", "coordinator-crash"), PROPOSAL),
    Mutant(last_record_is_missed, ("failover", "coordinator-crash"), PROPOSAL),
    Mutant(generation_is_not_read, ("failover", "coordinator-crash"), PROPOSAL),
    Mutant(answers_before_it_writes, ("zombie", "coordinator-crash", "slow-log"), PROPOSAL),
    Mutant(refused_writes_count, ("refused-write", "failover", "leave"), PROPOSAL),
    Mutant(leaving_changes_nothing, ("departure",)),
    Mutant(dead_members_stay, ("death",)),
    Mutant(failover_loses_a_member, ("failover", "commit")),
    Mutant(fenced_are_unknown, ("crash", "leave", "reorder", "duplicate"), replace(KAFKA, static=True)),
    Mutant(older_processes_count, ("twin",), replace(KAFKA, static=True)),
    Mutant(parked_syncs_are_forgotten, ("crash", "leave", "departure")),
    Mutant(parked_joins_are_forgotten, ("crash", "leave")),
    Mutant(sessions_end_while_parked, ("stall", "pause", "leave")),
    Mutant(static_members_are_dropped, ("stall", "cut", "subscribe"), replace(KAFKA, static=True)),
    Mutant(late_writes_spread_old_states, ("late-states", "leave", "crash")),
)
