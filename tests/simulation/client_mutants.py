"""Mutants of the member as bugs of clients, planted from the protocol alone."""

from msgspec.structs import replace
from simulation.changes import (
    change_member_step,
    change_members,
    change_sent_requests,
    replace_function,
)
from simulation.rebalance_mutants import KAFKA, Mutant

from kassay.protocol.simulation.steps import replace_error
from kassay.reference.group.member import generation, joining, machine
from kassay.reference.group.member.state import (
    Closed,
    ClusterChanged,
    Committed,
    Lose,
    NotCommitted,
    Own,
    Revoke,
    SubscriptionChanged,
)
from kassay.reference.group.messages import (
    Alarm,
    Answered,
    Error,
    Heartbeat,
    HeartbeatResponse,
    JoinGroup,
    LeaveGroup,
    LeavingMember,
    NotAnswered,
    OffsetCommit,
    OffsetCommitResponse,
    Send,
    SetTimer,
    Step,
    SyncGroup,
)

STATIC, COOPERATIVE = replace(KAFKA, static=True), replace(KAFKA, cooperative=True)
TWO_TOPICS = replace(KAFKA, partitions=(1, 1))


def _leave_out(done, is_out):
    """Return a step without some effects."""
    return Step(done.state, tuple(one for one in done.effects if not is_out(one)))


def _is_sent(kind):
    return lambda one: type(one) is Send and type(one.request) is kind


# Heartbeats


@replace_function(machine, "is_due")
def who_does_not_poll_is_silent(is_due, member, out):
    """A member whose application does not poll sends no heartbeat."""
    if not member.stalled:
        return is_due(member, out)
    out.append(SetTimer("heartbeat", member.config.heartbeat_ms))
    return member


@change_member_step
def heartbeats_are_rare(step, member, event):
    """A member sends a heartbeat every thirty seconds."""
    done = step(member, event)
    effects = (
        SetTimer(one.key, 30_000)
        if type(one) is SetTimer and one.key == "heartbeat" and one.delay_ms == member.config.heartbeat_ms
        else one
        for one in done.effects
    )
    return Step(done.state, tuple(effects))


@change_sent_requests(Heartbeat)
def heartbeats_of_the_first_generation(request):
    """Every heartbeat has the number of the first generation."""
    return replace(request, generation=1)


@change_sent_requests(Heartbeat)
def heartbeats_without_instance_id(request):
    """The heartbeats of a static member have no instance id."""
    return replace(request, instance_id=None)


@change_member_step
def lost_heartbeats_are_the_last(step, member, event):
    """After a heartbeat without response a member sends no other one."""
    done = step(member, event)
    if type(event) is not NotAnswered or event.token[0] != "beat":
        return done
    return _leave_out(done, lambda one: type(one) is SetTimer and one.key == "heartbeat")


@replace_function(machine, "is_due")
def idle_members_are_silent(is_due, member, out):
    """A member that was given nothing sends no heartbeat."""
    return is_due(member, out) if member.owned or member.phase != "Stable" else member


@change_member_step
def closed_members_go_on(step, member, event):
    """A member that is closed sends one more heartbeat."""
    done = step(member, event)
    if type(event) is not Closed or member.generation < 0 or member.node is None:
        return done
    beat = Heartbeat(
        generation=member.generation, member_id=member.member_id, instance_id=member.config.instance_id
    )
    number = done.state.tokens
    return Step(
        replace(done.state, tokens=number + 1), (*done.effects, Send(("beat", number), beat, member.node))
    )


# Joining


@change_member_step
def poll_times_are_ignored(step, member, event):
    """A member stays in the group, however long its application does not poll."""
    return Step(member, ()) if event == Alarm("poll") else step(member, event)


@replace_function(machine, "rejoin")
def cooperative_members_revoke_all(rejoin, member, out):
    """A cooperative member gives up all that it has before it joins again."""
    if member.prepared or not member.owned:
        return rejoin(member, out)
    return generation.revoke(replace(member, prepared=True), member.owned, "join", out)


@change_sent_requests(JoinGroup)
def default_timeouts_are_sent(request):
    """JoinGroup has the default timeouts, whatever the member is configured with."""
    return replace(request, session_timeout_ms=45_000, rebalance_timeout_ms=300_000)


@change_sent_requests(JoinGroup)
def instance_ids_are_forgotten(request):
    """A static member joins again without its instance id."""
    return replace(request, instance_id=None) if request.member_id else request


