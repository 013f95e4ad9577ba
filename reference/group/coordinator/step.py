"""The coordinator as a whole: it takes over from the log, takes one event after another, and hands over to another node.

No response depends on a record that the log does not have: each batch is written for a reason, and the request that wrote it waits. When the batch is
written, refused or late, the requests are answered, or the change is taken back.

Source: CoordinatorRuntime of Kafka 4.x, whose futures are completed by the log; the appends of GroupMetadataManager and what they do when they fail.
"""

from collections.abc import Hashable, Iterable

from msgspec.structs import replace

from kassay.reference.group.behaviour import Behaviour
from kassay.reference.group.coordinator import rebalance, requests
from kassay.reference.group.coordinator.requests import join, spread
from kassay.reference.group.coordinator.state import (
    ANSWERED,
    After,
    Choose,
    Committed,
    Coordinator,
    Created,
    Draft,
    Emptied,
    Forgotten,
    GivenUp,
    GroupForgotten,
    GroupWritten,
    Joined,
    Member,
    Pending,
    Record,
    Replaced,
    StoppedError,
    Synced,
    draft,
)
from kassay.reference.group.messages import (
    Alarm,
    Asked,
    CoordinatorEffect,
    CoordinatorEvent,
    Error,
    FindCoordinator,
    Heartbeat,
    JoinGroup,
    JoinGroupResponse,
    LeaveGroup,
    LeaveGroupResponse,
    OffsetCommit,
    OffsetCommitResponse,
    Protocol,
    Refused,
    Reply,
    Request,
    Response,
    Step,
    SyncGroup,
    SyncGroupResponse,
    TimedOut,
    Written,
    refuse,
)

REFUSALS: dict[type[After], type[Response]] = {
    Created: JoinGroupResponse,
    Synced: SyncGroupResponse,
    Emptied: LeaveGroupResponse,
    Committed: OffsetCommitResponse,
}
"""Why a batch was written -> the response to the request that wrote it."""


def find(draft: Draft, batch: int) -> Pending:
    """Return what is waiting for a batch; raises ValueError where nothing is."""
    for pending in draft.waiting:
        if pending.batch == batch:
            return pending
    raise ValueError(f"batch {batch} is not being written")


def settle(draft: Draft, batch: int) -> None:
    """Wait for a batch no longer."""
    draft.waiting = tuple(pending for pending in draft.waiting if pending.batch != batch)


def handle_written(draft: Draft, batch: int) -> None:
    """Send the responses that waited for a batch, unless the group has gone on since."""
    pending = find(draft, batch)
    settle(draft, batch)
    after = pending.after
    match after:
        case Joined(generation) if draft.state == "AwaitSync" and draft.generation == generation:
            rebalance.tell_joined(draft)
        case Synced(generation, states) if draft.generation == generation:
            if draft.state == "AwaitSync" or (draft.state == "Stable" and draft.behaviour.resyncs):
                spread(draft, dict(states))
        case Replaced():
            _answer_replaced(draft, after)
        case Emptied(answer) if answer is not None:
            draft.reply(pending.token, answer)
        case Committed():
            draft.reply(pending.token, OffsetCommitResponse())
        case _:
            pass


def handle_refused(draft: Draft, batch: int, error: Error) -> None:
    """Refuse the requests that wait for a batch, and take back the group or commit that it was to keep."""
    after = find(draft, batch).after
    fail(draft, batch, error)
    settle(draft, batch)
    match after:
        case Created():
            draft.forget()
        case Forgotten(generation, protocol_type, member_added, pending):
            draft.state, draft.generation, draft.protocol_type = "Empty", generation, protocol_type
            draft.member_added, draft.pending = member_added, list(pending)
        case Committed(created, had_offsets):
            draft.has_offsets = had_offsets
            if created:
                draft.forget()
        case _:
            pass


def handle_timeout(draft: Draft, batch: int) -> None:
    """Refuse those that wait for a batch, which stays in the log, so that nothing of the group is taken back.

    A member whose JoinGroup made the group counts as joined, though it is refused. To look for groups to forget is put off.
    """
    pending = find(draft, batch)
    if isinstance(pending.after, Created) and pending.token is not None:
        _count_as_joined(draft, pending.token)
    fail(draft, batch, Error.COORDINATOR_NOT_AVAILABLE)
    if isinstance(pending.after, Forgotten):
        draft.set_timer("cleanup", draft.behaviour.cleanup_ms)
    draft.waiting = tuple(Pending(batch, GivenUp()) if one.batch == batch else one for one in draft.waiting)


