"""What the leader of a generation does: it assigns, and watches whether it should have done so otherwise.

Source: ConsumerCoordinator.onLeaderElected and rejoinNeededOrPending; KIP-814 for static leaders; KIP-881 for racks; 4a of the client-side
assignment proposal for a leader that assigns again in the same generation.
"""

from msgspec.structs import replace

from kassay.model import AssignorError
from kassay.reference.group.member.losing import fail
from kassay.reference.group.member.state import Effects, Member
from kassay.reference.group.member.use import Choosing, States, Use
from kassay.reference.group.messages import Error


def choosing(member: Member) -> Choosing:
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
    return replace(member, watched=member.use.watched(choosing(member)))


def assign(member: Member, out: Effects) -> Member:
    """Choose the states of all members as their leader, or find out that it cannot be done."""
    choice = choosing(member)
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
    if not member.is_leader or use.watched(choosing(member)) == member.watched:
        return member
    resync = member.config.manner.resync
    if resync == "never" or not member.states:
        return replace(member, rejoins=True)
    anew = assign(member, out)
    if resync == "unmoved" and _moves(use, member.states, anew.states):
        return replace(member, rejoins=True)
    return anew


def _moves(use: Use, before: States, after: States) -> bool:
    """Say whether an item goes from one member to another."""
    owner = {item: name for name, state in before for item in use.items(state)}
    return any(owner.get(item, name) != name for name, state in after for item in use.items(state))
