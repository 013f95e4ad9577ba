"""Invariants of a coordinator's steps about its members: who joins, who is refused, who is removed, and when a generation begins.

Each function gets the coordinator before the step, the event and the step, as in :mod:`kassay.protocol.simulation.invariants.steps`.
"""

from collections.abc import Callable, Hashable
from typing import Any

from kassay.protocol.simulation.invariants import HELD
from kassay.reference.group.coordinator import Coordinator
from kassay.reference.group.coordinator.state import ANSWERED, WITHOUT_MEMBERS
from kassay.reference.group.messages import (
    UNREADABLE,
    Asked,
    Error,
    FindCoordinator,
    Heartbeat,
    JoinGroup,
    JoinGroupResponse,
    LeaveGroup,
    OffsetCommit,
    Protocol,
    Reply,
    SetTimer,
    SyncGroup,
)

ADMITS = frozenset({None, Error.NONE})
"""The errors of a JoinGroup that is parked or accepted."""


def _find_error(step: Any, token: Hashable) -> Error | None:
    """Return the error in the response to a request, None if the step does not answer it."""
    errors = (one.response.error for one in step.effects if type(one) is Reply and one.token == token)
    return next(errors, None)


def refused_for_a_cause(before: Coordinator, event: Any, step: Any) -> str | None:
    """A request is refused as unknown, fenced, of another generation or for a rebalance only if that is so."""
    if type(event) is not Asked or isinstance(event.request, (LeaveGroup, FindCoordinator)):
        return None
    error, request = _find_error(step, event.token), event.request
    if error not in _CAUSES:
        return None
    has_cause = _CAUSES[error]
    if before.state != "Initialize" and has_cause(before, step.state, request):
        return HELD
    who = request.member_id or "a new member"
    where = "while the log is read" if before.state == "Initialize" else f"in {before.state}"
    return f"a {type(request).__name__} of {who} is refused by {error.name} {where} without a cause"


def _is_unknown(before: Coordinator, _after: Coordinator, request: Any) -> bool:
    known = before.members.get(request.member_id)
    if known is None:
        return request.member_id not in before.pending
    return request.instance_id is not None and known.instance_id != request.instance_id


def _is_of_another_generation(before: Coordinator, _after: Coordinator, request: Any) -> bool:
    other = getattr(request, "generation", before.generation) != before.generation
    return other or (type(request) is OffsetCommit and before.state in WITHOUT_MEMBERS)


def _is_replaced(before: Coordinator, _after: Coordinator, request: Any) -> bool:
    ids = {one.member_id for one in before.roster if one.instance_id == request.instance_id}
    return request.instance_id is not None and bool(ids) and request.member_id not in ids


def _rebalances(before: Coordinator, after: Coordinator, request: Any) -> bool:
    if type(request) is Heartbeat:
        return before.state in {"Joining", "AwaitSync"}
    if type(request) is SyncGroup:
        return "Joining" in {before.state, after.state}
    return type(request) is OffsetCommit and before.state == "AwaitSync"


_CAUSES: dict[Error, Callable[[Coordinator, Coordinator, Any], bool]] = {
    Error.UNKNOWN_MEMBER_ID: _is_unknown,
    Error.ILLEGAL_GENERATION: _is_of_another_generation,
    Error.FENCED_INSTANCE_ID: _is_replaced,
    Error.REBALANCE_IN_PROGRESS: _rebalances,
}
"""Error -> True if it is right, by the coordinator before and after the step, and the request."""


def strangers_are_refused(before: Coordinator, event: Any, step: Any) -> str | None:
    """A member that shares no protocol with the others, or has another type, is refused; no other one is, for that reason."""
    if type(event) is not Asked or type(event.request) is not JoinGroup or not before.roster:
        return None
    request, error = event.request, _find_error(step, event.token)
    alike = request.protocol_type == before.protocol_type
    if alike and _share_protocol(before, request.protocols):
        refused = error is Error.INCONSISTENT_GROUP_PROTOCOL
        return f"{request.member_id or request.client_id} is refused, though it has a protocol of the others" if refused else None  # fmt: skip
    if error in {*ADMITS, Error.MEMBER_ID_REQUIRED}:
        return (
            f"{request.member_id or request.client_id} may join, though it shares no protocol with the others"
        )
    return HELD


def _share_protocol(before: Coordinator, offered: tuple[Protocol, ...]) -> bool:
    shared = {one.name for one in offered}
    for member in before.roster:
        own = member.protocols
        if not (len(shared) == 1 and own and own[0].name in shared):
            shared.intersection_update([one.name for one in own])
    return bool(shared)


def leaving_ends_membership(before: Coordinator, event: Any, step: Any) -> str | None:
    """A member that LeaveGroup names is no longer in the group."""
    if type(event) is not Asked or type(event.request) is not LeaveGroup:
        return None
    result = None
    for one in event.request.members:
        known = before.members.get(one.member_id)
        if known is None or one.instance_id not in {None, known.instance_id}:
            continue
        if known.member_id in step.state.members:
            return f"{known.member_id} leaves and is still in the group"
        result = HELD
    return result


