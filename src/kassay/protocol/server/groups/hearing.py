"""What clients ask as messages of the reference, and how these are answered: the coordinator's side of :mod:`.saying`. Metadata and states stay bytes."""

from collections.abc import Callable
from typing import Any

from kio.schema.errors import ErrorCode

from kassay.model import TopicPartition
from kassay.protocol.server.answers import AT_ONCE
from kassay.protocol.server.apis import Api, kinds_of, made
from kassay.protocol.server.apis import Request as Sent
from kassay.reference.group.messages import (
    FindCoordinator,
    Heartbeat,
    JoinGroup,
    JoinGroupResponse,
    LeaveGroup,
    LeaveGroupResponse,
    LeavingMember,
    OffsetCommit,
    OffsetCommitResponse,
    Protocol,
    Request,
    Response,
    SyncGroup,
    SyncGroupResponse,
)
from kassay.reference.wire import group as wire

KNOWN_ID, SKIPS = 4, 9
"""From which version of JoinGroup on a new member gets an id first, and a static leader may be told to leave the assignment."""


def heard(sent: Sent) -> Request | None:
    """Return what a client asks of its group; None where it asks for something else."""
    return _HEARD[sent.api](sent) if sent.api in _HEARD else None


def answer_to(sent: Sent, response: Response) -> Any:
    """Return the response to what a client asked of its group, but for FindCoordinator's."""
    return _ANSWERS[sent.api](sent, response)


def coordinator_at(sent: Sent, node: int | None, address: tuple[str, int]) -> Any:
    """Return the response to FindCoordinator: a node at an address, or that none is known."""
    kinds = kinds_of(sent)
    host, port = address if node is not None else ("", -1)
    error = ErrorCode.none if node is not None else ErrorCode.coordinator_not_available
    here = {
        "error_code": error,
        "error_message": None,
        "node_id": -1 if node is None else node,
        "host": host,
        "port": port,
    }
    keys = getattr(sent.body, "coordinator_keys", ())
    found = tuple(made(kinds.Coordinator, key=key, **here) for key in keys)
    return made(kinds.FindCoordinatorResponse, throttle_time=AT_ONCE, coordinators=found, **here)


def _join(sent: Sent) -> JoinGroup:
    body: wire.JoinGroupRequest = sent.body
    rebalance = body.rebalance_timeout_ms if body.rebalance_timeout_ms >= 0 else body.session_timeout_ms
    return JoinGroup(
        member_id=body.member_id,
        instance_id=body.group_instance_id,
        client_id=sent.client_id or "",
        session_timeout_ms=body.session_timeout_ms,
        rebalance_timeout_ms=rebalance,
        protocol_type=body.protocol_type,
        protocols=tuple(Protocol(one.name, bytes(one.metadata)) for one in body.protocols),
        known_id_required=sent.version >= KNOWN_ID,
        skips_assignment=sent.version >= SKIPS,
    )


def _joined(_: Sent, response: JoinGroupResponse) -> wire.JoinGroupResponse:
    members = tuple(
        wire.JoinedMember(one.member_id, one.instance_id, _bytes(one.metadata)) for one in response.members
    )
    return wire.JoinGroupResponse(
        error_code=response.error.value,
        generation_id=response.generation,
        protocol_type=response.protocol_type,
        protocol_name=response.protocol or "",
        leader=response.leader,
        skip_assignment=response.skip_assignment,
        member_id=response.member_id,
        members=members,
    )


def _bytes(value: Any) -> bytes:
    return b"" if value is None else bytes(value)


def _sync(sent: Sent) -> SyncGroup:
    body: wire.SyncGroupRequest = sent.body
    return SyncGroup(
        generation=body.generation_id,
        member_id=body.member_id,
        instance_id=body.group_instance_id,
        protocol_type=body.protocol_type,
        protocol=body.protocol_name,
        states=tuple((one.member_id, bytes(one.assignment)) for one in body.assignments),
    )


def _synced(_: Sent, response: SyncGroupResponse) -> wire.SyncGroupResponse:
    return wire.SyncGroupResponse(
        error_code=response.error.value,
        protocol_type=response.protocol_type,
        protocol_name=response.protocol,
        assignment=_bytes(response.state),
    )


def _beat(sent: Sent) -> Heartbeat:
    body = sent.body
    return Heartbeat(
        generation=int(body.generation_id),
        member_id=body.member_id,
        instance_id=getattr(body, "group_instance_id", None),
    )


def _beaten(sent: Sent, response: Any) -> Any:
    return made(
        kinds_of(sent).HeartbeatResponse, throttle_time=AT_ONCE, error_code=ErrorCode(response.error.value)
    )


def _leave(sent: Sent) -> LeaveGroup:
    body = sent.body
    if hasattr(body, "members"):
        members = tuple(LeavingMember(one.member_id, one.group_instance_id) for one in body.members)
    else:
        members = (LeavingMember(body.member_id),)
    return LeaveGroup(members=members)


def _left(sent: Sent, response: LeaveGroupResponse) -> Any:
    kinds = kinds_of(sent)
    members = tuple(
        made(
            kinds.MemberResponse,
            member_id=one.member_id,
            group_instance_id=one.instance_id,
            error_code=ErrorCode(error.value),
        )
        for one, error in response.members
        if hasattr(kinds, "MemberResponse")
    )
    # Before version 3 there is one error, that of the one member that leaves.
    alone = response.members[0][1] if response.members and not members else response.error
    return made(
        kinds.LeaveGroupResponse, throttle_time=AT_ONCE, error_code=ErrorCode(alone.value), members=members
    )


def _commit(sent: Sent) -> OffsetCommit:
    body = sent.body
    items = tuple(
        TopicPartition(topic.name, int(one.partition_index))
        for topic in body.topics
        for one in topic.partitions
    )
    return OffsetCommit(
        generation=int(body.generation_id_or_member_epoch),
        member_id=body.member_id,
        instance_id=getattr(body, "group_instance_id", None),
        items=items,
    )


def _committed(sent: Sent, response: OffsetCommitResponse) -> Any:
    kinds = kinds_of(sent)
    error = ErrorCode(response.error.value)
    topics = tuple(
        made(
            kinds.OffsetCommitResponseTopic,
            name=topic.name,
            partitions=tuple(
                made(
                    kinds.OffsetCommitResponsePartition, partition_index=one.partition_index, error_code=error
                )
                for one in topic.partitions
            ),
        )
        for topic in sent.body.topics
    )
    return made(kinds.OffsetCommitResponse, throttle_time=AT_ONCE, topics=topics)


_HEARD: dict[Api, Callable[[Sent], Request]] = {
    Api.FIND_COORDINATOR: lambda _: FindCoordinator(),
    Api.JOIN_GROUP: _join,
    Api.SYNC_GROUP: _sync,
    Api.HEARTBEAT: _beat,
    Api.LEAVE_GROUP: _leave,
    Api.OFFSET_COMMIT: _commit,
}
_ANSWERS: dict[Api, Callable[[Sent, Any], Any]] = {
    Api.JOIN_GROUP: _joined,
    Api.SYNC_GROUP: _synced,
    Api.HEARTBEAT: _beaten,
    Api.LEAVE_GROUP: _left,
    Api.OFFSET_COMMIT: _committed,
}
