"""Which protocol a generation uses, one that all its members support; and whether metadata of type "consumer" can be read.

Of such metadata the coordinator reads the topics alone, as a subscription of version 0, with which all versions begin. The version before it
does not count, even if it is negative. What ends where a number should stand is passed over, and the other members are not read any more; what announces more than there is, or less
than nothing, is an error of another kind, which Kafka before 4.4.0 did not expect.

>>> reading(bytes.fromhex("0001" "00000001" "0001" "74" "ffffffff"))
'read'
>>> reading(bytes.fromhex("0001" "0000")), reading(bytes.fromhex("0001" "ffffffff"))
('passed over', 'stops')

Source: ClassicGroup.selectProtocol and computeSubscribedTopics of kafka-group-coordinator 3.9.2, 4.1.2 and 4.3.1; the latter on 35 kinds of bytes.
"""

from collections import Counter
from collections.abc import Collection
from typing import Literal, TypeAlias

from kassay.reference.group.coordinator.state import Member
from kassay.reference.group.messages import UNREADABLE, Metadata, Protocol
from kassay.reference.java.hash_map import hash_order
from kassay.reference.java.strings import string_hash

READ: Literal["read"] = "read"
PASSED_OVER: Literal["passed over"] = "passed over"
STOPS: Literal["stops"] = "stops"
Reading: TypeAlias = Literal["read", "passed over", "stops"]


def supports(members: Collection[Member], protocols: tuple[Protocol, ...]) -> bool:
    """Tell whether one of these protocols is supported by every member there is."""
    return any(
        all(any(own.name == offered.name for own in member.protocols) for member in members)
        for offered in protocols
    )


def chosen(members: list[Member], leader: Member, *, ties_by_hash: bool) -> str:
    """Return the protocol with the most votes: each member votes for the first of its own that all support.

    Ties go to the leader's preference; Kafka leaves them to the order of a HashMap.
    """
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
    if ties_by_hash:
        return next(name for name in hash_order(votes, string_hash) if name in tied)
    return next(protocol.name for protocol in leader.protocols if protocol.name in tied)


def metadata(member: Member, protocol: str | None) -> Metadata:
    """Return what a member says of itself for a protocol that it supports."""
    return next(own.metadata for own in member.protocols if own.name == protocol)


def reading(metadata: Metadata) -> Reading:
    """Return how a member's metadata are read; those that are no bytes are, but for UNREADABLE."""
    if metadata == UNREADABLE:
        return STOPS
    return _read(metadata) if isinstance(metadata, bytes) else READ


def _read(data: bytes) -> Reading:
    at = 0

    def number(size: int) -> int | None:
        nonlocal at
        taken = data[at : at + size]
        at += size
        return int.from_bytes(taken, signed=True) if len(taken) == size else None

    version, topics = number(2), number(4)
    if version is None or topics is None:
        return PASSED_OVER
    if not 0 <= topics <= len(data) - at:
        return STOPS
    for _ in range(topics):
        length = number(2)
        if length is None:
            return PASSED_OVER
        if not 0 <= length <= len(data) - at:
            return STOPS
        at += length
    length = number(4)
    if length is None:
        return PASSED_OVER
    return STOPS if length > len(data) - at else READ
