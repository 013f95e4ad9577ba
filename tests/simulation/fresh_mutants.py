"""Mutants of which the corpus knows nothing: how well the default command finds what nobody has planted before."""

from msgspec.structs import replace
from simulation.changes import change_members, change_responses, change_sent, ignore_events
from simulation.rebalance_mutants import KAFKA, Mutant

from kassay.protocol.simulation.steps import change_requests, mistake_error
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


def heartbeats_prolong_nothing(machines):
    """A heartbeat is answered, and the session goes on to its end."""

    def step(coordinator, event, choose):
        done = machines.step_coordinator(coordinator, event, choose)
        if type(event) is Asked and type(event.request) is Heartbeat:
            return Step(done.state, tuple(one for one in done.effects if type(one) is not SetTimer))
        return done

    return replace(machines, step_coordinator=step)


def given_ids_are_awaited_for_ever(machines):
    """An id that was given out and never joined with is awaited for ever."""
    return ignore_events(
        machines,
        lambda coordinator, event: (
            type(event) is Alarm and event.key[0] == "session" and event.key[1] in coordinator.pending
        ),
    )


def who_left_leads_on(machines):
    """When the leader is gone, the next generation is told that it leads still."""

    def step(coordinator, event, choose):
        done = machines.step_coordinator(coordinator, event, choose)
        gone = coordinator.leader
        if gone is None or gone in done.state.members or not done.state.roster:
            return done
        return Step(replace(done.state, leader=gone), done.effects)

    return replace(machines, step_coordinator=step)


def new_ids_are_not_written(machines):
    """That a static member came back under a new id is answered and not written."""

    def step(coordinator, event, choose):
        done = machines.step_coordinator(coordinator, event, choose)
        joins = type(event) is Asked and type(event.request) is JoinGroup and coordinator.state == "Stable"
        effects = tuple(Write(one.batch, ()) if joins and type(one) is Write else one for one in done.effects)
        return Step(done.state, effects)

    return replace(machines, step_coordinator=step)


def followers_hear_the_last_generation(machines):
    """Followers are told the number of the generation before."""

    def change(_before, _after, _event, response):
        late = response.error is Error.NONE and response.leader != response.member_id
        return replace(response, generation=response.generation - 1) if late else response

    return change_responses(machines, JoinGroupResponse, change)


def empty_groups_begin_anew(machines):
    """A group that its last member left counts its generations from 0 again."""

    def step(coordinator, event, choose):
        done = machines.step_coordinator(coordinator, event, choose)
        emptied = done.state.state == "Empty" and coordinator.state != "Empty"
        return Step(replace(done.state, generation=0), done.effects) if emptied else done

    return replace(machines, step_coordinator=step)


def no_sessions_after_failover(machines):
    """A new coordinator waits for nobody's heartbeats."""

    def load(log, first_id):
        done = machines.load(log, first_id)
        return Step(done.state, tuple(one for one in done.effects if one.key == "cleanup"))

    return replace(machines, load=load)


def another_one_leaves(machines):
    """Who came first is removed when somebody else leaves."""

    def change(coordinator, request):
        ids = [one.member_id for one in coordinator.roster]
        if not {*ids} & {one.member_id for one in request.members}:
            return request
        return replace(request, members=(replace(request.members[0], member_id=ids[0]),))

    return change_requests(machines, LeaveGroup, change)


def refusals_of_the_log_are_ignored(machines):
    """What the log refuses is never told to those who wait for it."""
    return ignore_events(machines, lambda _coordinator, event: type(event) is Refused)


def coordinators_do_not_retire(machines):
    """A coordinator goes on when another has taken over."""
    return replace(machines, unload=lambda coordinator: Step(coordinator, ()))


def stale_metadata_for_the_leader(machines):
    """A member that joins again is known by what it said first."""

    def change(coordinator, request):
        known = coordinator.members.get(request.member_id)
        return request if known is None else replace(request, protocols=known.protocols)

    return change_requests(machines, JoinGroup, change)


