"""Mutants of the coordinator's responses to JoinGroup, SyncGroup, Heartbeat, LeaveGroup and OffsetCommit, planted from the protocol alone."""

from msgspec.structs import replace
from simulation.changes import (
    change_coordinator_step,
    change_received_requests,
    change_responses,
    replace_function,
)
from simulation.rebalance_mutants import KAFKA, Mutant

from kassay.reference.group.coordinator import rebalance, requests
from kassay.reference.group.coordinator.state import ItemsCommitted
from kassay.reference.group.messages import (
    Asked,
    Error,
    Heartbeat,
    HeartbeatResponse,
    JoinGroup,
    JoinGroupResponse,
    LeaveGroup,
    LeaveGroupResponse,
    OffsetCommit,
    OffsetCommitResponse,
    Reply,
    SetTimer,
    Step,
    SyncGroup,
    SyncGroupResponse,
    Write,
)

STATIC = replace(KAFKA, static=True)

# JoinGroup


@change_coordinator_step
def repeated_joins_are_ignored(step, coordinator, event):
    """The second JoinGroup of a member whose first one is parked is ignored."""
    if type(event) is Asked and type(event.request) is JoinGroup:
        known = coordinator.members.get(event.request.member_id)
        if known is not None and known.joining is not None:
            return Step(coordinator, ())
    return step(coordinator, event)


@replace_function(requests, "_join_again")
def unknown_ids_join(join, draft, token, request):
    """A JoinGroup with an unknown member id is taken as the JoinGroup of a new member of that id."""
    if request.member_id in draft.members or request.member_id in draft.pending:
        join(draft, token, request)
    else:
        requests._add(draft, token, request, request.member_id)


@replace_function(requests, "_fits")
def strange_protocols_join(_fits, _draft, _request):
    """A member joins even if it shares no protocol with the others."""
    return True


@replace_function(rebalance, "choose_protocol")
def last_members_protocol(_choose, members, _leader, **_):
    """The protocol that the last member prefers is chosen."""
    return members[-1].protocols[0].name


@change_responses(JoinGroupResponse)
def all_leaders_skip(_before, _after, _event, response):
    """Every leader is told to keep the assignment."""
    return replace(response, skip_assignment=True) if response.members else response


@change_responses(JoinGroupResponse)
def all_have_the_leaders_metadata(_before, _after, _event, response):
    """The leader receives its own metadata as the metadata of every member."""
    own = next((one.metadata for one in response.members if one.member_id == response.leader), None)
    return replace(response, members=tuple(replace(one, metadata=own) for one in response.members))


@change_responses(JoinGroupResponse)
def leader_misses_itself(_before, _after, _event, response):
    """The leader does not receive itself as a member."""
    return replace(
        response, members=tuple(one for one in response.members if one.member_id != response.leader)
    )


@change_responses(JoinGroupResponse)
def no_member_leads(_before, _after, _event, response):
    """No member is named as the leader."""
    return replace(response, leader="", members=()) if response.error is Error.NONE else response


@replace_function(requests, "_add")
def newcomers_wait(add, draft, token, request, member_id):
    """A new member is parked until something else begins a rebalance."""
    begin = rebalance.begin_or_complete
    if draft.state == "Stable":
        rebalance.begin_or_complete = lambda _draft: None
    try:
        add(draft, token, request, member_id)
    finally:
        rebalance.begin_or_complete = begin


@replace_function(requests, "_join_again")
def leaders_join_quietly(join, draft, token, request):
    """The leader of a stable group that joins again unchanged learns its generation, as a follower does."""
    member = draft.members.get(request.member_id)
    unchanged = member is not None and member.protocols == request.protocols
    if unchanged and draft.state == "Stable" and draft.leader == member.member_id:
        draft.reply(token, rebalance.make_join_response(draft, member))
    else:
        join(draft, token, request)


@replace_function(requests, "_come_back")
def returning_members_keep_their_id(_back, draft, token, request, old, _member_id):
    """A static member that comes back gets the id of the process that it replaces."""
    requests._join_again(draft, token, replace(request, member_id=old.member_id))


@replace_function(requests, "_come_back")
def returning_members_are_new(_back, draft, token, request, old, member_id):
    """A static member that comes back is a new member next to its old one, which is fenced."""
    del draft.members[old.member_id]
    requests._add(draft, token, request, member_id)
    draft.members[old.member_id] = old


@replace_function(rebalance, "rename")
def replaced_syncs_are_not_fenced(rename, draft, old, member_id):
    """The parked SyncGroup of a static process that another one replaces is never answered."""
    return rename(draft, replace(old, syncing=None), member_id)


