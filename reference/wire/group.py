"""JoinGroup and SyncGroup, requests and responses, without the headers of the connection.

>>> asked = JoinGroupRequest("orders", 45_000, protocol_type="consumer", protocols=(Protocol("range", b""),))
>>> JOIN_GROUP_REQUEST.read(JOIN_GROUP_REQUEST.write(asked, PROPOSED), PROPOSED) == asked
True

Version 0 is, byte by byte, that of the client-side assignment proposal. (Its list of the response's fields lacks the protocol, which its grammar
has; an error of the leader in SyncGroup, which its text mentions, is in no version.) Later versions are Kafka's.
Names and defaults are those of Kafka's schemas. Source: kafka-clients 4.4.0, JoinGroup 0 to 9, SyncGroup 0 to 5.
"""

from typing import Annotated

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
"""The version of the proposal."""
_SINCE_1, _SINCE_2 = (Field(INT32, since=version, ignorable=True) for version in (1, 2))
_INSTANCE = {since: Field(string(null_from=since), since=since) for since in (3, 5)}
_PROTOCOL_NAME = {since: Field(string(null_from=since), since=since, ignorable=True) for since in (5, 7)}


class Protocol(msgspec.Struct, frozen=True):
    """A protocol that a member supports, with its metadata for it."""

    name: Annotated[str, string()] = ""
    metadata: Annotated[bytes, bytes_()] = b""


_PROTOCOLS = array(structure(Protocol), most=MOST_ELEMENTS)


class JoinGroupRequest(msgspec.Struct, frozen=True):
    """A member asks to join, with the protocols it supports, in the order in which it prefers them."""

    group_id: Annotated[str, string()] = ""
    session_timeout_ms: Annotated[int, INT32] = 0
    rebalance_timeout_ms: Annotated[int, _SINCE_1] = -1
    member_id: Annotated[str, string()] = ""
    group_instance_id: Annotated[str | None, _INSTANCE[5]] = None
    protocol_type: Annotated[str, string()] = ""
    protocols: Annotated[tuple[Protocol, ...], _PROTOCOLS] = ()
    reason: Annotated[str | None, Field(string(null_from=8), since=8, ignorable=True)] = None


class JoinedMember(msgspec.Struct, frozen=True):
    """A member in the list for the leader."""

    member_id: Annotated[str, string()] = ""
    group_instance_id: Annotated[str | None, Field(string(null_from=5), since=5, ignorable=True)] = None
    metadata: Annotated[bytes, bytes_()] = b""


_MEMBERS = array(structure(JoinedMember), most=MOST_ELEMENTS)


class JoinGroupResponse(msgspec.Struct, frozen=True):
    """The generation that a member has joined; only the leader is told the members."""

    throttle_time_ms: Annotated[int, _SINCE_2] = 0
    error_code: Annotated[int, INT16] = 0
    generation_id: Annotated[int, INT32] = -1
    protocol_type: Annotated[str | None, _PROTOCOL_NAME[7]] = None
    protocol_name: Annotated[str | None, string(null_from=7)] = ""
    leader: Annotated[str, string()] = ""
    skip_assignment: Annotated[bool, Field(BOOL, since=9)] = False
    member_id: Annotated[str, string()] = ""
    members: Annotated[tuple[JoinedMember, ...], _MEMBERS] = ()


class MemberState(msgspec.Struct, frozen=True):
    """The assignment of a member, as its leader sends it."""

    member_id: Annotated[str, string()] = ""
    assignment: Annotated[bytes, bytes_()] = b""


_STATES = array(structure(MemberState), most=MOST_ELEMENTS)


class SyncGroupRequest(msgspec.Struct, frozen=True):
    """A member asks for its assignment; the leader sends the assignments of all members."""

    group_id: Annotated[str, string()] = ""
    generation_id: Annotated[int, INT32] = 0
    member_id: Annotated[str, string()] = ""
    group_instance_id: Annotated[str | None, _INSTANCE[3]] = None
    protocol_type: Annotated[str | None, _PROTOCOL_NAME[5]] = None
    protocol_name: Annotated[str | None, _PROTOCOL_NAME[5]] = None
    assignments: Annotated[tuple[MemberState, ...], _STATES] = ()


class SyncGroupResponse(msgspec.Struct, frozen=True):
    """The assignment of a member."""

    throttle_time_ms: Annotated[int, _SINCE_1] = 0
    error_code: Annotated[int, INT16] = 0
    protocol_type: Annotated[str | None, _PROTOCOL_NAME[5]] = None
    protocol_name: Annotated[str | None, _PROTOCOL_NAME[5]] = None
    assignment: Annotated[bytes, bytes_()] = b""


JOIN_GROUP_REQUEST: Message[JoinGroupRequest] = Message(structure(JoinGroupRequest), newest=9, flexible=6)
JOIN_GROUP_RESPONSE: Message[JoinGroupResponse] = Message(structure(JoinGroupResponse), newest=9, flexible=6)
SYNC_GROUP_REQUEST: Message[SyncGroupRequest] = Message(structure(SyncGroupRequest), newest=5, flexible=4)
SYNC_GROUP_RESPONSE: Message[SyncGroupResponse] = Message(structure(SyncGroupResponse), newest=5, flexible=4)
