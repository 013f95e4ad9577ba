"""What a member does in any phase: it asks, waits a while, looks for its coordinator, loses its place, fails or leaves.

Source: AbstractCoordinator.lookupCoordinator, resetStateAndRejoin and maybeLeaveGroup of kafka-clients 4.4; KIP-345 for static members, which never leave of themselves.
"""

from msgspec.structs import replace

from kassay.reference.group.events import CancelTimer, Send, SetTimer
from kassay.reference.group.member.application import Failed, Lose
from kassay.reference.group.member.state import Effects, Member
from kassay.reference.group.messages import (
    Error,
    FindCoordinator,
    FindCoordinatorResponse,
    LeaveGroup,
    LeavingMember,
    Request,
)

ANY_NODE = FindCoordinator()
"""The request for the coordinator, which is the same for all members."""
MOVED = frozenset({Error.NOT_COORDINATOR, Error.COORDINATOR_NOT_AVAILABLE})
"""Errors after which the coordinator is looked for anew."""
MOST_DOUBLED = 16
"""From so many attempts on the time to wait is not doubled any more, whatever its limit."""


def ask(member: Member, kind: str, request: Request, out: Effects) -> Member:
    """Send the one request for finding, joining or synchronising that may be under way."""
    number = member.tokens
    token = (kind, number)
    out.append(Send(token, request, member.node))
    return replace(member, asked=token, tokens=number + 1)


def find(member: Member, out: Effects) -> Member:
    """Ask any node for the coordinator."""
    return ask(replace(member, node=None), "find", ANY_NODE, out)


def found(member: Member, response: FindCoordinatorResponse, out: Effects) -> Member:
    """Take the coordinator that a node names, or wait and ask again."""
    if response.error is Error.NONE and response.node is not None:
        return replace(member, node=response.node)
    return wait(member, out)


def wait(member: Member, out: Effects) -> Member:
    """Let a while pass before the next attempt, twice as long each time."""
    config = member.config
    out.append(SetTimer("retry", min(config.retry_max_ms, config.retry_ms << member.attempts)))
    return replace(member, waits=True, attempts=min(member.attempts + 1, MOST_DOUBLED))


# How it ends


def lose(member: Member, out: Effects, *, keeps_id: bool = False) -> Member:
    """Be in no generation any more, own nothing, and join again; the id may still be known to the coordinator."""
    if member.owned:
        out.append(Lose(member.owned))
    out.append(CancelTimer("heartbeat"))
    closes = member.phase == "Revoking" and member.after == "leave"
    return replace(
        member,
        phase="Closed" if closes else "Unjoined",
        member_id=member.member_id if keeps_id else "",
        generation=-1,
        protocol=None,
        is_leader=False,
        owned=(),
        members=(),
        states=(),
        failure=Error.NONE,
        watched=None,
        state=None,
        given=False,
        rejoins=True,
        revoking=(),
        lease=None,
        overdue=False,
        prepared=False,
    )


def fail(member: Member, error: Error, out: Effects) -> Member:
    """Tell the application that the member cannot go on; only a fenced one has no id left to leave with."""
    member = lose(member, out, keeps_id=error is not Error.FENCED_INSTANCE_ID)
    out.append(CancelTimer("retry"))
    out.append(Failed(error))
    return replace(member, phase="Failed", waits=False)


def leave(member: Member, out: Effects) -> Member:
    """Leave the group for good, once nothing is owned."""
    member = lose(ask_to_leave(member, out), out)
    out.append(CancelTimer("retry"))
    return replace(member, phase="Closed", waits=False)


def ask_to_leave(member: Member, out: Effects) -> Member:
    """Tell the coordinator, if it is known, that a dynamic member goes; nobody waits for the answer."""
    if member.config.instance_id is not None or not member.member_id or member.node is None:
        return member
    number = member.tokens
    out.append(Send(("leave", number), LeaveGroup(members=(LeavingMember(member.member_id),)), member.node))
    return replace(member, tokens=number + 1)
