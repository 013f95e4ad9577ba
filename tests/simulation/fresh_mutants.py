"""Mutants without a schedule in the corpus: they measure how well the default command finds new defects."""

from msgspec.structs import replace
from simulation.changes import (
    change_coordinator_step,
    change_load,
    change_member_step,
    change_members,
    change_received_requests,
    change_responses,
    change_sent_requests,
    ignore_events,
)
from simulation.rebalance_mutants import KAFKA, Mutant

from kassay.protocol.simulation.steps import replace_error
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


@change_coordinator_step
def heartbeats_prolong_nothing(step, coordinator, event):
    """A heartbeat is answered, and the session goes on to its end."""
    done = step(coordinator, event)
    if type(event) is Asked and type(event.request) is Heartbeat:
        return Step(done.state, tuple(one for one in done.effects if type(one) is not SetTimer))
    return done


@ignore_events
def given_ids_are_awaited_for_ever(coordinator, event):
    """An id with which no member ever joined is awaited without a limit."""
    return type(event) is Alarm and event.key[0] == "session" and event.key[1] in coordinator.pending


@change_coordinator_step
def who_left_leads_on(step, coordinator, event):
    """When the leader is gone, the next generation still has it as the leader."""
    done = step(coordinator, event)
    gone = coordinator.leader
    if gone is None or gone in done.state.members or not done.state.roster:
        return done
    return Step(replace(done.state, leader=gone), done.effects)


@change_coordinator_step
def new_ids_are_not_written(step, coordinator, event):
    """The new id of a static member is in the response, but not in the log."""
    done = step(coordinator, event)
    joins = type(event) is Asked and type(event.request) is JoinGroup and coordinator.state == "Stable"
    effects = tuple(Write(one.batch, ()) if joins and type(one) is Write else one for one in done.effects)
    return Step(done.state, effects)


@change_responses(JoinGroupResponse)
def followers_hear_the_last_generation(_before, _after, _event, response):
    """Followers get the number of the generation before."""
    late = response.error is Error.NONE and response.leader != response.member_id
    return replace(response, generation=response.generation - 1) if late else response


@change_coordinator_step
def empty_groups_begin_anew(step, coordinator, event):
    """A group that its last member left counts its generations from 0 again."""
    done = step(coordinator, event)
    emptied = done.state.state == "Empty" and coordinator.state != "Empty"
    return Step(replace(done.state, generation=0), done.effects) if emptied else done


@change_load
def no_sessions_after_failover(load, log, first_id):
    """A new coordinator has no session timers."""
    done = load(log, first_id)
    return Step(done.state, tuple(one for one in done.effects if one.key == "cleanup"))


@change_received_requests(LeaveGroup)
def another_one_leaves(coordinator, request):
    """The first member is removed when another one leaves."""
    ids = [one.member_id for one in coordinator.roster]
    if not {*ids} & {one.member_id for one in request.members}:
        return request
    return replace(request, members=(replace(request.members[0], member_id=ids[0]),))


@ignore_events
def refusals_of_the_log_are_ignored(_coordinator, event):
    """Requests whose batch the log refuses get no response."""
    return type(event) is Refused


def coordinators_do_not_retire(machines):
    """A coordinator goes on when another has taken over."""
    return replace(machines, unload=lambda coordinator: Step(coordinator, ()))


@change_received_requests(JoinGroup)
def stale_metadata_for_the_leader(coordinator, request):
    """A member that joins again keeps its first metadata."""
    known = coordinator.members.get(request.member_id)
    return request if known is None else replace(request, protocols=known.protocols)


@change_coordinator_step
def sessions_take_ten_times_as_long(step, coordinator, event):
    """A session ends after ten times its length."""
    done = step(coordinator, event)
    effects = tuple(
        SetTimer(one.key, one.delay_ms * 10) if type(one) is SetTimer and one.key[0] == "session" else one
        for one in done.effects
    )
    return Step(done.state, effects)


@change_coordinator_step
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


