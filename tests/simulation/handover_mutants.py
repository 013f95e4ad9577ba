"""Mutants of the coordinator's rebalance, timers and log, planted from the protocol alone."""

from msgspec.structs import replace
from simulation.changes import (
    change_coordinator_step,
    change_load,
    change_timers,
    ignore_events,
    replace_function,
)
from simulation.rebalance_mutants import KAFKA, Mutant

from kassay.reference.group.coordinator import rebalance
from kassay.reference.group.coordinator.state import GroupWritten
from kassay.reference.group.messages import (
    Alarm,
    Asked,
    CancelTimer,
    Error,
    JoinGroup,
    JoinGroupResponse,
    Refused,
    Reply,
    SetTimer,
    Step,
    SyncGroupResponse,
    Write,
)

STATIC = replace(KAFKA, static=True)

# The join phase


@replace_function(rebalance, "complete")
def the_first_member_is_dropped(complete, draft):
    """At the end of the join phase the first member that joined is dropped, unless it is the only one."""
    joined = [one for one in draft.members.values() if one.joining is not None]
    if len(joined) > 1:
        rebalance.remove(draft, joined[0].member_id)
    complete(draft)


@replace_function(rebalance, "complete")
def absent_members_stay(complete, draft):
    """At the end of the join phase dynamic members that did not join stay in the group."""
    absent = [one for one in draft.members.values() if one.joining is None and one.instance_id is None]
    complete_with = {one.member_id: one for one in absent}
    if len(absent) == len(draft.members):
        complete(draft)
        return
    for one in absent:
        draft.members[one.member_id] = replace(one, instance_id="absent")
    complete(draft)
    for name, one in complete_with.items():
        if name in draft.members:
            draft.members[name] = replace(draft.members[name], instance_id=one.instance_id)


@change_timers
def rebalances_last_a_session(coordinator, key, delay):
    """A rebalance lasts as long as the longest session."""
    waits = key == "rebalance" and coordinator.remaining_ms is None and coordinator.roster
    return max(one.session_timeout_ms for one in coordinator.roster) if waits else delay


@change_coordinator_step
def timers_of_join_phases_go_on(step, coordinator, event):
    """The timer of a join phase goes on when the phase is over."""
    done = step(coordinator, event)
    kept = (one for one in done.effects if one != CancelTimer("rebalance"))
    return Step(done.state, tuple(kept))


@change_coordinator_step
def generations_rise_early(step, coordinator, event):
    """The generation rises when a rebalance begins, and not when it ends."""
    done = step(coordinator, event)
    before, after = coordinator.state, done.state
    if after.state == "Joining" != before and not after.is_initial:
        return Step(replace(after, generation=after.generation + 1), done.effects)
    if before == "Joining" != after.state and not coordinator.is_initial and after.roster:
        return step(replace(coordinator, generation=coordinator.generation - 1), event)
    return done


@replace_function(rebalance, "tell_joined")
def joined_members_have_no_session(tell, draft):
    """The session of a member that has joined begins with its first heartbeat."""
    before = len(draft.effects)
    tell(draft)
    kept = [one for one in draft.effects[before:] if type(one) is not SetTimer]
    draft.effects[before:] = kept


@replace_function(rebalance, "has_joined")
def static_members_are_not_awaited(_joined, draft):
    """A join phase ends when all dynamic members have joined."""
    joined = [one.joining is not None for one in draft.members.values()]
    dynamic = [one.joining is not None for one in draft.members.values() if one.instance_id is None]
    return not draft.pending and any(joined) and all(dynamic)


@replace_function(rebalance, "has_joined")
def one_member_is_not_awaited(joined, draft):
    """A join phase ends when all members but one have joined."""
    missing = sum(one.joining is None for one in draft.members.values())
    return joined(draft) or (not draft.pending and missing == 1 < len(draft.members))


@change_coordinator_step
def new_members_are_not_dropped(step, coordinator, event):
    """A new member that dies before its first generation is awaited until the join phase ends."""
    if type(event) is Alarm and event.key[0] == "session":
        known = coordinator.members.get(event.key[1])
        if known is not None and known.is_new:
            return Step(coordinator, ())
    return step(coordinator, event)


@change_coordinator_step
def expired_members_hear_nothing(step, coordinator, event):
    """A member whose session ends is removed without a rebalance."""
    done = step(coordinator, event)
    ends = type(event) is Alarm and event.key[0] == "session" and coordinator.state == "Stable"
    if not ends or done.state.state != "Joining":
        return done
    roster = tuple(one for one in coordinator.roster if one.member_id != event.key[1])
    leader = coordinator.leader if coordinator.leader != event.key[1] else roster[0].member_id
    return Step(replace(coordinator, roster=roster, leader=leader), ())


@change_timers
def sessions_last_half(_coordinator, key, delay):
    """A session ends after half its length."""
    return delay // 2 if key[0] == "session" else delay


@change_timers
def the_sync_timer_is_not_set(_coordinator, key, delay):
    """No timer waits for the SyncGroup of members."""
    return None if key == "sync" else delay


@change_timers
def the_sync_timer_lasts_a_second(_coordinator, key, delay):
    """The members have a second to send SyncGroup."""
    return 1_000 if key == "sync" else delay


# The log and the failover


@change_load
def new_coordinators_lead_with_the_last(load, log, first_id):
    """A new coordinator takes the last member for the leader."""
    done = load(log, first_id)
    roster = done.state.roster
    leader = roster[-1].member_id if roster else None
    return Step(replace(done.state, leader=leader), done.effects)


