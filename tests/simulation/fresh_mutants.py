"""Mutants of which the corpus knows nothing: how well the default command finds what nobody has planted before."""

from msgspec.structs import replace
from simulation.changes import (
    coordinator_step,
    ignored_events,
    load_step,
    member_step,
    members,
    requests,
    responses,
    sent,
)
from simulation.rebalance_mutants import KAFKA, Mutant

from kassay.protocol.simulation.steps import mistake_error
from kassay.reference.group.member.state import Resumed
from kassay.reference.group.messages import (
    Alarm,
    Answered,
    Asked,
    Error,
    Heartbeat,
    HeartbeatResponse,
    JoinGroup,
    JoinGroupResponse,
    LeaveGroup,
    NotAnswered,
    Refused,
    Reply,
    Send,
    SetTimer,
    Step,
    SyncGroup,
    SyncGroupResponse,
    Write,
)

STATIC = replace(KAFKA, static=True)
COOPERATIVE = replace(KAFKA, cooperative=True)


@coordinator_step
def heartbeats_prolong_nothing(step, coordinator, event):
    """A heartbeat is answered, and the session goes on to its end."""
    done = step(coordinator, event)
    if type(event) is Asked and type(event.request) is Heartbeat:
        return Step(done.state, tuple(one for one in done.effects if type(one) is not SetTimer))
    return done


@ignored_events
def given_ids_are_awaited_for_ever(coordinator, event):
    """An id that was given out and never joined with is awaited for ever."""
    return type(event) is Alarm and event.key[0] == "session" and event.key[1] in coordinator.pending


@coordinator_step
def who_left_leads_on(step, coordinator, event):
    """When the leader is gone, the next generation is told that it leads still."""
    done = step(coordinator, event)
    gone = coordinator.leader
    if gone is None or gone in done.state.members or not done.state.roster:
        return done
    return Step(replace(done.state, leader=gone), done.effects)


@coordinator_step
def new_ids_are_not_written(step, coordinator, event):
    """That a static member came back under a new id is answered and not written."""
    done = step(coordinator, event)
    joins = type(event) is Asked and type(event.request) is JoinGroup and coordinator.state == "Stable"
    effects = tuple(Write(one.batch, ()) if joins and type(one) is Write else one for one in done.effects)
    return Step(done.state, effects)


@responses(JoinGroupResponse)
def followers_hear_the_last_generation(_before, _after, _event, response):
    """Followers are told the number of the generation before."""
    late = response.error is Error.NONE and response.leader != response.member_id
    return replace(response, generation=response.generation - 1) if late else response


@coordinator_step
def empty_groups_begin_anew(step, coordinator, event):
    """A group that its last member left counts its generations from 0 again."""
    done = step(coordinator, event)
    emptied = done.state.state == "Empty" and coordinator.state != "Empty"
    return Step(replace(done.state, generation=0), done.effects) if emptied else done


@load_step
def no_sessions_after_failover(load, log, first_id):
    """A new coordinator waits for nobody's heartbeats."""
    done = load(log, first_id)
    return Step(done.state, tuple(one for one in done.effects if one.key == "cleanup"))


@requests(LeaveGroup)
def another_one_leaves(coordinator, request):
    """Who came first is removed when somebody else leaves."""
    ids = [one.member_id for one in coordinator.roster]
    if not {*ids} & {one.member_id for one in request.members}:
        return request
    return replace(request, members=(replace(request.members[0], member_id=ids[0]),))


@ignored_events
def refusals_of_the_log_are_ignored(_coordinator, event):
    """What the log refuses is never told to those who wait for it."""
    return type(event) is Refused


def coordinators_do_not_retire(machines):
    """A coordinator goes on when another has taken over."""
    return replace(machines, unload=lambda coordinator: Step(coordinator, ()))


@requests(JoinGroup)
def stale_metadata_for_the_leader(coordinator, request):
    """A member that joins again is known by what it said first."""
    known = coordinator.members.get(request.member_id)
    return request if known is None else replace(request, protocols=known.protocols)


@coordinator_step
def sessions_take_ten_times_as_long(step, coordinator, event):
    """A session ends after ten times its length."""
    done = step(coordinator, event)
    effects = tuple(
        SetTimer(one.key, one.delay_ms * 10) if type(one) is SetTimer and one.key[0] == "session" else one
        for one in done.effects
    )
    return Step(done.state, effects)


@coordinator_step
def join_phases_take_three_times_as_long(step, coordinator, event):
    """A join phase waits for three rebalance timeouts."""
    done = step(coordinator, event)
    effects = tuple(
        SetTimer(one.key, one.delay_ms * 3)
        if type(one) is SetTimer and one.key == "rebalance" and done.state.remaining_ms is None
        else one
        for one in done.effects
    )
    return Step(done.state, effects)


