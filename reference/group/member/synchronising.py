"""How a member learns its state and takes it up: what it begins with, what it gives up first, and what it gives up before it joins again.

Source: AbstractCoordinator.SyncGroupResponseHandler, ConsumerCoordinator.onJoinComplete and onJoinPrepare of kafka-clients 4.4; KIP-429 for what cooperative
members keep; "Handling Coordinator Failures" of the proposal.
"""

from collections.abc import Hashable

from msgspec.structs import replace

from kassay.reference.group.member.application import Items, Lose, Own, Revoke
from kassay.reference.group.member.asking import MOVED, ask, fail, leave, lose, wait
from kassay.reference.group.member.joining import join, look
from kassay.reference.group.member.state import After, Effects, Member
from kassay.reference.group.member.staying import beat
from kassay.reference.group.messages import Error, SyncGroup, SyncGroupResponse

LOST = frozenset({Error.UNKNOWN_MEMBER_ID, Error.ILLEGAL_GENERATION})
"""Errors that say that the member is not in the generation in which it thinks it is."""


def sync(member: Member, out: Effects) -> Member:
    """Ask for the state, and as the leader tell those of all."""
    request = SyncGroup(
        generation=member.generation,
        member_id=member.member_id,
        instance_id=member.config.instance_id,
        protocol_type=member.use.protocol_type,
        protocol=member.protocol,
        states=member.states,
        error=member.failure,
    )
    return ask(member, "sync", request, out)


def synced(member: Member, response: SyncGroupResponse, out: Effects) -> Member:
    """Take up the state as soon as that may be, or do what the error demands."""
    error = response.error
    if error is Error.NONE:
        if response.protocol not in (None, member.protocol):
            return fail(member, Error.INCONSISTENT_GROUP_PROTOCOL, out)
        member = replace(member, state=response.state, given=True, attempts=0)
        return beat(member, out) if member.use.leased else take_up(member, out)
    if error in LOST:
        return lose(member, out, keeps_id=error is Error.ILLEGAL_GENERATION)
    loads = error is Error.COORDINATOR_LOAD_IN_PROGRESS and member.config.manner.resends_sync
    if error in MOVED or error is Error.REBALANCE_IN_PROGRESS or loads:
        return resend(member, error, out)
    return fail(member, error, out)


def synced_late(member: Member, response: SyncGroupResponse, out: Effects) -> Member:
    """Take an answer that comes when the member has lost its place meanwhile: no state is taken up any more."""
    error = response.error
    if error is Error.NONE or error in LOST or error is Error.REBALANCE_IN_PROGRESS:
        return member
    return synced(member, response, out)


def resend(member: Member, error: Error, out: Effects) -> Member:
    """Ask again after an answer that is none: for the same state, or as Kafka's members do for another generation."""
    rebalances = error is Error.REBALANCE_IN_PROGRESS
    again = member.config.manner.resends_sync and not rebalances
    member = replace(member, node=None if error in MOVED else member.node, rejoins=not again)
    return member if rebalances else wait(member, out)


# What it owns


def take_up(member: Member, out: Effects) -> Member:
    """Take up the state that was given, if the application polls and the lease runs; first give up what is not in it."""
    use = member.use
    if member.stalled or (use.leased and member.lease is None):
        return member
    items = use.items(member.state)
    if not use.fits(member.subscription, member.cluster, items):
        return replace(member, phase="Stable", given=False, rejoins=True, prepared=False)
    gone = tuple(item for item in member.owned if item not in items)
    if gone:
        member = replace(member, rejoins=member.rejoins or use.cooperative)
        return revoke(member, gone, "adopt", out)
    return own(member, out)


def own(member: Member, out: Effects) -> Member:
    """Take up the state that was given: begin with what is new in it, when all that is not in it was given up."""
    items = member.use.items(member.state)
    added = tuple(item for item in items if item not in member.owned)
    if added:
        out.append(Own(added))
    taken = replace(
        member, phase="Stable", given=False, prepared=False, owned=items, had=items, had_in=member.generation
    )
    return look(taken, out)


def revoke(member: Member, items: Items, after: After, out: Effects) -> Member:
    """Have the application give up some items, and go on at once or when it has."""
    out.append(Revoke(items))
    member = replace(member, phase="Revoking", revoking=items, after=after)
    return member if member.config.waits_for_revocation else revoked(member, out)


def revoked(member: Member, out: Effects) -> Member:
    """Go on with what the items were given up for."""
    left = tuple(item for item in member.owned if item not in member.revoking)
    member = replace(member, owned=left, revoking=())
    if member.after == "join":
        return join(member, out)
    return leave(member, out) if member.after == "leave" else own(member, out)


def rejoin(member: Member, out: Effects) -> Member:
    """Give up all, or as a cooperative member what is no longer subscribed to, and then join; once only until it has joined."""
    use, owned = member.use, member.owned
    if member.prepared:
        return join(member, out)
    member = replace(member, prepared=True)
    kept = use.retained(member.subscription, member.cluster, owned) if use.cooperative and owned else ()
    if len(kept) < len(owned):
        return revoke(member, tuple(item for item in owned if item not in kept), "join", out)
    return join(member, out)


def lease_ended(member: Member, key: Hashable, out: Effects) -> Member:
    """Stop working when the coordinator has not answered for so long that it may have counted the member out.

    The member begins again when a heartbeat shows that it is still counted in; an answer to this one comes too late for that.
    """
    if key == ("lease", member.beat):
        return replace(member, beat=None, node=None)
    if key != ("lease", member.lease):
        return member
    if member.owned:
        out.append(Lose(member.owned))
    member = replace(member, lease=None, owned=())
    if member.phase == "Revoking":
        return revoked(member, out)
    return replace(member, phase="Syncing", given=True) if member.phase == "Stable" else member