def sessions_take_ten_times_as_long(machines):
    """A session ends after ten times its length."""

    def step(coordinator, event, choose):
        done = machines.step_coordinator(coordinator, event, choose)
        effects = tuple(
            SetTimer(one.key, one.delay_ms * 10) if type(one) is SetTimer and one.key[0] == "session" else one
            for one in done.effects
        )
        return Step(done.state, effects)

    return replace(machines, step_coordinator=step)


def join_phases_take_three_times_as_long(machines):
    """A join phase waits for three rebalance timeouts."""

    def step(coordinator, event, choose):
        done = machines.step_coordinator(coordinator, event, choose)
        effects = tuple(
            SetTimer(one.key, one.delay_ms * 3)
            if type(one) is SetTimer and one.key == "rebalance" and done.state.remaining_ms is None
            else one
            for one in done.effects
        )
        return Step(done.state, effects)

    return replace(machines, step_coordinator=step)


def rejoining_changes_nothing(machines):
    """Who joins a stable group again with other metadata is answered with the generation that there is."""

    def change(coordinator, request):
        known = coordinator.members.get(request.member_id)
        stays = coordinator.state == "Stable" and known is not None and known.member_id != coordinator.leader
        return replace(request, protocols=known.protocols) if stays else request

    return change_requests(machines, JoinGroup, change)


def one_heartbeat_a_generation(machines):
    """A member sends one heartbeat in each generation."""

    def step(member, event):
        done = machines.step_member(member, event)
        if type(event) is Alarm and event.key == "heartbeat":
            kept = (one for one in done.effects if type(one) is not SetTimer or one.key != "heartbeat")
            return Step(done.state, tuple(kept))
        return done

    return replace(machines, step_member=step)


def who_resumes_stays_out(machines):
    """A member that left as it did not poll does not join again when it does."""

    def step(member, event):
        if type(event) is Resumed and member.generation < 0 and member.phase == "Unjoined":
            return Step(member, ())
        return machines.step_member(member, event)

    return replace(machines, step_member=step)


def broken_connections_are_used_on(machines):
    """A member whose request was not answered stays with that coordinator."""

    def step(member, event):
        done = machines.step_member(member, event)
        if type(event) is NotAnswered and done.state.node is None and event.token[0] != "find":
            return Step(replace(done.state, node=member.node), done.effects)
        return done

    return replace(machines, step_member=step)


def fences_are_passed_over(machines):
    """A member that is fenced by another of its instance id goes on."""
    heard = mistake_error(machines, HeartbeatResponse, Error.FENCED_INSTANCE_ID)
    return mistake_error(heard, SyncGroupResponse, Error.FENCED_INSTANCE_ID)


def refused_syncs_give_nothing(machines):
    """A member whose SyncGroup is told REBALANCE_IN_PROGRESS takes it for a state without anything."""
    return mistake_error(machines, SyncGroupResponse, Error.REBALANCE_IN_PROGRESS)


def the_last_gets_no_state(machines):
    """The leader leaves out the last member's state in its SyncGroup."""
    return change_sent(machines, SyncGroup, lambda request: replace(request, states=request.states[:-1]))


def moved_coordinators_are_failures(machines):
    """A member that is told NOT_COORDINATOR in JoinGroup or SyncGroup waits for ever."""

    def step(member, event):
        done = machines.step_member(member, event)
        moved = type(event) is Answered and event.response.error is Error.NOT_COORDINATOR
        if moved and event.token[0] in {"join", "sync"}:
            kept = (one for one in done.effects if type(one) not in {SetTimer, Send})
            return Step(done.state, tuple(kept))
        return done

    return replace(machines, step_member=step)


def states_are_mixed_up(machines):
    """Members that wait for their states are given those of each other."""

    def step(coordinator, event, choose):
        done = machines.step_coordinator(coordinator, event, choose)
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

    return replace(machines, step_coordinator=step)


def falls_back(machines):
    """A member that joins again goes back to the generation before its own."""

    def change(before, after, _event):
        back = after.phase == "Joining" != before.phase and after.generation > 1
        return replace(after, generation=after.generation - 1) if back else after

    return change_members(machines, change)


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
