"""Mutants that only one invariant shows: they leave, return, or acknowledge what the log refused."""

from msgspec.structs import replace
from simulation.changes import change_coordinator_step, change_member_step, change_members
from simulation.rebalance_mutants import KAFKA, Mutant

from kassay.reference.group.coordinator.state import Committed
from kassay.reference.group.member.state import Closed
from kassay.reference.group.messages import (
    Alarm,
    Asked,
    Error,
    JoinGroup,
    LeaveGroup,
    LeavingMember,
    OffsetCommitResponse,
    Refused,
    Reply,
    Send,
    Step,
    Written,
)

STATIC = replace(KAFKA, static=True)


@change_coordinator_step
def static_restarts_rebalance(step, coordinator, event):
    """A static member that returns to a stable group begins a rebalance, though it has the same protocols."""
    joins = type(event) is Asked and type(event.request) is JoinGroup and coordinator.state == "Stable"
    if joins and event.request.instance_id is not None and not event.request.member_id:
        return step(replace(coordinator, protocol="another"), event)
    return step(coordinator, event)


@change_coordinator_step
def replaced_joins_are_not_fenced(step, coordinator, event):
    """The parked JoinGroup of a static process that another one replaces is never answered."""
    done = step(coordinator, event)
    if type(event) is not Asked or type(event.request) is not JoinGroup:
        return done
    parked = {one.joining for one in coordinator.roster} - {None}
    kept = (
        one
        for one in done.effects
        if type(one) is not Reply
        or one.token not in parked
        or one.response.error is not Error.FENCED_INSTANCE_ID
    )
    return Step(done.state, tuple(kept))


@change_coordinator_step
def refused_commits_are_acknowledged(step, coordinator, event):
    """A commit that the log refuses is acknowledged; other refused batches are taken back."""
    if type(event) is Refused:
        after = next((one.after for one in coordinator.waiting if one.batch == event.batch), None)
        return step(coordinator, Written(event.batch) if type(after) is Committed else event)
    return step(coordinator, event)


@change_coordinator_step
def commits_are_acknowledged_at_once(step, coordinator, event):
    """A commit is acknowledged before the log has it."""
    done = step(coordinator, event)
    if type(event) in {Written, Refused}:
        late = (
            one
            for one in done.effects
            if type(one) is not Reply or type(one.response) is not OffsetCommitResponse
        )
        return Step(done.state, tuple(late))
    batch = done.state.waiting[-1] if len(done.state.waiting) > len(coordinator.waiting) else None
    if batch is None or type(batch.after) is not Committed:
        return done
    waiting = (*done.state.waiting[:-1], replace(batch, token=None))
    acknowledged = Reply(event.token, OffsetCommitResponse())
    return Step(replace(done.state, waiting=waiting), (*done.effects, acknowledged))


@change_member_step
def static_members_leave(step, member, event):
    """A static member that is closed sends LeaveGroup."""
    done = step(member, event)
    knows = member.node is not None and member.member_id and member.config.instance_id is not None
    if type(event) is not Closed or not knows:
        return done
    gone = LeavingMember(member.member_id, member.config.instance_id)
    leave = Send(("leave", done.state.tokens), LeaveGroup(members=(gone,)), member.node)
    return Step(replace(done.state, tokens=done.state.tokens + 1), (*done.effects, leave))


def _without_leave(done):
    return Step(
        done.state,
        tuple(one for one in done.effects if type(one) is not Send or type(one.request) is not LeaveGroup),
    )


@change_member_step
def closed_members_say_nothing(step, member, event):
    """A member that is closed sends no LeaveGroup."""
    done = step(member, event)
    return _without_leave(done) if type(event) is Closed else done


@change_member_step
def late_members_say_nothing(step, member, event):
    """A member that does not poll in time sends no LeaveGroup."""
    done = step(member, event)
    return _without_leave(done) if event == Alarm("poll") else done


@change_members
def who_leaves_works_on(before, after, event):
    """A member that is closed goes on with its items until its process ends."""
    return replace(after, owned=before.owned) if type(event) is Closed else after


DEPARTURE_MUTANTS = {
    "static_restarts_are_quiet": (Mutant(static_restarts_rebalance, (), STATIC),),
    "replaced_process_is_fenced": (Mutant(replaced_joins_are_not_fenced, (), STATIC),),
    "acknowledged_commits_are_written": (
        Mutant(refused_commits_are_acknowledged, ()),
        Mutant(commits_are_acknowledged_at_once, ()),
    ),
    "static_members_do_not_leave": (Mutant(static_members_leave, (), STATIC),),
    "dynamic_members_leave": (Mutant(closed_members_say_nothing, ()), Mutant(late_members_say_nothing, ())),
    "leaving_ends_work": (Mutant(who_leaves_works_on, ()),),
}
"""Invariant -> the mutants that break it and no other invariant."""
