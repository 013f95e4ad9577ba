"""How a member ends: it loses its place, fails, or leaves.

Source: AbstractCoordinator.resetStateAndRejoin and maybeLeaveGroup; KIP-345 for static members, which never leave of themselves.
"""

from msgspec.structs import replace

from kassay.reference.group.events import CancelTimer, Send
from kassay.reference.group.member.application import Failed, Lose
from kassay.reference.group.member.state import Effects, Member
from kassay.reference.group.messages import Error, LeaveGroup, LeavingMember


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
