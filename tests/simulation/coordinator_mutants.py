"""Mutants of the coordinator: each changes what it is told, what it becomes or what it answers."""

from msgspec.structs import replace
from simulation.mutants import KAFKA, Mutant

from kassay.reference.group.coordinator.state import Synced
from kassay.reference.group.events import (
    Alarm,
    Asked,
    CancelTimer,
    Refused,
    Reply,
    SetTimer,
    Step,
    Write,
    Written,
)
from kassay.reference.group.messages import (
    Error,
    HeartbeatResponse,
    JoinGroup,
    JoinGroupResponse,
    LeaveGroup,
    OffsetCommit,
    SyncGroup,
    SyncGroupResponse,
)
from kassay.simulation.machines import answering, deaf, told
from kassay.simulation.schedule import Setting

PROPOSAL = Setting()


def current(coordinator, request):
    return replace(request, generation=coordinator.generation) if request.generation >= 0 else request


def commits_of_any_generation(machines):
    """The generation of a commit is not looked at."""
    return told(machines, OffsetCommit, current)


def syncs_of_any_generation(machines):
    """The generation of a SyncGroup is not looked at, so that states of an old leader are taken."""
    return told(machines, SyncGroup, current)


def commits_of_strangers(machines):
    """Who commits is not looked at: a stranger counts as the leader."""

    def change(coordinator, request):
        known = request.member_id in coordinator.members or coordinator.leader is None
        return current(coordinator, request if known else replace(request, member_id=coordinator.leader))

    return told(machines, OffsetCommit, change)


def everybody_leads(machines):
    """Every member is told that it leads."""

    def change(_before, _after, _event, response):
        if response.error is not Error.NONE:
            return response
        return replace(response, leader=response.member_id)

    return answering(machines, JoinGroupResponse, change)


def generation_stays(machines):
    """A rebalance does not raise the generation."""

    def step(coordinator, event, choose):
        done = machines.step_coordinator(coordinator, event, choose)
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

    return replace(machines, step_coordinator=step)


def leaders_strategy(machines):
    """The leader's first strategy is chosen, whatever the others support."""

    def change(_before, after, _event, response):
        leader = after.members.get(after.leader or "")
        if response.error is not Error.NONE or leader is None:
            return response
        return replace(response, protocol=leader.protocols[0].name)

    return answering(machines, JoinGroupResponse, change)


def waits_for_all_for_ever(machines):
    """The join phase does not end until all have joined, whatever time has passed."""
    return deaf(
        machines,
        lambda coordinator, event: (
            type(event) is Alarm
            and (event.key == "rebalance" or (event.key[0] == "session" and coordinator.state == "Joining"))
            and coordinator.remaining_ms is None
        ),
    )


def dead_leader_is_awaited(machines):
    """While the leader's states are awaited, no session and no time limit ends."""
    return deaf(
        machines, lambda coordinator, event: type(event) is Alarm and coordinator.state == "AwaitSync"
    )


def joins_end_at_once(machines):
    """The join phase ends with the first JoinGroup: who has not joined again is dropped."""

    def step(coordinator, event, choose):
        done = machines.step_coordinator(coordinator, event, choose)
        if done.state.state != "Joining" or type(event) is not Asked or type(event.request) is not JoinGroup:
            return done
        ended = machines.step_coordinator(replace(done.state, remaining_ms=None), Alarm("rebalance"), choose)
        return Step(ended.state, (*done.effects, *ended.effects))

    return replace(machines, step_coordinator=step)


def heartbeats_in_joining(machines):
    """A heartbeat is accepted while others join, so that nobody learns of the rebalance."""

    def change(before, _after, _event, response):
        rebalancing = before.state == "Joining" and response.error is Error.REBALANCE_IN_PROGRESS
        return HeartbeatResponse() if rebalancing else response

    return answering(machines, HeartbeatResponse, change)


def heartbeats_begin_rebalances(machines):
    """A follower's heartbeat in a stable group is told to join again."""

    def change(before, _after, event, response):
        follows = before.state == "Stable" and event.request.member_id != before.leader
        return HeartbeatResponse(error=Error.REBALANCE_IN_PROGRESS) if follows else response

    return answering(machines, HeartbeatResponse, change)


def followers_are_unknown(machines):
    """A follower's heartbeat in a stable group is told that nobody knows the member, though it is counted still."""

    def change(before, _after, event, response):
        follows = before.state == "Stable" and event.request.member_id != before.leader
        return HeartbeatResponse(error=Error.UNKNOWN_MEMBER_ID) if follows else response

    return answering(machines, HeartbeatResponse, change)


def same_state_for_all(machines):
    """Every member is given the leader's state."""

    def change(_before, after, _event, response):
        leader = after.members.get(after.leader or "")
        return response if leader is None or response.state is None else replace(response, state=leader.state)

    return answering(machines, SyncGroupResponse, change)


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


