"""Responses of a broker to a client: a cluster with topics and racks, empty partitions, and the messages of the group protocol."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache
from importlib import import_module
from typing import Any

from kio.index import load_response_schema
from kio.schema.errors import ErrorCode

from kassay.model import Group, TopicPartition
from kassay.protocol.server.api_messages import (
    SERVED,
    Api,
    MetadataParts,
    Request,
    build_message,
    find_response_classes,
    make_kio_writer,
)
from kassay.reference.group.messages import (
    FindCoordinator,
    Heartbeat,
    JoinGroup,
    JoinGroupResponse,
    LeaveGroup,
    LeaveGroupResponse,
    LeavingMember,
    OffsetCommit,
    Protocol,
    SyncGroup,
    SyncGroupResponse,
)
from kassay.reference.group.messages import Request as GroupRequest
from kassay.reference.group.messages import Response as GroupResponse
from kassay.reference.wire import group as wire
from kassay.targets.clients import place_replicas

AT_ONCE = timedelta()
"""The throttle time of all responses: none."""
KEPT_TOPICS = 20_000
"""The most topics whose bytes are kept."""
NODE = 0
"""The broker that is the coordinator; every cluster has it."""
KNOWN_ID, SKIPS = 4, 9
"""The first JoinGroup versions with MEMBER_ID_REQUIRED (KIP-394), and with a leader that must keep the assignment (KIP-814)."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """A cluster for clients, with all brokers at one address."""

    racks: tuple[str | None, ...]
    """The racks by broker."""
    replicas: dict[str, tuple[tuple[int, ...], ...]]
    """The replicas by topic and partition."""
    besides: tuple[str, ...] = ()
    """The topics that every Metadata response contains, requested or not."""


def show_groups(groups: Iterable[Group], own: tuple[str, ...], *, whole: bool = False) -> Cluster:
    """Return the cluster of groups without common topics; it has only topics with subscribers.

    The topics to which the client itself subscribes (`own`) are in every response: some leaders fail if they are missing. If `whole`, all
    others are, too.
    """
    listed = list(groups)
    read = {name for group in listed for member in group.members for name in member.topics}
    topics = tuple(topic for group in listed for topic in group.topics if topic.name in read)
    known = place_replicas(Group(topics, ()))
    replicas = {name: tuple(some) for name, some in known.replicas.items()}
    return Cluster(tuple(known.racks), replicas, (*own, *replicas) if whole else own)


def respond(request: Request, cluster: Cluster, address: tuple[str, int]) -> Any:
    """Return the response to a request that is not about membership, as an object of kio."""
    return _ANSWERS[request.api](find_response_classes(request), request, cluster, address)


def list_asked_topics(request: Request) -> frozenset[str] | None:
    """Return the topics of a Metadata request, None for all topics."""
    topics = request.body.topics
    if topics is None or (request.version == 0 and not topics):
        return None
    return frozenset(topic.name for topic in topics)


def _api_versions(kinds: Any, request: Request, *_: Any) -> Any:
    offered = tuple(
        build_message(kinds.ApiVersion, api_key=api, min_version=oldest, max_version=newest)
        for api, (oldest, newest) in SERVED.items()
    )
    error = ErrorCode.none if request.body is not None else ErrorCode.unsupported_version
    return build_message(kinds.ApiVersionsResponse, error_code=error, api_keys=offered, throttle_time=AT_ONCE)


def _build_metadata(kinds: Any, request: Request, cluster: Cluster, address: tuple[str, int]) -> Any:
    host, port = address
    asked = list_asked_topics(request)
    names = sorted(cluster.replicas if asked is None else asked.union(cluster.besides))
    topics = [_write_topic(request.version, name, cluster.replicas.get(name, ())) for name in names]
    value = build_message(
        kinds.MetadataResponse,
        throttle_time=AT_ONCE,
        brokers=tuple(
            build_message(kinds.MetadataResponseBroker, node_id=n, host=host, port=port, rack=rack)
            for n, rack in enumerate(cluster.racks)
        ),
        cluster_id="kassay",
        controller_id=NODE,
        topics=(),
    )
    return MetadataParts(value, topics)


@lru_cache(KEPT_TOPICS)
def _write_topic(version: int, name: str, replicas: tuple[tuple[int, ...], ...]) -> bytes:
    """Return a topic of a Metadata response as bytes, which are kept: a client gets the topics of its groups again and again.

    A missing topic has no partitions rather than an error, because clients repeat a request with an error. Kafka's consumer (4.4.0) then
    applies a late response for the last group to this group. sarama 1.61.1 and kafkajs 2.2.4 fail.
    """
    kinds = import_module(load_response_schema(Api.METADATA, version).__module__)
    partitions = tuple(
        build_message(
            kinds.MetadataResponsePartition,
            error_code=ErrorCode.none,
            partition_index=number,
            leader_id=places[0],
            leader_epoch=0,
            replica_nodes=places,
            isr_nodes=places,
            offline_replicas=(),
        )
        for number, places in enumerate(replicas)
    )
    topic = build_message(
        kinds.MetadataResponseTopic,
        error_code=ErrorCode.none,
        name=name,
        is_internal=False,
        partitions=partitions,
    )
    return make_kio_writer(kinds.MetadataResponseTopic)(topic)


def _build_topics(
    kind: Any, of_partition: Any, asked: Iterable[tuple[str, Iterable[int]]], **fields: Any
) -> tuple[Any, ...]:
    """Return the same fields for all partitions of a request, by topic; without an error in `fields`, there is no error."""
    fields = {"error_code": ErrorCode.none, **fields}
    return tuple(
        build_message(
            kind,
            name=topic,
            topic=topic,  # its name in FetchResponse
            partitions=tuple(
                build_message(of_partition, partition_index=number, **fields) for number in numbers
            ),
        )
        for topic, numbers in asked
    )


def _list_partition_indexes(request: Request) -> Iterator[tuple[str, list[int]]]:
    return ((topic.name, [one.partition_index for one in topic.partitions]) for topic in request.body.topics)


def _build_offset_commit(kinds: Any, request: Request, *_: Any, error: ErrorCode = ErrorCode.none) -> Any:
    of_topic, of_partition = kinds.OffsetCommitResponseTopic, kinds.OffsetCommitResponsePartition
    topics = _build_topics(of_topic, of_partition, _list_partition_indexes(request), error_code=error)
    return build_message(kinds.OffsetCommitResponse, throttle_time=AT_ONCE, topics=topics)


def _build_offset_fetch(kinds: Any, request: Request, *_: Any, error: ErrorCode = ErrorCode.none) -> Any:
    """Return a response without committed offsets."""

    def topics(of_topic: Any, of_partition: Any, asked: Any) -> tuple[Any, ...]:
        nothing = {"committed_offset": -1, "committed_leader_epoch": -1, "metadata": "", "error_code": error}
        indexes = ((topic.name, topic.partition_indexes) for topic in asked or ())
        return _build_topics(of_topic, of_partition, indexes, **nothing)

    if not hasattr(request.body, "groups"):
        own = topics(kinds.OffsetFetchResponseTopic, kinds.OffsetFetchResponsePartition, request.body.topics)
        return build_message(kinds.OffsetFetchResponse, throttle_time=AT_ONCE, error_code=error, topics=own)
    groups = tuple(
        build_message(
            kinds.OffsetFetchResponseGroup,
            group_id=group.group_id,
            topics=topics(kinds.OffsetFetchResponseTopics, kinds.OffsetFetchResponsePartitions, group.topics),
            error_code=error,
        )
        for group in request.body.groups
    )
    return build_message(kinds.OffsetFetchResponse, throttle_time=AT_ONCE, groups=groups)


def _build_fetch(kinds: Any, request: Request, *_: Any) -> Any:
    """Return a response without records."""
    asked = ((topic.topic, [one.partition for one in topic.partitions]) for topic in request.body.topics)
    topics = _build_topics(
        kinds.FetchableTopicResponse, kinds.PartitionData, asked, high_watermark=0, last_stable_offset=0,
        log_start_offset=0, aborted_transactions=None, preferred_read_replica=-1, records=b"",
    )  # fmt: skip
    return build_message(
        kinds.FetchResponse, throttle_time=AT_ONCE, error_code=ErrorCode.none, session_id=0, responses=topics
    )


_ANSWERS: dict[Api, Callable[..., Any]] = {
    Api.API_VERSIONS: _api_versions,
    Api.METADATA: _build_metadata,
    Api.FIND_COORDINATOR: lambda _, request, __, address: encode_coordinator(request, NODE, address),
    Api.OFFSET_COMMIT: _build_offset_commit,
    Api.OFFSET_FETCH: _build_offset_fetch,
    Api.LIST_OFFSETS: lambda kinds, request, *_: build_message(
        kinds.ListOffsetsResponse, throttle_time=AT_ONCE, topics=_build_topics(
            kinds.ListOffsetsTopicResponse, kinds.ListOffsetsPartitionResponse, _list_partition_indexes(request),
            timestamp=-1, offset=0, leader_epoch=0,
        ),
    ),
    Api.FETCH: _build_fetch,
    Api.INIT_PRODUCER_ID: lambda kinds, *_: build_message(
        kinds.InitProducerIdResponse, throttle_time=AT_ONCE, error_code=ErrorCode.none, producer_id=0, producer_epoch=0,
    ),
    Api.CONSUMER_GROUP_HEARTBEAT: lambda kinds, request, *_: build_message(
        kinds.ConsumerGroupHeartbeatResponse, throttle_time=AT_ONCE, error_code=ErrorCode.unsupported_version,
        error_message="kassay tests classic groups. Set group.protocol=classic.", member_id=request.body.member_id or None,
        member_epoch=0, heartbeat_interval=timedelta(seconds=5), assignment=None,
    ),
}  # fmt: skip


def refuse_offset_fetch(request: Request) -> Any:
    """Return the response to OffsetFetch that another rebalance has begun."""
    return _build_offset_fetch(find_response_classes(request), request, error=ErrorCode.rebalance_in_progress)


def encode_coordinator(request: Request, node: int | None, address: tuple[str, int]) -> Any:
    """Return the response to FindCoordinator: a node at an address, or the error that none is known."""
    kinds = find_response_classes(request)
    host, port = address if node is not None else ("", -1)
    here = {
        "error_code": ErrorCode.none if node is not None else ErrorCode.coordinator_not_available,
        "error_message": None,
        "node_id": -1 if node is None else node,
        "host": host,
        "port": port,
    }
    keys = getattr(request.body, "coordinator_keys", ())
    found = tuple(build_message(kinds.Coordinator, key=key, **here) for key in keys)
    return build_message(kinds.FindCoordinatorResponse, throttle_time=AT_ONCE, coordinators=found, **here)


def decode_request(request: Request) -> GroupRequest | None:
    """Return a client's request about its group as a message of the reference, None for any other request.

    Metadata and states stay bytes.
    """
    body = request.body
    match request.api:
        case Api.FIND_COORDINATOR:
            return FindCoordinator()
        case Api.JOIN_GROUP:
            session, rebalance = body.session_timeout_ms, body.rebalance_timeout_ms
            return JoinGroup(
                member_id=body.member_id,
                instance_id=body.group_instance_id,
                client_id=request.client_id or "",
                session_timeout_ms=session,
                rebalance_timeout_ms=rebalance if rebalance >= 0 else session,
                protocol_type=body.protocol_type,
                protocols=tuple(Protocol(one.name, bytes(one.metadata)) for one in body.protocols),
                known_id_required=request.version >= KNOWN_ID,
                skips_assignment=request.version >= SKIPS,
            )
        case Api.SYNC_GROUP:
            return SyncGroup(
                generation=body.generation_id,
                member_id=body.member_id,
                instance_id=body.group_instance_id,
                protocol_type=body.protocol_type,
                protocol=body.protocol_name,
                states=tuple((one.member_id, bytes(one.assignment)) for one in body.assignments),
            )
        case Api.HEARTBEAT:
            return Heartbeat(
                generation=int(body.generation_id),
                member_id=body.member_id,
                instance_id=getattr(body, "group_instance_id", None),
            )
        case Api.LEAVE_GROUP:
            if not hasattr(body, "members"):  # before version 3 one member leaves
                return LeaveGroup(members=(LeavingMember(body.member_id),))
            return LeaveGroup(
                members=tuple(LeavingMember(one.member_id, one.group_instance_id) for one in body.members)
            )
        case Api.OFFSET_COMMIT:
            return OffsetCommit(
                generation=int(body.generation_id_or_member_epoch),
                member_id=body.member_id,
                instance_id=getattr(body, "group_instance_id", None),
                items=tuple(
                    TopicPartition(topic, int(number))
                    for topic, numbers in _list_partition_indexes(request)
                    for number in numbers
                ),
            )
    return None


def encode_response(request: Request, response: GroupResponse) -> Any:
    """Return the wire form of a response to a client's request about its group, except FindCoordinator."""
    error = ErrorCode(response.error.value)
    match response:
        case JoinGroupResponse():
            return wire.JoinGroupResponse(
                error_code=response.error.value,
                generation_id=response.generation,
                protocol_type=response.protocol_type,
                protocol_name=response.protocol or "",
                leader=response.leader,
                skip_assignment=response.skip_assignment,
                member_id=response.member_id,
                members=tuple(
                    wire.JoinedMember(one.member_id, one.instance_id, _encode_opaque(one.metadata))
                    for one in response.members
                ),
            )
        case SyncGroupResponse():
            return wire.SyncGroupResponse(
                error_code=response.error.value,
                protocol_type=response.protocol_type,
                protocol_name=response.protocol,
                assignment=_encode_opaque(response.state),
            )
        case LeaveGroupResponse():
            return _encode_leave(find_response_classes(request), response)
    if request.api is Api.HEARTBEAT:
        return build_message(
            find_response_classes(request).HeartbeatResponse, throttle_time=AT_ONCE, error_code=error
        )
    return _build_offset_commit(find_response_classes(request), request, error=error)


def _encode_opaque(value: Any) -> bytes:
    return b"" if value is None else bytes(value)


def _encode_leave(kinds: Any, response: LeaveGroupResponse) -> Any:
    members = tuple(
        build_message(
            kinds.MemberResponse,
            member_id=one.member_id,
            group_instance_id=one.instance_id,
            error_code=ErrorCode(error.value),
        )
        for one, error in response.members
        if hasattr(kinds, "MemberResponse")
    )
    # Before version 3 the response has one error, the error of the one member that leaves.
    alone = response.members[0][1] if response.members and not members else response.error
    return build_message(
        kinds.LeaveGroupResponse, throttle_time=AT_ONCE, error_code=ErrorCode(alone.value), members=members
    )