@requests(JoinGroup)
def rejoining_changes_nothing(coordinator, request):
    """Who joins a stable group again with other metadata is answered with the generation that there is."""
    known = coordinator.members.get(request.member_id)
    stays = coordinator.state == "Stable" and known is not None and known.member_id != coordinator.leader
    return replace(request, protocols=known.protocols) if stays else request


@member_step
def one_heartbeat_a_generation(step, member, event):
    """A member sends one heartbeat in each generation."""
    done = step(member, event)
    if type(event) is Alarm and event.key == "heartbeat":
        kept = (one for one in done.effects if type(one) is not SetTimer or one.key != "heartbeat")
        return Step(done.state, tuple(kept))
    return done


@member_step
def who_resumes_stays_out(step, member, event):
    """A member that left as it did not poll does not join again when it does."""
    if type(event) is Resumed and member.generation < 0 and member.phase == "Unjoined":
        return Step(member, ())
    return step(member, event)


@member_step
def broken_connections_are_used_on(step, member, event):
    """A member whose request was not answered stays with that coordinator."""
    done = step(member, event)
    if type(event) is NotAnswered and done.state.node is None and event.token[0] != "find":
        return Step(replace(done.state, node=member.node), done.effects)
    return done


def fences_are_passed_over(machines):
    """A member that is fenced by another of its instance id goes on."""
    heard = mistake_error(machines, HeartbeatResponse, Error.FENCED_INSTANCE_ID)
    return mistake_error(heard, SyncGroupResponse, Error.FENCED_INSTANCE_ID)


def refused_syncs_give_nothing(machines):
    """A member whose SyncGroup is told REBALANCE_IN_PROGRESS takes it for a state without anything."""
    return mistake_error(machines, SyncGroupResponse, Error.REBALANCE_IN_PROGRESS)


@sent(SyncGroup)
def the_last_gets_no_state(request):
    """The leader leaves out the last member's state in its SyncGroup."""
    return replace(request, states=request.states[:-1])


@member_step
def moved_coordinators_are_failures(step, member, event):
    """A member that is told NOT_COORDINATOR in JoinGroup or SyncGroup waits for ever."""
    done = step(member, event)
    moved = type(event) is Answered and event.response.error is Error.NOT_COORDINATOR
    if moved and event.token[0] in {"join", "sync"}:
        kept = (one for one in done.effects if type(one) not in {SetTimer, Send})
        return Step(done.state, tuple(kept))
    return done


@coordinator_step
def states_are_mixed_up(step, coordinator, event):
    """Members that wait for their states are given those of each other."""
    done = step(coordinator, event)
    states = [
        one.response.state
        for one in done.effects
        if type(one) is Reply and type(one.response) is SyncGroupResponse
    ]
    if len(states) < 2:
        return done
    turned = iter(states[1:] + states[:1])
    effects = tuple(
        Reply(one.token, replace(one.response, state=next(turned)))
        if type(one) is Reply and type(one.response) is SyncGroupResponse
        else one
        for one in done.effects
    )
    return Step(done.state, effects)


@members
def falls_back(before, after, _event):
    """A member that joins again goes back to the generation before its own."""
    back = after.phase == "Joining" != before.phase and after.generation > 1
    return replace(after, generation=after.generation - 1) if back else after


HARMLESS = {
    "join_phases_take_three_times_as_long": "whoever is waited for leaves by itself when it has not polled for as long as a rebalance may take, or its session ends",
    "refused_syncs_give_nothing": "the next heartbeat tells the member to join again, and until then nobody is given what it does not own",
}
"""Mutants that break nothing, and why."""
FRESH = (
    Mutant(heartbeats_prolong_nothing, ()),
    Mutant(given_ids_are_awaited_for_ever, ()),
    Mutant(who_left_leads_on, ()),
    Mutant(new_ids_are_not_written, (), STATIC),
    Mutant(followers_hear_the_last_generation, ()),
    Mutant(empty_groups_begin_anew, ()),
    Mutant(no_sessions_after_failover, ()),
    Mutant(another_one_leaves, ()),
    Mutant(refusals_of_the_log_are_ignored, ()),
    Mutant(coordinators_do_not_retire, ()),
    Mutant(stale_metadata_for_the_leader, ()),
    Mutant(sessions_take_ten_times_as_long, ()),
    Mutant(join_phases_take_three_times_as_long, ()),
    Mutant(rejoining_changes_nothing, ()),
    Mutant(one_heartbeat_a_generation, ()),
    Mutant(who_resumes_stays_out, ()),
    Mutant(broken_connections_are_used_on, ()),
    Mutant(fences_are_passed_over, (), STATIC),
    Mutant(refused_syncs_give_nothing, ()),
    Mutant(the_last_gets_no_state, ()),
    Mutant(moved_coordinators_are_failures, ()),
    Mutant(states_are_mixed_up, ()),
    Mutant(falls_back, (), COOPERATIVE),
)
