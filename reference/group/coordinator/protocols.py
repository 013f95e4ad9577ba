"""Which protocol a generation uses: one that all its members support."""

from collections import Counter

from kassay.reference.group.coordinator.draft import Draft
from kassay.reference.group.coordinator.member import Member
from kassay.reference.group.messages import Metadata, Protocol
from kassay.reference.java.hash_map import hash_order
from kassay.reference.java.strings import string_hash


def supports(draft: Draft, protocol_type: str, protocols: tuple[Protocol, ...]) -> bool:
    """Tell whether a member may join with these protocols: one of them is supported by every member there is."""
    if draft.empty:
        return bool(protocol_type and protocols)
    if protocol_type != draft.protocol_type:
        return False
    members = draft.members.values()
    return any(
        all(any(own.name == offered.name for own in member.protocols) for member in members)
        for offered in protocols
    )


def chosen(draft: Draft) -> str:
    """Return the protocol with the most votes: each member votes for the first of its own that all support.

    Ties go to the leader's preference; Kafka leaves them to the order of a HashMap.
    """
    members = list(draft.members.values())
    if len(members) == 1:
        return members[0].protocols[0].name
    shared = set.intersection(*({protocol.name for protocol in member.protocols} for member in members))
    votes = Counter(
        next(protocol.name for protocol in member.protocols if protocol.name in shared) for member in members
    )
    most = max(votes.values())
    tied = [name for name in votes if votes[name] == most]
    if len(tied) == 1:
        return tied[0]
    if draft.behaviour.ties_by_hash:
        return next(name for name in hash_order(votes, string_hash) if name in tied)
    leader = draft.members[draft.leader or members[0].member_id]
    return next(protocol.name for protocol in leader.protocols if protocol.name in tied)


def metadata(member: Member, protocol: str | None) -> Metadata:
    """Return what a member says of itself for a protocol that it supports."""
    return next(own.metadata for own in member.protocols if own.name == protocol)