def absent_members_are_dropped(before: Coordinator, event: Any, step: Any) -> str | None:
    """At the end of a join phase a dynamic member is removed that did not join."""
    after: Coordinator = step.state
    if before.state != "Joining" or after.state not in {"AwaitSync", "Stable"}:
        return None
    joins = event.request.member_id if type(event) is Asked and type(event.request) is JoinGroup else ""
    absent = [one.member_id for one in before.roster if one.joining is None and one.instance_id is None]
    absent = [name for name in absent if name != joins]
    kept = next((name for name in absent if name in after.members), None)
    if kept is not None:
        return f"{kept} did not join in time, and is in generation {after.generation} all the same"
    return HELD if absent else None


def generations_begin_last(before: Coordinator, _event: Any, step: Any) -> str | None:
    """The generation rises when a join phase ends, and not when it begins; it never falls."""
    after: Coordinator = step.state
    if after.generation == before.generation or "Down" in {before.state, after.state}:
        return None
    change = f"the generation goes from {before.generation} to {after.generation}"
    if after.generation < before.generation:
        return change
    if before.state == "Joining" or after.state != "Joining":
        return HELD
    return None if _has_unreadable_member(after) else f"{change} when a rebalance begins"


def new_ids_are_new(before: Coordinator, event: Any, step: Any) -> str | None:
    """A new process gets a member id that no member of the group has."""
    if type(event) is not Asked or type(event.request) is not JoinGroup or event.request.member_id:
        return None
    if _find_error(step, event.token) not in {*ADMITS, Error.MEMBER_ID_REQUIRED}:
        return None
    replies = (one.response for one in step.effects if type(one) is Reply and one.token == event.token)
    given = [response.member_id for response in replies if type(response) is JoinGroupResponse]
    given += [one.member_id for one in step.state.roster if one.joining == event.token]
    twice = next((name for name in given if name in before.members or name in before.pending), None)
    if twice is not None:
        return f"a new process gets the id {twice}, which a member has"
    return HELD if given else None


def joins_begin_rebalances(before: Coordinator, event: Any, step: Any) -> str | None:
    """A new member, a leader, or a member with other metadata that joins a stable group begins a rebalance."""
    if type(event) is not Asked or type(event.request) is not JoinGroup or before.state != "Stable":
        return None
    request, after = event.request, step.state
    known = before.members.get(request.member_id)
    returns = request.instance_id is not None and any(
        one.instance_id == request.instance_id for one in before.roster
    )
    if _find_error(step, event.token) not in ADMITS or (returns and known is None):
        return None
    leads = known is not None and before.leader == known.member_id
    if known is not None and not leads and known.protocols == request.protocols:
        return None
    if after.state != "Stable" or after.generation != before.generation:
        return HELD
    who = "a new member" if known is None else f"the leader {known.member_id}" if leads else known.member_id
    return f"{who} joins a stable group, and no rebalance begins"


def waits_are_limited(before: Coordinator, event: Any, step: Any) -> str | None:
    """A timer ends each wait for members: for a new one, for JoinGroup when a rebalance begins, and for SyncGroup when a generation does."""
    after: Coordinator = step.state
    joins = type(event) is Asked and type(event.request) is JoinGroup
    new = after.members.keys() - before.members.keys() if joins else ()
    awaited: list[Any] = [("session", name) for name in sorted(new)]
    if after.state == "Joining" != before.state and not _has_unreadable_member(after):
        awaited.append("rebalance")
    if after.unsynced and after.generation != before.generation:
        awaited.append("sync")
    if not awaited:
        return None
    timers = {one.key for one in step.effects if type(one) is SetTimer}
    missing = next((key for key in awaited if key not in timers), None)
    if missing is not None:
        return f"the coordinator waits for members without the timer {missing if type(missing) is str else ' of '.join(missing)}"
    return HELD


def _has_unreadable_member(coordinator: Coordinator) -> bool:
    """Return True if metadata may end a join phase without an answer (KAFKA-20570)."""
    return any(one.metadata == UNREADABLE for member in coordinator.roster for one in member.protocols)


def retired_coordinators_refuse(before: Coordinator, step: Any) -> str | None:
    """A coordinator that another one replaces refuses every parked request, and says to no member that it is unknown."""
    parked = {one.joining for one in before.roster} | {one.syncing for one in before.roster}
    parked |= {one.token for one in before.waiting}
    parked -= {None, ANSWERED}
    errors = {one.token: one.response.error for one in step.effects if type(one) is Reply}
    if parked - errors.keys():
        return "a coordinator that another one replaces does not answer a parked request"
    wrong = {Error.NONE, Error.UNKNOWN_MEMBER_ID, Error.ILLEGAL_GENERATION, Error.FENCED_INSTANCE_ID}
    for token in sorted(parked, key=repr):
        if errors[token] in wrong:
            return f"a coordinator that another one replaces answers a parked request by {errors[token].name}"
    return HELD if parked else None


OF_MEMBERSHIP: tuple[Callable[[Coordinator, Any, Any], str | None], ...] = (
    refused_for_a_cause,
    strangers_are_refused,
    leaving_ends_membership,
    absent_members_are_dropped,
    generations_begin_last,
    new_ids_are_new,
    joins_begin_rebalances,
    waits_are_limited,
)
