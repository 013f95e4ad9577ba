"""Assignors of aiokafka and of kafka-python before 3: the leader gets a mapping of member ids to subscriptions."""

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from types import SimpleNamespace
from typing import Any

from kassay.clients.subscriptions import NO_GENERATION, brokers, by_topic, encoded
from kassay.model import Assignment, Group, Member, TopicPartition
from kassay.reference.wire.consumer import Subscription, write_subscription


def assign(library: str, own: Callable[[], Any], group: Group) -> Assignment:
    """Let an assignor of the library assign a group: members join with what they own, the leader decides.

    `own` makes each of them its assignor.
    """
    protocol = _protocol(library)
    members = {member.id: _join(library, own(), member, protocol) for member in group.members}
    given = own().assign(_cluster(library, group), members)
    decode = protocol.ASSIGNMENT.decode
    return {m: [TopicPartition(*p) for p in decode(encoded(a)).partitions()] for m, a in given.items()}


def _protocol(library: str) -> Any:
    protocol = import_module(f"{library}.coordinator.protocol").ConsumerProtocol
    # kafka-python 2.3 lists the protocol's versions, of which it has one
    return protocol[0] if isinstance(protocol, list) else protocol


def _join(library: str, joining: Any, member: Member, protocol: Any) -> Any:
    if member.owned or member.generation is not None:
        last = protocol.ASSIGNMENT(0, by_topic(member.owned), b"")
        joining.on_assignment(protocol.ASSIGNMENT.decode(last.encode()))
        if hasattr(joining, "on_generation_assignment"):
            generation = NO_GENERATION if member.generation is None else member.generation
            joining.on_generation_assignment(generation)
    decode = protocol.METADATA.decode
    metadata = decode(encoded(joining.metadata(list(member.topics))))
    if member.user_data is not None:
        metadata = decode(write_subscription(Subscription(tuple(metadata.subscription), member.user_data), 0))
    if library == "kafka" and find_spec("kafka.coordinator.subscription") is not None:
        return import_module("kafka.coordinator.subscription").Subscription(metadata, member.instance_id)
    return metadata


def _cluster(library: str, group: Group) -> Any:
    known = brokers(group)
    cluster = import_module(f"{library}.cluster").ClusterMetadata()
    cluster.update_metadata(
        # what a MetadataResponse of version 1 unpacks to
        SimpleNamespace(
            API_VERSION=1,
            controller_id=0,
            brokers=[(n, f"broker-{n}", 9092, rack) for n, rack in enumerate(known.racks)],
            topics=[
                (0, topic, False, [(0, n, ids[0], list(ids), list(ids)) for n, ids in enumerate(partitions)])
                for topic, partitions in known.replicas.items()
            ],
        )
    )
    return cluster
