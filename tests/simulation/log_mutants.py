"""Mutants of the coordinator's log and of its roster: what it reads and writes, who is dropped or fenced, and whose request is forgotten."""

from msgspec.structs import replace
from simulation.changes import ignore_events
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


def nothing_is_read(machines):
    """A new coordinator does not read the log."""
    return replace(machines, load=lambda _log, first_id: machines.load((), first_id))


def last_record_is_missed(machines):
    """A new coordinator does not read the last record of the log."""
    return replace(machines, load=lambda log, first_id: machines.load(log[:-1], first_id))


def generation_is_not_read(machines):
    """A new coordinator counts generations from the beginning."""

    def load(log, first_id):
        done = machines.load(log, first_id)
        return Step(replace(done.state, generation=0), done.effects)

    return replace(machines, load=load)


def answers_before_it_writes(machines):
    """Answers do not wait until the log has committed."""

    def step(coordinator, event, choose):
        if type(event) in {Written, Refused}:
            return Step(coordinator, ())
        done = machines.step_coordinator(coordinator, event, choose)
        effects = [*done.effects]
        state = done.state
        for one in done.effects:
            if type(one) is Write:
                more = machines.step_coordinator(state, Written(one.batch), choose)
                state = more.state
                effects += more.effects
        return Step(state, tuple(effects))

    return replace(machines, step_coordinator=step)


def refused_writes_count(machines):
    """What the log has refused counts as written."""

    def step(coordinator, event, choose):
        return machines.step_coordinator(
            coordinator, Written(event.batch) if type(event) is Refused else event, choose
        )

    return replace(machines, step_coordinator=step)


def failover_loses_a_member(machines):
    """A new coordinator does not read the last member of the group."""

    def load(log, first_id):
        done = machines.load(log, first_id)
        return Step(replace(done.state, roster=done.state.roster[:-1]), done.effects)

    return replace(machines, load=load)


def late_writes_spread_old_states(machines):
    """When states are written after the group went on to rebalance, members get them all the same."""

    def step(coordinator, event, choose):
        if type(event) is Written and coordinator.state == "Joining":
            old = next((one for one in coordinator.waiting if one.batch == event.batch), None)
            if old is not None and type(old.after) is Synced:
                awaiting = replace(coordinator, state="AwaitSync", generation=old.after.generation)
                return machines.step_coordinator(awaiting, event, choose)
        return machines.step_coordinator(coordinator, event, choose)

    return replace(machines, step_coordinator=step)


def leaving_changes_nothing(machines):
    """A member that leaves is forgotten, and the others go on as they are."""

    def step(coordinator, event, choose):
        done = machines.step_coordinator(coordinator, event, choose)
        asked = type(event) is Asked and type(event.request) is LeaveGroup
        if not asked or coordinator.state != "Stable" or done.state.state != "Joining":
            return done
        ids = {one.member_id for one in event.request.members}
        roster = tuple(one for one in coordinator.roster if one.member_id not in ids)
        leader = coordinator.leader if coordinator.leader not in ids else roster[0].member_id
        return Step(replace(coordinator, roster=roster, leader=leader), _answers_alone(done))

    return replace(machines, step_coordinator=step)


def _answers_alone(step):
    return tuple(one for one in step.effects if type(one) is Reply)


def dead_members_stay(machines):
    """No session ends in a stable group: who is dead counts for ever."""
    return ignore_events(
        machines,
        lambda coordinator, event: (
            type(event) is Alarm and event.key[0] == "session" and coordinator.state == "Stable"
        ),
    )


def sessions_end_while_parked(machines):
    """A JoinGroup that waits does not count as heartbeat."""

    def step(coordinator, event, choose):
        if type(event) is Alarm and event.key[0] == "session":
            roster = tuple(
                replace(one, joining=None) if one.member_id == event.key[1] else one
                for one in coordinator.roster
            )
            return machines.step_coordinator(replace(coordinator, roster=roster), event, choose)
        done = machines.step_coordinator(coordinator, event, choose)
        if type(event) is not Asked or type(event.request) is not JoinGroup:
            return done
        own = next((one for one in done.state.roster if one.joining == event.token), None)
        if own is None:
            return done
        timer = SetTimer(("session", own.member_id), own.session_timeout_ms)
        return Step(done.state, (*done.effects, timer))

    return replace(machines, step_coordinator=step)


def static_members_are_dropped(machines):
    """At the end of a join phase static members that did not join again are dropped as dynamic ones are."""

    def step(coordinator, event, choose):
        ends = type(event) is Alarm and event.key == "rebalance" and coordinator.state == "Joining"
        if ends and any(one.joining is not None for one in coordinator.roster):
            roster = tuple(one for one in coordinator.roster if one.joining is not None)
            ids = {one.member_id for one in roster}
            leader = coordinator.leader if coordinator.leader in ids else roster[0].member_id
            done = machines.step_coordinator(
                replace(coordinator, roster=roster, leader=leader), event, choose
            )
            gone = [one for one in coordinator.roster if one.member_id not in ids]
            return Step(
                done.state, (*done.effects, *(CancelTimer(("session", one.member_id)) for one in gone))
            )
        return machines.step_coordinator(coordinator, event, choose)

    return replace(machines, step_coordinator=step)


def older_processes_count(machines):
    """A static process whose place another has taken goes on under that one's name."""

    def step(coordinator, event, choose):
        if type(event) is Asked and getattr(event.request, "instance_id", None) and event.request.member_id:
            request = event.request
            now = [one.member_id for one in coordinator.roster if one.instance_id == request.instance_id]
            own = request.member_id if request.member_id in now or not now else now[0]
            event = Asked(event.token, replace(request, member_id=own))
        return machines.step_coordinator(coordinator, event, choose)

    return replace(machines, step_coordinator=step)


def fenced_are_unknown(machines):
    """A static process whose place another has taken is told that it is unknown."""

    def step(coordinator, event, choose):
        done = machines.step_coordinator(coordinator, event, choose)
        effects = tuple(
            Reply(one.token, replace(one.response, error=Error.UNKNOWN_MEMBER_ID))
            if type(one) is Reply and one.response.error is Error.FENCED_INSTANCE_ID
            else one
            for one in done.effects
        )
        return Step(done.state, effects)

    return replace(machines, step_coordinator=step)


def parked_syncs_are_forgotten(machines):
    """Who waits for the leader's states when the group rebalances is not answered any more."""
    return _silent(machines, SyncGroupResponse, lambda before, event: _parked(before, "syncing", event))


def parked_joins_are_forgotten(machines):
    """When the join phase ends, who joined before the last is not answered."""
    return _silent(machines, JoinGroupResponse, lambda before, event: _parked(before, "joining", event))


def _parked(coordinator, kind, event):
    own = event.token if type(event) is Asked else None
    return {getattr(one, kind) for one in coordinator.roster} - {None, own}


def _silent(machines, kind, parked):
    def step(coordinator, event, choose):
        done = machines.step_coordinator(coordinator, event, choose)
        silent = parked(coordinator, event)
        return Step(
            done.state,
            tuple(
                one
                for one in done.effects
                if type(one) is not Reply
                or type(one.response) is not kind
                or one.token not in silent
                or (kind is SyncGroupResponse and one.response.error is Error.NONE)
            ),
        )

    return replace(machines, step_coordinator=step)


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
    Mutant(late_writes_spread_old_states, ("slow-log", "leave", "crash", "departure")),
)
