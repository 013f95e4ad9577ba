"""The requests of a member that finds its coordinator, joins and leaves, and the leader, which assigns and detects changes.

Source: AbstractCoordinator.JoinGroupResponseHandler, ConsumerCoordinator.onLeaderElected and rejoinNeededOrPending of kafka-clients 4.4.
KIP-814 for static leaders; KIP-881 for racks; step 4a of the client-side assignment proposal for a leader that assigns again.

Also AbstractCoordinator.lookupCoordinator, resetStateAndRejoin and maybeLeaveGroup; KIP-345 for static members, which never send LeaveGroup.
"""

from msgspec.structs import replace

from kassay.model import AssignorError
from kassay.reference.group.member.state import Asking, Choosing, Effects, Failed, Lose, Member
from kassay.reference.group.messages import (
    CancelTimer,
    Error,
    FindCoordinator,
    FindCoordinatorResponse,
    JoinGroup,
    JoinGroupResponse,
    LeaveGroup,
    LeavingMember,
    Request,
    Send,
    SetTimer,
)

ANY_NODE = FindCoordinator()
"""The request for the coordinator, which is the same for all members."""
MOVED = frozenset({Error.NOT_COORDINATOR, Error.COORDINATOR_NOT_AVAILABLE})
"""Errors after which the coordinator is looked for anew."""
MOST_DOUBLED = 16
"""The number of attempts after which the waiting time no longer doubles."""


def ask(member: Member, kind: str, request: Request, out: Effects) -> Member:
    """Send the one request for finding, joining or synchronising that may be under way."""
    number = member.tokens
    token = (kind, number)
    out.append(Send(token, request, member.node))
    return replace(member, asked=token, tokens=number + 1)


def find(member: Member, out: Effects) -> Member:
    """Ask any node for the coordinator."""
    return ask(replace(member, node=None), "find", ANY_NODE, out)


def handle_coordinator(member: Member, response: FindCoordinatorResponse, out: Effects) -> Member:
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
    """End the member with an error; only a fenced member has no id left with which to leave."""
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
    """Send LeaveGroup for a dynamic member if the coordinator is known, without waiting for the answer."""
    if member.config.instance_id is not None or not member.member_id or member.node is None:
        return member
    number = member.tokens
    out.append(Send(("leave", number), LeaveGroup(members=(LeavingMember(member.member_id),)), member.node))
    return replace(member, tokens=number + 1)


def join(member: Member, out: Effects) -> Member:
    """Ask to be in the next generation, once the coordinator is known."""
    config, use = member.config, member.use
    member = replace(member, phase="Joining", given=False, overdue=False)
    out.append(CancelTimer("heartbeat"))
    if member.node is None:
        return member
    asking = Asking(
        member.subscription, member.cluster, member.owned, member.generation, member.had, member.had_in
    )
    protocols = use.protocols(asking)
    request = JoinGroup(
        member_id=member.member_id,
        instance_id=config.instance_id,
        client_id=config.client_id,
        session_timeout_ms=config.session_timeout_ms,
        rebalance_timeout_ms=config.rebalance_timeout_ms,
        protocol_type=use.protocol_type,
        protocols=protocols,
        known_id_required=config.known_id_required,
    )
    supports = tuple(protocol.name for protocol in protocols)
    joined_as = use.joined_as(member.subscription, member.cluster)
    return ask(replace(member, supports=supports, joined_as=joined_as), "join", request, out)


def handle_join(member: Member, response: JoinGroupResponse, out: Effects) -> Member:
    """Take the place in the generation, as its leader or not, or do what the error demands."""
    error = response.error
    if error is Error.NONE:
        return _takes_its_place(member, response, out)
    if error is Error.MEMBER_ID_REQUIRED:
        return replace(member, member_id=response.member_id, generation=-1)
    if error is Error.UNKNOWN_MEMBER_ID:
        return lose(member, out)
    if error in MOVED:
        return wait(replace(member, node=None), out)
    if error is Error.COORDINATOR_LOAD_IN_PROGRESS:
        return wait(member, out)
    if error is Error.REBALANCE_IN_PROGRESS:
        return member
    return fail(member, error, out)


def joined_late(member: Member, response: JoinGroupResponse, out: Effects) -> Member:
    """Take an answer that comes when the member has lost its place meanwhile: it joins anew, after a while where that was no refusal."""
    if response.error is Error.NONE:
        return wait(member, out)
    return member if response.error is Error.UNKNOWN_MEMBER_ID else handle_join(member, response, out)


def _takes_its_place(member: Member, response: JoinGroupResponse, out: Effects) -> Member:
    use = member.use
    if response.protocol_type not in (None, use.protocol_type) or response.protocol not in member.supports:
        return fail(member, Error.INCONSISTENT_GROUP_PROTOCOL, out)
    out.append(SetTimer("heartbeat", member.config.heartbeat_ms))
    member = replace(
        member,
        phase="Syncing",
        generation=response.generation,
        member_id=response.member_id,
        protocol=response.protocol,
        is_leader=response.leader == response.member_id,
        members=response.members,
        states=(),
        failure=Error.NONE,
        watched=None,
        attempts=0,
        rejoins=False,
    )
    if not member.is_leader:
        return member
    return only_watch(member) if response.skip_assignment else assign(member, out)


# The leader


def prepare_choice(member: Member) -> Choosing:
    """Return what the leader assigns by at the moment."""
    assert member.protocol is not None
    return Choosing(
        member.protocol,
        member.member_id,
        member.members,
        member.subscription,
        member.cluster,
        member.states,
    )


def only_watch(member: Member) -> Member:
    """Leave the states as they are, as a static leader is told that comes back (KIP-814)."""
    return replace(member, watched=member.use.watched(prepare_choice(member)))


def assign(member: Member, out: Effects) -> Member:
    """Choose the states of all members as their leader, or find out that it cannot be done."""
    choice = prepare_choice(member)
    member = replace(member, phase="Syncing", watched=member.use.watched(choice))
    try:
        states = member.use.assign(choice)
    except AssignorError:
        if not member.config.manner.sends_errors:
            return fail(member, Error.ASSIGNMENT_FAILED, out)
        return replace(member, states=(), failure=Error.ASSIGNMENT_FAILED)
    return replace(member, states=states, failure=Error.NONE)


def look(member: Member, out: Effects) -> Member:
    """See whether what has changed makes a member join again, or the leader assign again; not before it knows its coordinator."""
    if member.phase != "Stable" or member.rejoins or member.node is None:
        return member
    use = member.use
    if use.joined_as(member.subscription, member.cluster) != member.joined_as:
        return replace(member, rejoins=True)
    if not member.is_leader or use.watched(prepare_choice(member)) == member.watched:
        return member
    resync = member.config.manner.resync
    if resync == "never" or not member.states:
        return replace(member, rejoins=True)
    anew = assign(member, out)
    if resync == "unmoved":
        owner = {item: name for name, state in member.states for item in use.items(state)}
        if any(owner.get(item, name) != name for name, state in anew.states for item in use.items(state)):
            return replace(member, rejoins=True)
    return anew
