"""What a cluster of one broker answers around the group: its topics with their racks, where its coordinator is, and that there are no records."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from kio.schema.errors import ErrorCode

from kassay.clients.subscriptions import brokers
from kassay.model import Group
from kassay.protocol.server.apis import SERVED, Api, Request, kinds_of, made

AT_ONCE = timedelta()
NODE = 0
"""The broker that coordinates; it is there in every group."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """What clients are told of: brokers with their racks, all at one address, and the replicas of each partition of each topic.

    Of topics `besides` they are told whether they ask about them or not.
    """

    racks: tuple[str | None, ...]
    replicas: dict[str, tuple[tuple[int, ...], ...]]
    besides: tuple[str, ...] = ()


def cluster_of(groups: Iterable[Group], own: tuple[str, ...]) -> Cluster:
    """Return the cluster of groups that have no topic in common: what their members read, and no more.

    It tells of what the client itself subscribes to whether that is asked or not: some leaders fail where it is not there.
    """
    listed = list(groups)
    read = {name for group in listed for member in group.members for name in member.topics}
    known = brokers(
        Group(tuple(topic for group in listed for topic in group.topics if topic.name in read), ())
    )
    replicas = {name: tuple(some) for name, some in known.replicas.items()}
    return Cluster(tuple(known.racks), replicas, (*own, *replicas) if len(listed) > 1 else own)


def answer(request: Request, cluster: Cluster, address: tuple[str, int]) -> Any:
    """Return kio's response to a request that is not about membership."""
    return _ANSWERS[request.api](kinds_of(request), request, cluster, address)


def asked_topics(request: Request) -> frozenset[str] | None:
    """Return the topics about which a Metadata request asks; None for all."""
    topics = request.body.topics
    if topics is None or (request.version == 0 and not topics):
        return None
    return frozenset(topic.name for topic in topics)


def _api_versions(kinds: Any, request: Request, *_: Any) -> Any:
    kind = kinds.ApiVersionsResponse
    offered = tuple(
        made(kinds.ApiVersion, api_key=api, min_version=oldest, max_version=newest)
        for api, (oldest, newest) in SERVED.items()
    )
    error = ErrorCode.none if request.body is not None else ErrorCode.unsupported_version
    return made(kind, error_code=error, api_keys=offered, throttle_time=AT_ONCE)


def _metadata(kinds: Any, request: Request, cluster: Cluster, address: tuple[str, int]) -> Any:
    host, port = address
    asked = asked_topics(request)
    names = sorted(cluster.replicas if asked is None else asked.union(cluster.besides))
    return made(
        kinds.MetadataResponse,
        throttle_time=AT_ONCE,
        brokers=tuple(
            made(kinds.MetadataResponseBroker, node_id=n, host=host, port=port, rack=rack)
            for n, rack in enumerate(cluster.racks)
        ),
        cluster_id="kassay",
        controller_id=NODE,
        topics=tuple(_topic(kinds, name, cluster) for name in names),
    )


def _topic(kinds: Any, name: str, cluster: Cluster) -> Any:
    """Tell of a topic: one that is not there has no partitions, for clients ask again and again about one that is unknown.

    Kafka's consumer then takes a late answer about the last group for one about this (4.4.0), and others fail (sarama 1.61.1, kafkajs 2.2.4).
    """
    return made(
        kinds.MetadataResponseTopic,
        error_code=ErrorCode.none,
        name=name,
        is_internal=False,
        partitions=tuple(
            made(
                kinds.MetadataResponsePartition,
                error_code=ErrorCode.none,
                partition_index=number,
                leader_id=places[0],
                leader_epoch=0,
                replica_nodes=places,
                isr_nodes=places,
                offline_replicas=(),
            )
            for number, places in enumerate(cluster.replicas.get(name, ()))
        ),
    )


def _find_coordinator(kinds: Any, request: Request, _: Cluster, address: tuple[str, int]) -> Any:
    host, port = address
    here = {"error_code": ErrorCode.none, "error_message": None, "node_id": NODE, "host": host, "port": port}
    keys = getattr(request.body, "coordinator_keys", ())
    found = tuple(made(kinds.Coordinator, key=key, **here) for key in keys)
    return made(kinds.FindCoordinatorResponse, throttle_time=AT_ONCE, coordinators=found, **here)