@change_load
def new_coordinators_set_one_session(load, log, first_id):
    """A new coordinator gives every member a session of 30 seconds."""
    done = load(log, first_id)
    effects = (
        SetTimer(one.key, 30_000) if type(one) is SetTimer and one.key[0] == "session" else one
        for one in done.effects
    )
    return Step(done.state, tuple(effects))


def _change_groups(done, change):
    """Return a step that writes other records of groups."""

    def record(one):
        return change(one) if type(one) is GroupWritten else one

    effects = (
        Write(one.batch, tuple(map(record, one.records))) if type(one) is Write else one
        for one in done.effects
    )
    return Step(done.state, tuple(effects))


@change_coordinator_step
def generations_are_written_late(step, coordinator, event):
    """The log has the generation before the one that begins."""
    return _change_groups(
        step(coordinator, event), lambda one: replace(one, generation=max(0, one.generation - 1))
    )


@change_coordinator_step
def states_are_not_written(step, coordinator, event):
    """The log has no states of members."""
    return _change_groups(
        step(coordinator, event),
        lambda one: replace(one, members=tuple(replace(each, state=None) for each in one.members)),
    )


@change_coordinator_step
def instance_ids_are_not_written(step, coordinator, event):
    """The log has no instance ids."""
    return _change_groups(
        step(coordinator, event),
        lambda one: replace(one, members=tuple(replace(each, instance_id=None) for each in one.members)),
    )


@change_coordinator_step
def loading_members_are_unknown(step, coordinator, event):
    """A coordinator that still reads the log answers that it knows no member."""
    done = step(coordinator, event)
    if coordinator.state != "Initialize" or type(event) is not Asked:
        return done
    effects = (Reply(one.token, replace(one.response, error=Error.UNKNOWN_MEMBER_ID)) for one in done.effects)
    return Step(done.state, tuple(effects))


def retired_coordinators_know_no_member(machines):
    """A coordinator that is replaced answers parked requests by UNKNOWN_MEMBER_ID."""

    def unload(coordinator):
        done = machines.unload(coordinator)
        effects = (
            Reply(one.token, replace(one.response, error=Error.UNKNOWN_MEMBER_ID)) for one in done.effects
        )
        return Step(done.state, tuple(effects))

    return replace(machines, unload=unload)


def retired_coordinators_say_nothing(machines):
    """A coordinator that is replaced does not answer parked requests."""

    def unload(coordinator):
        return Step(machines.unload(coordinator).state, ())

    return replace(machines, unload=unload)


@change_load
def ids_begin_anew(load, log, _first_id):
    """A new coordinator gives the ids of the old one again."""
    return load(log, 0)


@change_coordinator_step
def refused_states_are_awaited(step, coordinator, event):
    """If the log refuses the states of a generation, their members wait on."""
    done = step(coordinator, event)
    if type(event) is not Refused or coordinator.state != "AwaitSync":
        return done
    kept = (
        one for one in done.effects if type(one) is not Reply or type(one.response) is not SyncGroupResponse
    )
    return Step(done.state, tuple(kept))


@change_coordinator_step
def generations_repeat_after_leaving(step, coordinator, event):
    """A generation that follows the removal of a member has the number of the one before."""
    done = step(coordinator, event)
    smaller = len(done.state.roster) < len(coordinator.roster)
    if not smaller or done.state.generation <= coordinator.generation or not done.state.roster:
        return done
    number = coordinator.generation
    effects = (
        Reply(one.token, replace(one.response, generation=number))
        if type(one) is Reply and type(one.response) is JoinGroupResponse
        else one
        for one in done.effects
    )
    return Step(replace(done.state, generation=number), tuple(effects))


@ignore_events
def one_join_in_a_rebalance(coordinator, event):
    """While a group rebalances, new members get no response to their first JoinGroup."""
    first = type(event) is Asked and type(event.request) is JoinGroup and not event.request.member_id
    return first and coordinator.state == "Joining" and not coordinator.is_initial


HANDOVER_MUTANTS = (
    Mutant(the_first_member_is_dropped, ()),
    Mutant(absent_members_stay, ()),
    Mutant(rebalances_last_a_session, ()),
    Mutant(timers_of_join_phases_go_on, ()),
    Mutant(generations_rise_early, ()),
    Mutant(joined_members_have_no_session, ()),
    Mutant(static_members_are_not_awaited, (), STATIC),
    Mutant(one_member_is_not_awaited, ()),
    Mutant(new_members_are_not_dropped, ()),
    Mutant(expired_members_hear_nothing, ()),
    Mutant(sessions_last_half, ()),
    Mutant(the_sync_timer_is_not_set, ()),
    Mutant(the_sync_timer_lasts_a_second, ()),
    Mutant(new_coordinators_lead_with_the_last, ()),
    Mutant(new_coordinators_set_one_session, ()),
    Mutant(generations_are_written_late, ()),
    Mutant(states_are_not_written, ()),
    Mutant(instance_ids_are_not_written, (), STATIC),
    Mutant(loading_members_are_unknown, ()),
    Mutant(retired_coordinators_know_no_member, ()),
    Mutant(retired_coordinators_say_nothing, ()),
    Mutant(ids_begin_anew, ()),
    Mutant(refused_states_are_awaited, ()),
    Mutant(generations_repeat_after_leaving, ()),
    Mutant(one_join_in_a_rebalance, ()),
)