@replace_function(requests, "_come_back")
def returning_members_keep_the_protocol(come_back, draft, token, request, old, member_id):
    """A static member that comes back to a stable group begins no rebalance, even if another protocol would be chosen."""
    select, chosen = rebalance.select_protocol, draft.protocol
    if draft.state == "Stable":
        rebalance.select_protocol = lambda _draft: chosen
    try:
        come_back(draft, token, request, old, member_id)
    finally:
        rebalance.select_protocol = select


@change_coordinator_step
def returning_members_have_no_session(step, coordinator, event):
    """The session of a static member that comes back begins with its first heartbeat."""
    done = step(coordinator, event)
    returns = (
        type(event) is Asked and type(event.request) is JoinGroup and event.request.instance_id is not None
    )
    if not returns or event.request.member_id or len(done.state.roster) != len(coordinator.roster):
        return done
    new = {("session", one) for one in done.state.members.keys() - coordinator.members.keys()}
    return Step(
        done.state, tuple(one for one in done.effects if type(one) is not SetTimer or one.key not in new)
    )


@change_responses(JoinGroupResponse)
def followers_get_the_leaders_id(_before, _after, _event, response):
    """A follower gets the member id of the leader."""
    return replace(response, member_id=response.leader) if response.error is Error.NONE else response


@change_coordinator_step
def ids_are_given_twice(step, coordinator, event):
    """A new process gets the member id of the process before it."""
    return step(replace(coordinator, next_member=0), event)


# SyncGroup


@replace_function(requests, "sync")
def followers_do_not_wait(sync, draft, token, request):
    """A follower whose SyncGroup comes before the leader's gets an empty state at once."""
    known = draft.members.get(request.member_id)
    current = known is not None and request.generation == draft.generation
    if current and draft.state == "AwaitSync" and draft.leader != request.member_id:
        draft.reply(token, requests.make_sync_response(draft, known))
    else:
        sync(draft, token, request)


@replace_function(requests, "sync")
def early_followers_are_refused(sync, draft, token, request):
    """A follower whose SyncGroup comes before the leader's is told to join again."""
    if (
        request.member_id in draft.members
        and draft.state == "AwaitSync"
        and draft.leader != request.member_id
    ):
        draft.reply(token, SyncGroupResponse(error=Error.REBALANCE_IN_PROGRESS))
    else:
        sync(draft, token, request)


@replace_function(requests, "sync")
def the_first_sync_counts(sync, draft, token, request):
    """The first SyncGroup of a generation counts as the leader's."""
    leader = draft.leader
    if draft.state == "AwaitSync" and request.member_id in draft.members:
        draft.leader = request.member_id
    sync(draft, token, request)
    if draft.leader == request.member_id and draft.state != "Joining":
        draft.leader = leader


@change_responses(SyncGroupResponse)
def late_syncs_get_nothing(before, _after, event, response):
    """A SyncGroup in a stable group is answered by an empty state."""
    late = before.state == "Stable" and type(event) is Asked and response.error is Error.NONE
    return replace(response, state=None) if late else response


@change_received_requests(SyncGroup)
def syncs_of_strangers(coordinator, request):
    """The SyncGroup of an unknown member counts as one of the leader without states."""
    if request.member_id in coordinator.members or coordinator.leader is None:
        return request
    return replace(
        request,
        member_id=coordinator.leader,
        instance_id=None,
        generation=coordinator.generation,
        states=(),
        protocol=None,
    )


@change_responses(SyncGroupResponse)
def rebalancing_members_are_unknown(_before, _after, _event, response):
    """A SyncGroup during a rebalance is answered by UNKNOWN_MEMBER_ID."""
    rebalances = response.error is Error.REBALANCE_IN_PROGRESS
    return SyncGroupResponse(error=Error.UNKNOWN_MEMBER_ID) if rebalances else response


@change_coordinator_step
def synchronised_members_are_awaited(step, coordinator, event):
    """A member that has sent SyncGroup still counts as one that has not."""
    done = step(coordinator, event)
    if type(event) is not Asked or type(event.request) is not SyncGroup:
        return done
    effects = tuple(one for one in done.effects if getattr(one, "key", None) != "sync")
    return Step(replace(done.state, unsynced=coordinator.unsynced), effects)


# Heartbeat


@change_received_requests(Heartbeat)
def heartbeats_of_any_generation(coordinator, request):
    """The generation of a heartbeat is not looked at."""
    return replace(request, generation=coordinator.generation)


@change_responses(HeartbeatResponse)
def heartbeats_of_strangers(_before, _after, _event, response):
    """The heartbeat of an unknown member is accepted."""
    return HeartbeatResponse() if response.error is Error.UNKNOWN_MEMBER_ID else response