def fail(draft: Draft, batch: int, error: Error) -> None:
    """Answer those that wait for a batch with an error, and the request that wrote it if it is not answered yet."""
    after = find(draft, batch).after
    match after:
        case Joined(generation) if draft.state == "AwaitSync" and draft.generation == generation:
            for member in draft.members.values():
                if member.joining is not None:
                    draft.reply(member.joining, JoinGroupResponse(error=error))
                    _unpark(draft, member.joining)
            rebalance.begin(draft)
        case Synced(generation) if draft.state == "AwaitSync" and draft.generation == generation:
            rebalance.end_sync(draft, error)
            rebalance.begin(draft)
        case Replaced():
            _take_back(draft, after)
        case _:
            pass
    token = find(draft, batch).token
    if token is not None:
        if isinstance(after, Replaced):
            # Kafka tells of the generation, too.
            response = JoinGroupResponse(
                error=error,
                generation=draft.generation,
                protocol_type=draft.protocol_type,
                protocol=draft.protocol,
                leader=after.leader or "",
            )
            draft.reply(token, response)
        else:
            draft.reply(token, REFUSALS[type(after)](error=error))
        _unpark(draft, token)


def _unpark(draft: Draft, token: Hashable) -> None:
    for member in draft.members.values():
        if member.joining == token:
            draft.update(member, joining=None)
        if member.syncing == token:
            draft.begin_session(draft.update(member, syncing=None))


def _answer_replaced(draft: Draft, replaced: Replaced) -> None:
    """Answer a static member whose new id is kept; a leader's states still stand."""
    member = draft.members.get(replaced.member_id)
    if member is None or member.joining is None:
        return
    leads = draft.leader == member.member_id
    if leads and replaced.skips_assignment and draft.state == "Joining":
        return  # Kafka throws here, so the request stays parked
    response = rebalance.make_join_response(draft, member)
    if replaced.skips_assignment:
        response = replace(response, skip_assignment=leads)
    else:
        response = replace(response, leader=replaced.leader or "", members=())
    draft.reply(member.joining, response)
    draft.update(member, joining=None)


def _take_back(draft: Draft, replaced: Replaced) -> None:
    """Give a static member its old id again, as the new one could not be kept."""
    member = draft.members.get(replaced.member_id)
    if member is not None:
        old = rebalance.rename(draft, draft.update(member, joining=None), replaced.old.member_id)
        draft.begin_session(
            draft.update(
                old,
                protocols=replaced.old.protocols,
                session_timeout_ms=replaced.old.session_timeout_ms,
                rebalance_timeout_ms=replaced.old.rebalance_timeout_ms,
            )
        )


LOADING = Coordinator(state="Initialize")
"""A coordinator that is still reading the log."""


def first(allowed: tuple[str, ...]) -> str:
    """Choose the member that came first."""
    return allowed[0]


# It takes over


def load(
    behaviour: Behaviour, records: Iterable[Record], next_member: int = 0, choose: Choose = first
) -> Step[Coordinator, CoordinatorEffect]:
    """Return a coordinator that takes a group over from the log, at first or after a failover.

    `records` are the records of all committed batches in order. New member ids are numbered from `next_member`: give the next number of
    the last coordinator, because Kafka never uses an id again.

    Known defect, reproduced: unreadable metadata that stop a join phase stop this function too, if a static member returned with
    them to a stable group and was written. That holds even if later records replace that one. The group then has no coordinator; in Kafka
    this holds for all groups of that partition of the log.
    """
    group: GroupWritten | None = None
    has_offsets = False
    for record in records:
        if isinstance(record, GroupForgotten):
            group = None
        elif isinstance(record, GroupWritten):
            group = record
            read = _as_written(group, has_offsets=has_offsets, next_member=next_member)
            if rebalance.stops(draft(behaviour, read, choose)):
                return Step(Coordinator(serving=False, roster=read.roster, next_member=next_member), ())
        else:
            has_offsets = True
            group = group or GroupWritten(0, None, None, None)
    if group is None:
        loaded = Coordinator(next_member=next_member)
    else:
        loaded = _as_written(group, has_offsets=has_offsets, next_member=next_member)
    changing = draft(behaviour, loaded, choose)
    for member in loaded.roster:
        changing.begin_session(member)
    if behaviour.group_max_size is not None and len(loaded.roster) > behaviour.group_max_size:
        rebalance.begin(changing)
    changing.set_timer("cleanup", behaviour.cleanup_ms)
    return changing.finish()


