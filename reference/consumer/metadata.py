"""Give topics' partitions in ranges, by the racks in the host names of members and brokers.

A member sends its host name as user data, and topics have the host names of their replicas. ``rack.from.host`` of the configuration
finds the rack in each name. The rest is as in consumer/range (KIP-881), with the same known defects. Given racks count too;
without a match, the rack is unknown.

The module also reads the claims and the generation of a member from its subscription, as the sticky assignors do. If a group has no
user data, a member sends what its own assignor would send. Given user data are decoded as in Kafka: StickyAssignor tries version 1, then
version 0, and reads no claims if both fail. Further bytes may follow.

Source: the client-side assignment proposal, metadata-based assignment; KIP-881; StickyAssignor.memberData and
CooperativeStickyAssignor.memberData of Kafka 3.4 to 4.4; protocol.types.Schema.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from struct import Struct, error

from kassay.model import Assignment, Assignor, Group, Member, TopicPartition
from kassay.model.hosts import locate_racks
from kassay.reference.consumer import range as by_range

_INT16, _INT32 = Struct(">h"), Struct(">i")


@dataclass(frozen=True, slots=True)
class MemberData:
    """The claims of a member, and their generation, None if it is unknown. A partition may be repeated or below 0."""

    partitions: Sequence[TopicPartition]
    generation: int | None


_NOTHING = MemberData((), None)


def read_sticky_data(member: Member) -> MemberData:
    """Return what StickyAssignor reads: the user data alone."""
    if member.user_data is None:
        return MemberData(member.owned, member.generation)
    try:
        claims, end = _previous_assignment(member.user_data)
    except (error, ValueError):
        return _NOTHING
    generation = member.user_data[end : end + _INT32.size]
    return MemberData(claims, _INT32.unpack(generation)[0] if len(generation) == _INT32.size else None)


def read_cooperative_data(member: Member) -> MemberData:
    """Return what CooperativeStickyAssignor reads: the fields of the subscription, or the generation in the user data."""
    if member.generation is not None or member.user_data is None:
        return MemberData(member.owned, member.generation)
    data = member.user_data
    return MemberData(member.owned, _INT32.unpack_from(data)[0] if len(data) >= _INT32.size else None)


def _previous_assignment(data: bytes) -> tuple[list[TopicPartition], int]:
    """Read an array of topics, each with an array of partitions, and where it ends; raises ValueError or struct.error."""
    topics, at = _length(_INT32, data, 0)
    claims = []
    for _ in range(topics):
        size, at = _length(_INT16, data, at)
        topic = data[at : at + size].decode(errors="replace")
        count, at = _length(_INT32, data, at + size)
        claims += [
            TopicPartition(topic, number) for (number,) in _INT32.iter_unpack(_cut(data, at, 4 * count))
        ]
        at += 4 * count
    return claims, at


def _length(kind: Struct, data: bytes, at: int) -> tuple[int, int]:
    """Read a length, which must not be below 0 nor more than the bytes that follow, and where these begin."""
    (length,) = kind.unpack_from(data, at)
    at += kind.size
    if not 0 <= length <= len(data) - at:
        raise ValueError(f"no length: {length}")
    return length, at


def _cut(data: bytes, at: int, size: int) -> bytes:
    if size > len(data) - at:
        raise ValueError(f"too short for {size} bytes")
    return data[at : at + size]


def assign(group: Group) -> Assignment:
    """Find the racks in the host names and assign as range does."""
    return by_range.assign(locate_racks(group))


METADATA = Assignor(
    "consumer/metadata",
    assign,
    by_range.RANGE.promises,
    "Client-side assignment proposal, metadata-based assignment; KIP-881",
    by_range.RANGE.except_in,
    limits=frozenset({"balanced", "locally_balanced"}),
)
