"""Invariants of single steps in which a member leaves, or returns as a static member.

Each function gets the machine before the step, the event and the step, as in :mod:`kassay.protocol.simulation.invariants.steps`.
"""

from collections.abc import Callable
from typing import Any

from kassay.protocol.simulation.invariants import HELD
from kassay.reference.group.coordinator import Coordinator
from kassay.reference.group.coordinator.state import ANSWERED
from kassay.reference.group.coordinator.state import Member as KnownMember
from kassay.reference.group.member.generation import IN_GENERATION
from kassay.reference.group.member.state import DONE, Closed
from kassay.reference.group.messages import Alarm, Asked, Error, JoinGroup, LeaveGroup, Reply, Send


def _find_replaced(before: Coordinator, event: Any, step: Any) -> KnownMember | None:
    """Return the static member whose place a new process of its instance id takes in this step."""
    if type(event) is not Asked or type(event.request) is not JoinGroup:
        return None
    request = event.request
    if request.instance_id is None or request.member_id:
        return None
    for member in before.roster:
        if member.instance_id == request.instance_id and member.member_id not in step.state.members:
            return member
    return None


def static_restarts_are_quiet(before: Coordinator, event: Any, step: Any) -> str | None:
    """A static member that returns to a stable group with the same protocols does not begin a rebalance (KIP-345)."""
    old = _find_replaced(before, event, step)
    if old is None or before.state != "Stable":
        return None
    after: Coordinator = step.state
    names = [[one.name for one in protocols] for protocols in (old.protocols, event.request.protocols)]
    if names[0] != names[1]:
        return None
    if (after.state, after.generation) == (before.state, before.generation):
        return HELD
    return f"the static member {old.instance_id} returns to a stable group, and a rebalance begins"


def replaced_process_is_fenced(before: Coordinator, event: Any, step: Any) -> str | None:
    """If a new process of an instance id joins, the parked request of the older process is answered by FENCED_INSTANCE_ID."""
    old, result = _find_replaced(before, event, step), None
    if old is None:
        return None
    for kind, token in (("JoinGroup", old.joining), ("SyncGroup", old.syncing)):
        if token is None or token in {ANSWERED, event.token}:
            continue
        result = HELD
        errors = {one.response.error for one in step.effects if type(one) is Reply and one.token == token}
        if errors != {Error.FENCED_INSTANCE_ID}:
            return f"the parked {kind} of {old.member_id} is not fenced, though a new process has its instance id {old.instance_id}"
    return result


def _find_leaves(step: Any) -> list[LeaveGroup]:
    return [one.request for one in step.effects if type(one) is Send and type(one.request) is LeaveGroup]


def static_members_do_not_leave(before: Any, event: Any, step: Any) -> str | None:
    """A static member never sends LeaveGroup, so that it can return without a rebalance (KIP-345)."""
    instance = before.config.instance_id
    if instance is None:
        return None
    if _find_leaves(step):
        return f"the static member {instance} sends LeaveGroup"
    return HELD if _closes(before, event, step) or _is_late(before, event) else None


def dynamic_members_leave(before: Any, event: Any, step: Any) -> str | None:
    """A dynamic member sends LeaveGroup if it is closed, or does not poll in time, as far as it has an id and knows its coordinator."""
    if before.config.instance_id is not None or not before.member_id or before.node is None:
        return None
    late = _is_late(before, event)
    if not late and not _closes(before, event, step):
        return None
    named = {one.member_id for request in _find_leaves(step) for one in request.members}
    why = "does not poll in time" if late else "is closed"
    return HELD if before.member_id in named else f"{before.member_id} {why} and sends no LeaveGroup"


def _closes(before: Any, event: Any, step: Any) -> bool:
    """Return True if a member is closed by a step, and has given up its items."""
    closes = step.state.phase == "Closed" or (type(event) is Closed and not _revokes(step.state))
    return before.phase != "Closed" and closes


def _is_late(before: Any, event: Any) -> bool:
    """Return True if a member in a generation did not poll in time."""
    return type(event) is Alarm and event.key == "poll" and before.stalled and before.phase in IN_GENERATION


def _revokes(member: Any) -> bool:
    """Return True if a member that is closed still waits until its application has given up its items."""
    return bool(member.phase == "Revoking" and member.after == "leave")


def leaving_ends_work(before: Any, event: Any, step: Any) -> str | None:
    """A member that leaves or is closed owns nothing and is in no generation, and a closed member sends nothing more."""
    after = step.state
    leaves = bool(_find_leaves(step)) or after.phase == "Closed"
    leaves = leaves or (type(event) is Closed and before.phase not in DONE and not _revokes(after))
    if leaves and after.owned:
        return f"{before.member_id or 'a member'} leaves and goes on with {after.owned[0]}"
    if leaves and after.generation >= 0:
        return f"{before.member_id or 'a member'} leaves and stays in generation {after.generation}"
    sent = [type(one.request) for one in step.effects if type(one) is Send]
    if before.phase == "Closed" and (after.phase != "Closed" or sent):
        return "a closed member goes on"
    if after.phase == "Closed" and LeaveGroup in sent[:-1]:
        return f"{before.member_id} sends {sent[-1].__name__} after its LeaveGroup"
    return HELD if leaves or before.phase == "Closed" else None


OF_COORDINATORS: tuple[Callable[[Coordinator, Any, Any], str | None], ...] = (
    static_restarts_are_quiet,
    replaced_process_is_fenced,
)
OF_MEMBERS: tuple[Callable[[Any, Any, Any], str | None], ...] = (
    static_members_do_not_leave,
    dynamic_members_leave,
    leaving_ends_work,
)
