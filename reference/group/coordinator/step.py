"""One step of a coordinator: an event is taken, and the effects are returned."""

from msgspec.structs import replace

from kassay.reference.group.behaviour import Behaviour
from kassay.reference.group.coordinator.alarms import alarm
from kassay.reference.group.coordinator.draft import ANSWERED, Choose, Draft, StoppedError, draft
from kassay.reference.group.coordinator.failover import first
from kassay.reference.group.coordinator.outcome import refused, timed_out, written
from kassay.reference.group.coordinator.requests.commit import commit
from kassay.reference.group.coordinator.requests.heartbeat import heartbeat
from kassay.reference.group.coordinator.requests.join import join
from kassay.reference.group.coordinator.requests.leave import leave
from kassay.reference.group.coordinator.requests.sync import sync
from kassay.reference.group.coordinator.state import Coordinator
from kassay.reference.group.events import (
    Alarm,
    Asked,
    CoordinatorEffect,
    CoordinatorEvent,
    Refused,
    Reply,
    Step,
    TimedOut,
)
from kassay.reference.group.messages import (
    Error,
    Heartbeat,
    HeartbeatResponse,
    JoinGroup,
    JoinGroupResponse,
    LeaveGroup,
    LeaveGroupResponse,
    OffsetCommit,
    OffsetCommitResponse,
    Request,
    Response,
    SyncGroup,
    SyncGroupResponse,
)


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
        _take(changing, event)
    except StoppedError:
        if isinstance(event, Asked):
            _answer_stopped(changing, event)
    return changing.finish()


def _answer_stopped(changing: Draft, event: Asked) -> None:
    """Refuse the request that would have ended the join phase; what it has changed stays, and its member counts as joined."""
    for member in list(changing.members.values()):
        if member.joining == event.token:
            changing.update(member, joining=ANSWERED)
    response = error_of(event.request, Error.UNKNOWN_SERVER_ERROR)
    named = isinstance(response, JoinGroupResponse)
    changing.reply(event.token, replace(response, member_id="") if named else response)


def _take(changing: Draft, event: CoordinatorEvent) -> None:
    if isinstance(event, Asked):
        request = event.request
        if isinstance(request, Heartbeat):
            heartbeat(changing, event.token, request)
        elif isinstance(request, OffsetCommit):
            commit(changing, event.token, request)
        elif isinstance(request, JoinGroup):
            join(changing, event.token, request)
        elif isinstance(request, SyncGroup):
            sync(changing, event.token, request)
        elif isinstance(request, LeaveGroup):
            leave(changing, event.token, request)
        else:
            raise TypeError(f"{type(request).__name__} is not for a coordinator")
    elif isinstance(event, Alarm):
        alarm(changing, event.key)
    elif isinstance(event, Refused):
        refused(changing, event.batch, event.error)
    elif isinstance(event, TimedOut):
        timed_out(changing, event.batch)
    else:
        written(changing, event.batch)


def _elsewhere(
    behaviour: Behaviour, coordinator: Coordinator, event: CoordinatorEvent
) -> tuple[CoordinatorEffect, ...]:
    """Return the answer of a node that does not coordinate the group, or not yet."""
    if not isinstance(event, Asked):
        return ()
    error = Error.COORDINATOR_LOAD_IN_PROGRESS if coordinator.serving else Error.NOT_COORDINATOR
    if coordinator.serving and isinstance(event.request, Heartbeat):
        error = behaviour.loading
    response = error_of(event.request, error)
    if isinstance(response, JoinGroupResponse):
        response = replace(response, member_id="")
    return (Reply(event.token, response),)


def error_of(request: Request, error: Error) -> Response:
    """Return the response that refuses a request."""
    if isinstance(request, JoinGroup):
        return JoinGroupResponse(error=error, member_id=request.member_id)
    if isinstance(request, SyncGroup):
        return SyncGroupResponse(error=error)
    if isinstance(request, Heartbeat):
        return HeartbeatResponse(error=error)
    if isinstance(request, LeaveGroup):
        return LeaveGroupResponse(error=error)
    if isinstance(request, OffsetCommit):
        return OffsetCommitResponse(error=error)
    raise TypeError(f"{type(request).__name__} is not for a coordinator")
