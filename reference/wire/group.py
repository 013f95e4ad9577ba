"""JoinGroup and SyncGroup, requests and responses, without the headers of the connection.

>>> asked = JoinGroupRequest("orders", 45_000, protocol_type="consumer", protocols=(Protocol("range", b""),))
>>> JOIN_GROUP_REQUEST.read(JOIN_GROUP_REQUEST.write(asked, PROPOSED), PROPOSED) == asked
True

Version 0 is, byte by byte, what the client-side assignment proposal gives (its list of the response's fields forgets the protocol,
which its grammar has; an error of the leader in SyncGroup, of which its text speaks, stands in no version). Later ones are today's.
Names and defaults are those of Kafka's schemas. Source: kafka-clients 4.4.0, JoinGroup 0 to 9, SyncGroup 0 to 5.
"""

import msgspec

from kassay.reference.wire.schema import (
    BOOL,
    INT16,
    INT32,
    MOST_ELEMENTS,
    Field,
    Message,
    array,
    bytes_,
    string,
    structure,
)

PROPOSED = 0
"""The version that the proposal describes."""


class Protocol(msgspec.Struct, frozen=True):
    """A protocol that a member supports, with its metadata for it."""

    name: str = ""
    metadata: bytes = b""


class JoinGroupRequest(msgspec.Struct, frozen=True):
    """A member asks to join, with the protocols it supports, in the order in which it prefers them."""

    group_id: str = ""
    session_timeout_ms: int = 0
    rebalance_timeout_ms: int = -1
    member_id: str = ""
    group_instance_id: str | None = None
    protocol_type: str = ""
    protocols: tuple[Protocol, ...] = ()
    reason: str | None = None


class JoinedMember(msgspec.Struct, frozen=True):
    """A member as the leader is told of it."""

    member_id: str = ""
    group_instance_id: str | None = None
    metadata: bytes = b""


class JoinGroupResponse(msgspec.Struct, frozen=True):
    """The generation that a member has joined; only the leader is told the members."""

    throttle_time_ms: int = 0
    error_code: int = 0
    generation_id: int = -1
    protocol_type: str | None = None
    protocol_name: str | None = ""
    leader: str = ""
    skip_assignment: bool = False
    member_id: str = ""
    members: tuple[JoinedMember, ...] = ()


class MemberState(msgspec.Struct, frozen=True):
    """What the leader gives a member."""

    member_id: str = ""
    assignment: bytes = b""


class SyncGroupRequest(msgspec.Struct, frozen=True):
    """A member asks for its state; the leader gives those of all."""

    group_id: str = ""
    generation_id: int = 0
    member_id: str = ""
    group_instance_id: str | None = None
    protocol_type: str | None = None
    protocol_name: str | None = None
    assignments: tuple[MemberState, ...] = ()


class SyncGroupResponse(msgspec.Struct, frozen=True):
    """The state of a member."""

    throttle_time_ms: int = 0
    error_code: int = 0
    protocol_type: str | None = None
    protocol_name: str | None = None
    assignment: bytes = b""


_PROTOCOL = structure(Protocol, Field("name", string()), Field("metadata", bytes_()))
JOIN_GROUP_REQUEST: Message[JoinGroupRequest] = Message(
    structure(
        JoinGroupRequest,
        Field("group_id", string()),
        Field("session_timeout_ms", INT32),
        Field("rebalance_timeout_ms", INT32, since=1, ignorable=True),
        Field("member_id", string()),
        Field("group_instance_id", string(null_from=5), since=5),
        Field("protocol_type", string()),
        Field("protocols", array(_PROTOCOL, most=MOST_ELEMENTS)),
        Field("reason", string(null_from=8), since=8, ignorable=True),
    ),
    newest=9,
    flexible=6,
)
_JOINED = structure(
    JoinedMember,
    Field("member_id", string()),
    Field("group_instance_id", string(null_from=5), since=5, ignorable=True),
    Field("metadata", bytes_()),
)
JOIN_GROUP_RESPONSE: Message[JoinGroupResponse] = Message(
    structure(
        JoinGroupResponse,
        Field("throttle_time_ms", INT32, since=2, ignorable=True),
        Field("error_code", INT16),
        Field("generation_id", INT32),
        Field("protocol_type", string(null_from=7), since=7, ignorable=True),
        Field("protocol_name", string(null_from=7)),
        Field("leader", string()),
        Field("skip_assignment", BOOL, since=9),
        Field("member_id", string()),
        Field("members", array(_JOINED, most=MOST_ELEMENTS)),
    ),
    newest=9,
    flexible=6,
)
_STATE = structure(MemberState, Field("member_id", string()), Field("assignment", bytes_()))
SYNC_GROUP_REQUEST: Message[SyncGroupRequest] = Message(
    structure(
        SyncGroupRequest,
        Field("group_id", string()),
        Field("generation_id", INT32),
        Field("member_id", string()),
        Field("group_instance_id", string(null_from=3), since=3),
        Field("protocol_type", string(null_from=5), since=5, ignorable=True),
        Field("protocol_name", string(null_from=5), since=5, ignorable=True),
        Field("assignments", array(_STATE, most=MOST_ELEMENTS)),
    ),
    newest=5,
    flexible=4,
)
SYNC_GROUP_RESPONSE: Message[SyncGroupResponse] = Message(
    structure(
        SyncGroupResponse,
        Field("throttle_time_ms", INT32, since=1, ignorable=True),
        Field("error_code", INT16),
        Field("protocol_type", string(null_from=5), since=5, ignorable=True),
        Field("protocol_name", string(null_from=5), since=5, ignorable=True),
        Field("assignment", bytes_()),
    ),
    newest=5,
    flexible=4,
)
