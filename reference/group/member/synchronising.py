"""How a member learns its state.

Source: AbstractCoordinator.SyncGroupResponseHandler of kafka-clients 4.4; "Handling Coordinator Failures" of the proposal.
"""

from msgspec.structs import replace

from kassay.reference.group.member.asking import MOVED, ask, wait
from kassay.reference.group.member.heartbeat import beat
from kassay.reference.group.member.losing import fail, lose
from kassay.reference.group.member.owning import take_up
from kassay.reference.group.member.state import Effects, Member
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