@change_received_requests(JoinGroup)
def rejoining_changes_nothing(coordinator, request):
    """A follower that joins a stable group again with new metadata gets the current generation."""
    known = coordinator.members.get(request.member_id)
    stays = coordinator.state == "Stable" and known is not None and known.member_id != coordinator.leader
    return replace(request, protocols=known.protocols) if stays else request


@change_member_step
def one_heartbeat_a_generation(step, member, event):
    """A member sends one heartbeat in each generation."""
    done = step(member, event)
    if type(event) is Alarm and event.key == "heartbeat":
        kept = (one for one in done.effects if type(one) is not SetTimer or one.key != "heartbeat")
        return Step(done.state, tuple(kept))
    return done


@change_member_step
def who_resumes_stays_out(step, member, event):
    """A member that left because it did not poll does not join again when it polls."""
    if type(event) is Resumed and member.generation < 0 and member.phase == "Unjoined":
        return Step(member, ())
    return step(member, event)


@change_member_step
def broken_connections_are_used_on(step, member, event):
    """A member whose request was not answered stays with that coordinator."""
    done = step(member, event)
    if type(event) is NotAnswered and done.state.node is None and event.token[0] != "find":
        return Step(replace(done.state, node=member.node), done.effects)
    return done


def fences_are_passed_over(machines):
    """A member that is fenced by another of its instance id goes on."""
    heard = replace_error(machines, HeartbeatResponse, Error.FENCED_INSTANCE_ID)
    return replace_error(heard, SyncGroupResponse, Error.FENCED_INSTANCE_ID)


def refused_syncs_give_nothing(machines):
    """A member reads REBALANCE_IN_PROGRESS in response to SyncGroup as an empty state."""
    return replace_error(machines, SyncGroupResponse, Error.REBALANCE_IN_PROGRESS)


@change_sent_requests(SyncGroup)
def the_last_gets_no_state(request):
    """The leader leaves out the last member's state in its SyncGroup."""
    return replace(request, states=request.states[:-1])


@change_member_step
def moved_coordinators_are_failures(step, member, event):
    """A member that gets NOT_COORDINATOR for JoinGroup or SyncGroup does nothing more."""
    done = step(member, event)
    moved = type(event) is Answered and event.response.error is Error.NOT_COORDINATOR
    if moved and event.token[0] in {"join", "sync"}:
        kept = (one for one in done.effects if type(one) not in {SetTimer, Send})
        return Step(done.state, tuple(kept))
    return done


@change_coordinator_step
def states_are_mixed_up(step, coordinator, event):
    """Members that wait for their states get the states of other members."""
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


@change_members
def falls_back(before, after, _event):
    """A member that joins again goes back to the generation before its own."""
    back = after.phase == "Joining" != before.phase and after.generation > 1
    return replace(after, generation=after.generation - 1) if back else after


HARMLESS = {
    "refused_syncs_give_nothing": "the next heartbeat makes the member join again, and until then no other member gets its partitions",
}
"""Mutants that break nothing, and why."""
OTHER_SETTINGS = {
    new_ids_are_not_written: STATIC,
    fences_are_passed_over: STATIC,
    falls_back: COOPERATIVE,
}
FRESH = tuple(
    Mutant(one, (), OTHER_SETTINGS.get(one, KAFKA))
    for one in (
        heartbeats_prolong_nothing, given_ids_are_awaited_for_ever, who_left_leads_on, new_ids_are_not_written,
        followers_hear_the_last_generation, empty_groups_begin_anew, no_sessions_after_failover, another_one_leaves,
        refusals_of_the_log_are_ignored, coordinators_do_not_retire, stale_metadata_for_the_leader,
        sessions_take_ten_times_as_long, join_phases_take_three_times_as_long, rejoining_changes_nothing,
        one_heartbeat_a_generation, who_resumes_stays_out, broken_connections_are_used_on, fences_are_passed_over,
        refused_syncs_give_nothing, the_last_gets_no_state, moved_coordinators_are_failures, states_are_mixed_up, falls_back,
    )
)  # fmt: skip