@change_sent_requests(JoinGroup)
def required_ids_are_ignored(request):
    """A new member joins again without the id that it was given."""
    return replace(request, member_id="")


@change_members
def illegal_generations_cost_the_id(before, after, event):
    """A member whose generation is illegal joins as a new one."""
    illegal = type(event) is Answered and event.response.error is Error.ILLEGAL_GENERATION
    return replace(after, member_id="") if illegal and after.generation < 0 <= before.generation else after


def fenced_heartbeats_join_anew(machines):
    """A member whose heartbeat is fenced joins anew."""

    def step(member, event):
        fenced = type(event) is Answered and event.response.error is Error.FENCED_INSTANCE_ID
        if fenced and event.token[0] == "beat":
            event = Answered(event.token, replace(event.response, error=Error.UNKNOWN_MEMBER_ID))
        return machines.step_member(member, event)

    return replace(machines, step_member=step)


@change_member_step
def loading_coordinators_end_members(step, member, event):
    """A member fails if its coordinator is still reading the log."""
    loads = type(event) is Answered and event.response.error is Error.COORDINATOR_LOAD_IN_PROGRESS
    if loads and event.token == member.asked:
        event = Answered(event.token, replace(event.response, error=Error.UNKNOWN_SERVER_ERROR))
    return step(member, event)


@change_member_step
def leaders_do_not_rejoin(step, member, event):
    """A leader does not join again when its heartbeat hears of a rebalance."""
    told = type(event) is Answered and event.response == HeartbeatResponse(error=Error.REBALANCE_IN_PROGRESS)
    return step(member, Answered(event.token, HeartbeatResponse()) if told and member.is_leader else event)


@change_member_step
def lost_joins_are_not_repeated(step, member, event):
    """A member whose JoinGroup got no response does not send it again."""
    if type(event) is NotAnswered and event.token == member.asked and event.token[0] == "join":
        return Step(member, ())
    return step(member, event)


@change_member_step
def fewer_topics_are_passed_over(step, member, event):
    """A member that subscribes to fewer topics takes note of that and does not join again."""
    if type(event) is SubscriptionChanged and {*event.subscription.topics} < {*member.subscription.topics}:
        return Step(replace(member, subscription=event.subscription), ())
    return step(member, event)


@change_sent_requests(LeaveGroup)
def leaves_under_no_id(request):
    """LeaveGroup names no member."""
    return replace(request, members=tuple(LeavingMember("", one.instance_id) for one in request.members))


# The leader


@replace_function(joining, "assign")
def leaders_give_to_themselves(assign, member, out):
    """The leader sends only its own state."""
    done = assign(member, out)
    return replace(done, states=tuple(one for one in done.states if one[0] == member.member_id))


@replace_function(joining, "assign")
def leaders_read_their_own_metadata(assign, member, out):
    """The leader takes its own metadata for the metadata of every member."""
    own = next((one.metadata for one in member.members if one.member_id == member.member_id), None)
    alike = tuple(replace(one, metadata=own) for one in member.members)
    return replace(assign(replace(member, members=alike), out), members=member.members)


@change_sent_requests(SyncGroup)
def leaders_send_the_states_shifted(request):
    """The leader sends the state of each member to the next one."""
    names, states = [name for name, _ in request.states], [state for _, state in request.states]
    return replace(request, states=tuple(zip(names, states[1:] + states[:1], strict=True)))


@change_member_step
def leaders_do_not_refresh(step, member, event):
    """A leader knows the topics as they were when it became the leader."""
    return Step(member, ()) if type(event) is ClusterChanged and member.is_leader else step(member, event)


# What it owns


@replace_function(generation, "take_up")
def unsubscribed_partitions_are_taken(take_up, member, out):
    """A member takes up what it is given, even if it no longer subscribes to that."""
    fits = member.use
    done = take_up(replace(member, use=replace(fits, fits=lambda *_: True)), out)
    return replace(done, use=fits)


@change_members
def members_work_before_they_synchronise(before, after, _event):
    """An eager member works on its last partitions again as soon as JoinGroup is answered."""
    joins = before.phase == "Joining" and after.phase == "Syncing"
    return replace(after, owned=after.had) if joins else after


@change_member_step
def applications_do_not_hear_of_revoking(step, member, event):
    """The application is not told to give something up."""
    return _leave_out(step(member, event), lambda one: type(one) is Revoke)