def _as_written(group: GroupWritten, *, has_offsets: bool, next_member: int) -> Coordinator:
    """Return the coordinator of a group as a record has it."""
    return Coordinator(
        state="Empty" if not group.members else "Stable" if group.synced else "AwaitSync",
        generation=group.generation,
        protocol_type=group.protocol_type,
        protocol=group.protocol,
        leader=group.leader,
        roster=tuple(
            Member(
                member_id=member.member_id,
                instance_id=member.instance_id,
                client_id=member.client_id,
                session_timeout_ms=member.session_timeout_ms,
                rebalance_timeout_ms=member.rebalance_timeout_ms,
                protocols=(Protocol(group.protocol or "", member.metadata),),
                state=member.state,
                to_resync=member.to_resync,
            )
            for member in group.members
        ),
        has_offsets=has_offsets,
        next_member=next_member,
    )


# It takes an event


def step(
    behaviour: Behaviour, coordinator: Coordinator, event: CoordinatorEvent, choose: Choose = first
) -> Step[Coordinator, CoordinatorEffect]:
    """Return what a coordinator is after an event, and what it wants done.

    `choose` picks the next leader among those allowed. Raises TypeError for a request that is not a coordinator's to answer, and ValueError
    for the outcome of a batch that it does not wait for.
    """
    if coordinator.state == "Initialize" or not coordinator.serving:
        return Step(coordinator, _elsewhere(behaviour, coordinator, event))
    changing = draft(behaviour, coordinator, choose)
    try:
        match event:
            case Asked(token, request):
                _answer(changing, token, request)
            case Alarm(key):
                _ring(changing, key)
            case Written(batch):
                handle_written(changing, batch)
            case Refused(batch, error):
                handle_refused(changing, batch, error)
            case TimedOut(batch):
                handle_timeout(changing, batch)
    except StoppedError:
        # The generation is raised all the same, and the member whose JoinGroup would have ended the join phase counts as joined.
        if isinstance(event, Asked):
            _count_as_joined(changing, event.token)
            changing.reply(event.token, refuse(event.request, Error.UNKNOWN_SERVER_ERROR))
    return changing.finish()


def _answer(draft: Draft, token: Hashable, request: Request) -> None:
    match request:
        case JoinGroup():
            join(draft, token, request)
        case SyncGroup():
            requests.sync(draft, token, request)
        case Heartbeat():
            requests.heartbeat(draft, token, request)
        case OffsetCommit():
            requests.commit(draft, token, request)
        case LeaveGroup():
            requests.leave(draft, token, request)
        case FindCoordinator():
            raise TypeError("FindCoordinator is not for a coordinator")


def _count_as_joined(draft: Draft, token: Hashable) -> None:
    """Let the member of a JoinGroup that was refused count as joined."""
    for member in list(draft.members.values()):
        if member.joining == token:
            draft.update(member, joining=ANSWERED)


def _ring(draft: Draft, key: Hashable) -> None:
    """Do what a timer was set for; one of a member that is gone does nothing."""
    match key:
        case "rebalance":
            rebalance.time_is_over(draft)
        case "sync":
            requests.drop_unsynced(draft)
        case "cleanup":
            requests.clean_up(draft)
        case ("session", str(member_id)):
            requests.end_session(draft, member_id)


# It is not, or no longer, the coordinator


def _elsewhere(
    behaviour: Behaviour, coordinator: Coordinator, event: CoordinatorEvent
) -> tuple[CoordinatorEffect, ...]:
    """Return the answer of a node that does not coordinate the group, or not yet."""
    if not isinstance(event, Asked):
        return ()
    error = Error.COORDINATOR_LOAD_IN_PROGRESS if coordinator.serving else Error.NOT_COORDINATOR
    if coordinator.serving and isinstance(event.request, Heartbeat):
        error = behaviour.loading
    return (Reply(event.token, refuse(event.request, error)),)


def unload(behaviour: Behaviour, coordinator: Coordinator) -> Step[Coordinator, CoordinatorEffect]:
    """Return what a coordinator is after another node has taken over: all that was parked is answered NOT_COORDINATOR."""
    changing = draft(behaviour, coordinator, first)
    for waiting in coordinator.waiting:
        fail(changing, waiting.batch, Error.NOT_COORDINATOR)
    for member in changing.members.values():
        if member.joining is not None:
            refusal = JoinGroupResponse(error=Error.NOT_COORDINATOR, member_id=member.member_id)
            changing.reply(member.joining, refusal)
        if member.syncing is not None:
            changing.reply(member.syncing, SyncGroupResponse(error=Error.NOT_COORDINATOR))
    replies = tuple(effect for effect in changing.effects if isinstance(effect, Reply))
    return Step(Coordinator(serving=False, next_member=coordinator.next_member), replies)
