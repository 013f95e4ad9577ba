"""Mutants of the coordinator in a rebalance, which the simulator must find: members, leader, responses and assignments."""

from collections.abc import Callable
from dataclasses import dataclass

from msgspec.structs import replace
from simulation.changes import (
    change_coordinator_step,
    change_received_requests,
    change_responses,
    ignore_events,
)

from kassay.protocol.simulation.schedule import Setting
from kassay.protocol.simulation.world import Machines
from kassay.reference.group.messages import (
    Alarm,
    Asked,
    Error,
    HeartbeatResponse,
    JoinGroup,
    JoinGroupResponse,
    OffsetCommit,
    Reply,
    Step,
    SyncGroup,
    SyncGroupResponse,
)

KAFKA = Setting(coordinator="kafka@4.4.0")
PROPOSAL = Setting()


@dataclass(frozen=True)
class Mutant:
    """A change of the machines; `faults` are those under which it shows, and `setting` the group in which it does."""

    change: Callable[[Machines], Machines]
    faults: tuple[str, ...]
    setting: Setting = KAFKA

    @property
    def name(self) -> str:
        return self.change.__name__

    @property
    def says(self) -> str:
        return " ".join((self.change.__doc__ or "").split()).rstrip(".")


def current(coordinator, request):
    return replace(request, generation=coordinator.generation) if request.generation >= 0 else request


@change_received_requests(OffsetCommit)
def commits_of_any_generation(coordinator, request):
    """The generation of a commit is not looked at."""
    return current(coordinator, request)


@change_received_requests(SyncGroup)
def syncs_of_any_generation(coordinator, request):
    """The generation of a SyncGroup is not looked at, so that states of an old leader are taken."""
    return current(coordinator, request)


@change_received_requests(OffsetCommit)
def commits_of_strangers(coordinator, request):
    """The member id of a commit is not checked: an unknown member counts as the leader."""
    known = request.member_id in coordinator.members or coordinator.leader is None
    return current(coordinator, request if known else replace(request, member_id=coordinator.leader))


@change_responses(JoinGroupResponse)
def everybody_leads(_before, _after, _event, response):
    """Every member is told that it leads."""
    if response.error is not Error.NONE:
        return response
    return replace(response, leader=response.member_id)


@change_coordinator_step
def generation_stays(step, coordinator, event):
    """A rebalance does not raise the generation."""
    done = step(coordinator, event)
    if done.state.generation <= max(1, coordinator.generation):
        return done
    number = coordinator.generation
    effects = tuple(
        Reply(one.token, replace(one.response, generation=number))
        if type(one) is Reply and type(one.response) is JoinGroupResponse
        else one
        for one in done.effects
    )
    return Step(replace(done.state, generation=number), effects)


@change_responses(JoinGroupResponse)
def leaders_strategy(_before, after, _event, response):
    """The leader's first strategy is chosen, even if the others do not support it."""
    leader = after.members.get(after.leader or "")
    if response.error is not Error.NONE or leader is None:
        return response
    return replace(response, protocol=leader.protocols[0].name)


@ignore_events
def waits_for_all_for_ever(coordinator, event):
    """The join phase has no time limit: it ends only when all members have joined."""
    return (
        type(event) is Alarm
        and (event.key == "rebalance" or (event.key[0] == "session" and coordinator.state == "Joining"))
        and coordinator.remaining_ms is None
    )


@ignore_events
def dead_leader_is_awaited(coordinator, event):
    """While the leader's states are awaited, no session and no time limit ends."""
    return type(event) is Alarm and coordinator.state == "AwaitSync"


@change_coordinator_step
def joins_end_at_once(step, coordinator, event):
    """The join phase ends with the first JoinGroup: who has not joined again is dropped."""
    done = step(coordinator, event)
    if done.state.state != "Joining" or type(event) is not Asked or type(event.request) is not JoinGroup:
        return done
    ended = step(replace(done.state, remaining_ms=None), Alarm("rebalance"))
    return Step(ended.state, (*done.effects, *ended.effects))


@change_responses(HeartbeatResponse)
def heartbeats_in_joining(before, _after, _event, response):
    """A heartbeat is accepted while others join, so members do not hear of the rebalance."""
    rebalancing = before.state == "Joining" and response.error is Error.REBALANCE_IN_PROGRESS
    return HeartbeatResponse() if rebalancing else response


@change_responses(HeartbeatResponse)
def heartbeats_begin_rebalances(before, _after, event, response):
    """A follower's heartbeat in a stable group is told to join again."""
    follows = before.state == "Stable" and event.request.member_id != before.leader
    return HeartbeatResponse(error=Error.REBALANCE_IN_PROGRESS) if follows else response