@change_coordinator_step
def heartbeats_prolong_all_sessions(step, coordinator, event):
    """The heartbeat of a member prolongs the sessions of all members."""
    done = step(coordinator, event)
    if type(event) is not Asked or type(event.request) is not Heartbeat:
        return done
    own = ("session", event.request.member_id)
    if all(type(one) is not SetTimer or one.key != own for one in done.effects):
        return done
    others = (one for one in done.state.roster if one.member_id != own[1])
    more = tuple(SetTimer(("session", one.member_id), one.session_timeout_ms) for one in others)
    return Step(done.state, (*done.effects, *more))


@change_responses(HeartbeatResponse)
def rebalancing_generations_are_illegal(_before, _after, _event, response):
    """A heartbeat during a rebalance is answered by ILLEGAL_GENERATION."""
    rebalances = response.error is Error.REBALANCE_IN_PROGRESS
    return HeartbeatResponse(error=Error.ILLEGAL_GENERATION) if rebalances else response


# LeaveGroup


@replace_function(requests, "leave")
def who_leaves_stays(_leave, draft, token, request):
    """A LeaveGroup is answered, and the member stays in the group."""
    answers = tuple((one, Error.NONE) for one in request.members)
    draft.reply(token, LeaveGroupResponse(members=answers))


@change_received_requests(LeaveGroup)
def all_leave_together(coordinator, request):
    """If a member leaves, all members are removed."""
    if not {one.member_id for one in request.members} & coordinator.members.keys():
        return request
    every = tuple(
        replace(request.members[0], member_id=one.member_id, instance_id=None) for one in coordinator.roster
    )
    return replace(request, members=every)


# OffsetCommit


@replace_function(requests, "_commit_fault")
def commits_are_refused_while_joining(fault, draft, request):
    """A commit during the join phase is refused."""
    error = fault(draft, request)
    return Error.REBALANCE_IN_PROGRESS if error is Error.NONE and draft.state == "Joining" else error


@change_coordinator_step
def commits_lose_an_item(step, coordinator, event):
    """A commit is written without its last item."""
    done = step(coordinator, event)

    def cut(record):
        return replace(record, items=record.items[:-1]) if type(record) is ItemsCommitted else record

    effects = (
        Write(one.batch, tuple(map(cut, one.records))) if type(one) is Write else one for one in done.effects
    )
    return Step(done.state, tuple(effects))


@change_coordinator_step
def commits_are_never_answered(step, coordinator, event):
    """A commit that is written gets no response."""
    done = step(coordinator, event)
    accepted = OffsetCommitResponse()
    return Step(
        done.state,
        tuple(one for one in done.effects if type(one) is not Reply or one.response != accepted),
    )


@change_received_requests(OffsetCommit)
def commits_of_old_processes(coordinator, request):
    """The commit of a static process that another one has replaced counts as the other's."""
    now = next((one.member_id for one in coordinator.roster if one.instance_id == request.instance_id), None)
    return request if request.instance_id is None or now is None else replace(request, member_id=now)


REQUEST_MUTANTS = (
    Mutant(repeated_joins_are_ignored, ()),
    Mutant(unknown_ids_join, ()),
    Mutant(strange_protocols_join, ()),
    Mutant(last_members_protocol, ()),
    Mutant(all_leaders_skip, ()),
    Mutant(all_have_the_leaders_metadata, (), replace(KAFKA, partitions=(1, 1))),
    Mutant(leader_misses_itself, ()),
    Mutant(no_member_leads, ()),
    Mutant(newcomers_wait, ()),
    Mutant(leaders_join_quietly, ()),
    Mutant(returning_members_keep_their_id, (), STATIC),
    Mutant(returning_members_are_new, (), STATIC),
    Mutant(replaced_syncs_are_not_fenced, (), STATIC),
    Mutant(returning_members_keep_the_protocol, (), STATIC),
    Mutant(returning_members_have_no_session, (), STATIC),
    Mutant(followers_get_the_leaders_id, ()),
    Mutant(ids_are_given_twice, ()),
    Mutant(followers_do_not_wait, ()),
    Mutant(early_followers_are_refused, ()),
    Mutant(the_first_sync_counts, ()),
    Mutant(late_syncs_get_nothing, ()),
    Mutant(syncs_of_strangers, ()),
    Mutant(rebalancing_members_are_unknown, ()),
    Mutant(synchronised_members_are_awaited, ()),
    Mutant(heartbeats_of_any_generation, ()),
    Mutant(heartbeats_of_strangers, ()),
    Mutant(heartbeats_prolong_all_sessions, ()),
    Mutant(rebalancing_generations_are_illegal, ()),
    Mutant(who_leaves_stays, ()),
    Mutant(all_leave_together, ()),
    Mutant(commits_are_refused_while_joining, ()),
    Mutant(commits_lose_an_item, ()),
    Mutant(commits_are_never_answered, ()),
    Mutant(commits_of_old_processes, (), STATIC),
)