@change_member_step
def applications_do_not_hear_of_losing(step, member, event):
    """The application is not told that something is lost."""
    return _leave_out(step(member, event), lambda one: type(one) is Lose)


@change_member_step
def applications_do_not_hear_of_owning(step, member, event):
    """The application is not told what it may begin with."""
    return _leave_out(step(member, event), lambda one: type(one) is Own)


@change_member_step
def all_is_announced_again(step, member, event):
    """The application is told to begin with everything, whatever it works on already."""
    done = step(member, event)
    effects = (Own(done.state.owned) if type(one) is Own else one for one in done.effects)
    return Step(done.state, tuple(effects))


# Commits


@change_sent_requests(OffsetCommit)
def commits_without_generation(request):
    """A commit has no generation."""
    return replace(request, generation=-1)


def refused_commits_are_passed_over(machines):
    """A member goes on if its commit is answered by UNKNOWN_MEMBER_ID or ILLEGAL_GENERATION."""
    heard = replace_error(machines, OffsetCommitResponse, Error.UNKNOWN_MEMBER_ID)
    return replace_error(heard, OffsetCommitResponse, Error.ILLEGAL_GENERATION)


@change_member_step
def refused_commits_are_reported_as_done(step, member, event):
    """The application is told that a commit is done, even if it was refused."""
    done = step(member, event)
    effects = (Committed(one.items) if type(one) is NotCommitted else one for one in done.effects)
    return Step(done.state, tuple(effects))


@change_member_step
def commits_are_not_reported(step, member, event):
    """The application does not hear how a commit ended."""
    return _leave_out(step(member, event), lambda one: type(one) in {Committed, NotCommitted})


@change_member_step
def commits_are_not_sent(step, member, event):
    """A commit is reported as done, and never sent."""
    done = step(member, event)
    sent = [one for one in done.effects if _is_sent(OffsetCommit)(one)]
    if not sent:
        return done
    kept = tuple(one for one in done.effects if one not in sent)
    return Step(replace(done.state, commits=member.commits), (*kept, Committed(sent[0].request.items)))


RARE = {
    "timers_of_join_phases_go_on": "the next join phase replaces the timer, so it ends nothing that it should not",
}
"""Mutants that drawn schedules do not show, and why."""
CLIENT_MUTANTS = (
    Mutant(who_does_not_poll_is_silent, ()),
    Mutant(heartbeats_are_rare, ()),
    Mutant(heartbeats_of_the_first_generation, ()),
    Mutant(heartbeats_without_instance_id, (), STATIC),
    Mutant(lost_heartbeats_are_the_last, ()),
    Mutant(idle_members_are_silent, ()),
    Mutant(closed_members_go_on, ()),
    Mutant(poll_times_are_ignored, ()),
    Mutant(cooperative_members_revoke_all, (), COOPERATIVE),
    Mutant(default_timeouts_are_sent, ()),
    Mutant(instance_ids_are_forgotten, (), STATIC),
    Mutant(required_ids_are_ignored, ()),
    Mutant(illegal_generations_cost_the_id, ()),
    Mutant(fenced_heartbeats_join_anew, (), STATIC),
    Mutant(loading_coordinators_end_members, ()),
    Mutant(leaders_do_not_rejoin, ()),
    Mutant(lost_joins_are_not_repeated, ()),
    Mutant(fewer_topics_are_passed_over, (), TWO_TOPICS),
    Mutant(leaves_under_no_id, ()),
    Mutant(leaders_give_to_themselves, ()),
    Mutant(leaders_read_their_own_metadata, (), TWO_TOPICS),
    Mutant(leaders_send_the_states_shifted, ()),
    Mutant(leaders_do_not_refresh, ()),
    Mutant(unsubscribed_partitions_are_taken, (), replace(TWO_TOPICS, static=True)),
    Mutant(members_work_before_they_synchronise, ()),
    Mutant(applications_do_not_hear_of_revoking, ()),
    Mutant(applications_do_not_hear_of_losing, ()),
    Mutant(applications_do_not_hear_of_owning, ()),
    Mutant(all_is_announced_again, (), COOPERATIVE),
    Mutant(commits_without_generation, ()),
    Mutant(refused_commits_are_passed_over, ()),
    Mutant(refused_commits_are_reported_as_done, ()),
    Mutant(commits_are_not_reported, ()),
    Mutant(commits_are_not_sent, ()),
)