@change_responses(HeartbeatResponse)
def followers_are_unknown(before, _after, event, response):
    """A follower's heartbeat in a stable group gets UNKNOWN_MEMBER_ID, but the member stays in the group."""
    follows = before.state == "Stable" and event.request.member_id != before.leader
    return HeartbeatResponse(error=Error.UNKNOWN_MEMBER_ID) if follows else response


@change_responses(SyncGroupResponse)
def same_state_for_all(_before, after, _event, response):
    """Every member is given the leader's state."""
    leader = after.members.get(after.leader or "")
    return response if leader is None or response.state is None else replace(response, state=leader.state)


@change_coordinator_step
def newcomer_is_fenced(step, coordinator, event):
    """A static member that comes back is fenced, in place of the process that it replaces."""
    if type(event) is Asked and type(event.request) is JoinGroup:
        request = event.request
        known = any(member.instance_id == request.instance_id for member in coordinator.roster)
        if request.instance_id is not None and not request.member_id and known:
            refusal = JoinGroupResponse(error=Error.FENCED_INSTANCE_ID)
            return Step(coordinator, (Reply(event.token, refusal),))
    return step(coordinator, event)


@change_coordinator_step
def newcomer_is_given_nothing(step, coordinator, event):
    """A static member that comes back in a stable group finds no state."""
    done = step(coordinator, event)
    if coordinator.state != "Stable" or done.state.state != "Stable":
        return done
    known = coordinator.members
    roster = tuple(one if one.member_id in known else replace(one, state=None) for one in done.state.roster)
    return Step(replace(done.state, roster=roster), done.effects)


@change_coordinator_step
def nobody_is_told_to_synchronise(step, coordinator, event):
    """New states of the leader of a stable group do not reach the members."""
    done = step(coordinator, event)
    roster = tuple(replace(one, to_resync=False) for one in done.state.roster)
    return Step(replace(done.state, roster=roster), done.effects)


@change_coordinator_step
def followers_are_not_told(step, coordinator, event):
    """When the join phase ends, only the leader is answered."""
    done = step(coordinator, event)

    def to_follower(effect):
        if type(effect) is not Reply or type(effect.response) is not JoinGroupResponse:
            return False
        return effect.response.error is Error.NONE and effect.response.leader != effect.response.member_id

    return Step(done.state, tuple(one for one in done.effects if not to_follower(one)))


@change_responses(JoinGroupResponse)
def leader_misses_the_last(_before, _after, _event, response):
    """The leader does not receive the newest member, which therefore never gets a partition."""
    return replace(response, members=response.members[:-1]) if len(response.members) > 1 else response


@change_coordinator_step
def commits_while_states_are_awaited(step, coordinator, event):
    """While the leader's states are awaited, commits are taken as in a stable group."""
    if (
        type(event) is not Asked
        or type(event.request) is not OffsetCommit
        or coordinator.state != "AwaitSync"
    ):
        return step(coordinator, event)
    done = step(replace(coordinator, state="Stable"), event)
    return Step(replace(done.state, state="AwaitSync"), done.effects)


REBALANCE_MUTANTS = (
    Mutant(commits_of_any_generation, ("reorder", "commit", "leave")),
    Mutant(commits_of_strangers, ("cut", "commit", "pause")),
    Mutant(syncs_of_any_generation, ("reorder", "duplicate"), PROPOSAL),
    Mutant(everybody_leads, ()),
    Mutant(generation_stays, ("crash", "leave")),
    Mutant(leaders_strategy, ("upgrade",)),
    Mutant(waits_for_all_for_ever, ("crash", "cut", "pause", "leave")),
    Mutant(dead_leader_is_awaited, ("crash", "leave", "pause")),
    Mutant(joins_end_at_once, ("crash", "leave")),
    Mutant(heartbeats_in_joining, ("crash", "leave")),
    Mutant(heartbeats_begin_rebalances, ()),
    Mutant(followers_are_unknown, ()),
    Mutant(same_state_for_all, ()),
    Mutant(newcomer_is_fenced, ("crash", "leave"), replace(KAFKA, static=True)),
    Mutant(newcomer_is_given_nothing, ("crash", "leave"), replace(KAFKA, static=True)),
    Mutant(nobody_is_told_to_synchronise, ("grow",), PROPOSAL),
    Mutant(followers_are_not_told, ("crash", "leave")),
    Mutant(leader_misses_the_last, ()),
    Mutant(commits_while_states_are_awaited, ("hang", "leave")),
)