def _by_topic(
    kind: Any, of_partition: Any, asked: Iterable[tuple[str, Iterable[int]]], **said: Any
) -> tuple[Any, ...]:
    """Say the same of all partitions that a request names, topic by topic, and that nothing is wrong with them."""
    return tuple(
        made(
            kind,
            name=topic,
            partitions=tuple(
                made(of_partition, partition_index=number, error_code=ErrorCode.none, **said)
                for number in numbers
            ),
        )
        for topic, numbers in asked
    )


def _named(topics: Any) -> Iterator[tuple[str, list[int]]]:
    return ((topic.name, [one.partition_index for one in topic.partitions]) for topic in topics)


def _offset_commit(kinds: Any, request: Request, *_: Any) -> Any:
    topics = _by_topic(
        kinds.OffsetCommitResponseTopic, kinds.OffsetCommitResponsePartition, _named(request.body.topics)
    )
    return made(kinds.OffsetCommitResponse, throttle_time=AT_ONCE, topics=topics)


def _offset_fetch(kinds: Any, request: Request, *_: Any) -> Any:
    kind = kinds.OffsetFetchResponse
    if hasattr(request.body, "groups"):
        groups = tuple(
            made(
                kinds.OffsetFetchResponseGroup,
                group_id=group.group_id,
                topics=_no_offsets(
                    kinds.OffsetFetchResponseTopics, kinds.OffsetFetchResponsePartitions, group.topics
                ),
                error_code=ErrorCode.none,
            )
            for group in request.body.groups
        )
        return made(kind, throttle_time=AT_ONCE, groups=groups)
    topics = _no_offsets(
        kinds.OffsetFetchResponseTopic, kinds.OffsetFetchResponsePartition, request.body.topics
    )
    return made(kind, throttle_time=AT_ONCE, error_code=ErrorCode.none, topics=topics)


def _no_offsets(topic_kind: Any, partition_kind: Any, topics: Any) -> tuple[Any, ...]:
    """Say of all partitions that nothing was committed."""
    asked = ((topic.name, topic.partition_indexes) for topic in topics or ())
    nothing = {"committed_offset": -1, "committed_leader_epoch": -1, "metadata": ""}
    return _by_topic(topic_kind, partition_kind, asked, **nothing)


def _list_offsets(kinds: Any, request: Request, *_: Any) -> Any:
    topics = _by_topic(
        kinds.ListOffsetsTopicResponse, kinds.ListOffsetsPartitionResponse, _named(request.body.topics),
        timestamp=-1, offset=0, leader_epoch=0,
    )  # fmt: skip
    return made(kinds.ListOffsetsResponse, throttle_time=AT_ONCE, topics=topics)


def _fetch(kinds: Any, request: Request, *_: Any) -> Any:
    return made(
        kinds.FetchResponse,
        throttle_time=AT_ONCE,
        error_code=ErrorCode.none,
        session_id=0,
        responses=tuple(
            made(
                kinds.FetchableTopicResponse,
                topic=topic.topic,
                partitions=tuple(
                    made(
                        kinds.PartitionData,
                        partition_index=one.partition,
                        error_code=ErrorCode.none,
                        high_watermark=0,
                        last_stable_offset=0,
                        log_start_offset=0,
                        aborted_transactions=None,
                        preferred_read_replica=-1,
                        records=b"",
                    )
                    for one in topic.partitions
                ),
            )
            for topic in request.body.topics
        ),
    )


def _init_producer_id(kinds: Any, *_: Any) -> Any:
    return made(
        kinds.InitProducerIdResponse,
        throttle_time=AT_ONCE,
        error_code=ErrorCode.none,
        producer_id=0,
        producer_epoch=0,
    )


_ANSWERS: dict[Api, Callable[..., Any]] = {
    Api.API_VERSIONS: _api_versions,
    Api.METADATA: _metadata,
    Api.FIND_COORDINATOR: _find_coordinator,
    Api.OFFSET_COMMIT: _offset_commit,
    Api.OFFSET_FETCH: _offset_fetch,
    Api.LIST_OFFSETS: _list_offsets,
    Api.FETCH: _fetch,
    Api.INIT_PRODUCER_ID: _init_producer_id,
}