def newcomer_is_fenced(machines):
    """A static member that comes back is fenced, in place of the process that it replaces."""

    def step(coordinator, event, choose):
        if type(event) is Asked and type(event.request) is JoinGroup:
            request = event.request
            known = any(member.instance_id == request.instance_id for member in coordinator.roster)
            if request.instance_id is not None and not request.member_id and known:
                refusal = JoinGroupResponse(error=Error.FENCED_INSTANCE_ID)
                return Step(coordinator, (Reply(event.token, refusal),))
        return machines.step_coordinator(coordinator, event, choose)

    return replace(machines, step_coordinator=step)


def newcomer_is_given_nothing(machines):
    """A static member that comes back in a stable group finds no state."""

    def step(coordinator, event, choose):
        done = machines.step_coordinator(coordinator, event, choose)
        if coordinator.state != "Stable" or done.state.state != "Stable":
            return done
        known = coordinator.members
        roster = tuple(
            one if one.member_id in known else replace(one, state=None) for one in done.state.roster
        )
        return Step(replace(done.state, roster=roster), done.effects)

    return replace(machines, step_coordinator=step)


def nobody_is_told_to_synchronise(machines):
    """When the leader of a stable group has set other states, nobody is told."""

    def step(coordinator, event, choose):
        done = machines.step_coordinator(coordinator, event, choose)
        roster = tuple(replace(one, to_resync=False) for one in done.state.roster)
        return Step(replace(done.state, roster=roster), done.effects)

    return replace(machines, step_coordinator=step)


def followers_are_not_told(machines):
    """When the join phase ends, only the leader is answered."""

    def step(coordinator, event, choose):
        done = machines.step_coordinator(coordinator, event, choose)
        return Step(done.state, tuple(one for one in done.effects if not _to_follower(one)))

    return replace(machines, step_coordinator=step)


def _to_follower(effect):
    if type(effect) is not Reply or type(effect.response) is not JoinGroupResponse:
        return False
    return effect.response.error is Error.NONE and effect.response.leader != effect.response.member_id


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
    return deaf(
        machines,
        lambda coordinator, event: (
            type(event) is Alarm and event.key[0] == "session" and coordinator.state == "Stable"
        ),
    )


def leader_misses_the_last(machines):
    """The leader is not told of the member that came last, which therefore gets nothing, for ever."""

    def change(_before, _after, _event, response):
        return replace(response, members=response.members[:-1]) if len(response.members) > 1 else response

    return answering(machines, JoinGroupResponse, change)


def commits_while_states_are_awaited(machines):
    """While the leader's states are awaited, commits are taken as in a stable group."""

    def step(coordinator, event, choose):
        awaits = type(event) is Asked and type(event.request) is OffsetCommit
        if not awaits or coordinator.state != "AwaitSync":
            return machines.step_coordinator(coordinator, event, choose)
        request = replace(event.request, generation=coordinator.generation)
        stable = replace(coordinator, state="Stable")
        done = machines.step_coordinator(stable, Asked(event.token, request), choose)
        return Step(replace(done.state, state=coordinator.state), done.effects)

    return replace(machines, step_coordinator=step)


def failover_loses_a_member(machines):
    """A new coordinator does not read the last member of the group."""

    def load(log, first_id):
        done = machines.load(log, first_id)
        return Step(replace(done.state, roster=done.state.roster[:-1]), done.effects)

    return replace(machines, load=load)


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


COORDINATOR_MUTANTS = (
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
    Mutant(nothing_is_read, ("failover", "coordinator-crash"), PROPOSAL),
    Mutant(last_record_is_missed, ("failover", "coordinator-crash"), PROPOSAL),
    Mutant(generation_is_not_read, ("failover", "coordinator-crash"), PROPOSAL),
    Mutant(answers_before_it_writes, ("zombie", "coordinator-crash", "slow-log"), PROPOSAL),
    Mutant(refused_writes_count, ("refused-write", "failover", "leave"), PROPOSAL),
    Mutant(newcomer_is_fenced, ("crash", "leave"), replace(KAFKA, static=True)),
    Mutant(newcomer_is_given_nothing, ("crash", "leave"), replace(KAFKA, static=True)),
    Mutant(nobody_is_told_to_synchronise, ("grow",), PROPOSAL),
    Mutant(followers_are_not_told, ("crash", "leave")),
    Mutant(leaving_changes_nothing, ("departure",)),
    Mutant(dead_members_stay, ("death",)),
    Mutant(leader_misses_the_last, ()),
    Mutant(commits_while_states_are_awaited, ("departure", "reorder", "commit"), replace(KAFKA, members=3)),
    Mutant(failover_loses_a_member, ("failover", "commit")),
    Mutant(fenced_are_unknown, ("crash", "leave", "reorder", "duplicate"), replace(KAFKA, static=True)),
    Mutant(older_processes_count, ("twin",), replace(KAFKA, static=True)),
    Mutant(parked_syncs_are_forgotten, ("crash", "leave", "departure")),
    Mutant(parked_joins_are_forgotten, ("crash", "leave")),
    Mutant(sessions_end_while_parked, ("stall", "pause", "leave")),
    Mutant(static_members_are_dropped, ("stall", "cut", "subscribe"), replace(KAFKA, static=True)),
    Mutant(late_writes_spread_old_states, ("slow-log", "leave", "crash", "departure")),
)
