"""Assignors of kafka-python from release 3: the leader gets a list of members with decoded subscriptions."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from kassay.clients.subscriptions import NO_GENERATION, brokers, by_topic, encoded
from kassay.model import Assignment, Group, Member, TopicPartition
from kassay.reference.wire.consumer import Subscription, write_subscription

_METADATA_VERSION = 8
_JOIN_VERSION = 5
"""The first version of the JoinGroup response that has group instance ids (KIP-345)."""


def assign(own: Callable[[], Any], leader: Callable[[], Any], group: Group) -> Assignment:
    """Let a kafka-python assignor assign a group: members join with what they own, the leader decides.

    `own` makes each member its assignor, `leader` the one that decides.
    """
    protocol = import_module("kafka.protocol.consumer.metadata")
    members = [_join(own(), member, protocol) for member in group.members]
    given = leader().assign(_cluster(group), members)
    decode = protocol.ConsumerProtocolAssignment.decode
    return {m: [TopicPartition(*p) for p in decode(encoded(a)).partitions()] for m, a in given.items()}


def _join(joining: Any, member: Member, protocol: Any) -> Any:
    if member.owned or member.generation is not None:
        last = protocol.ConsumerProtocolAssignment(0, by_topic(member.owned), b"")
        generation = NO_GENERATION if member.generation is None else member.generation
        joining.on_assignment(protocol.ConsumerProtocolAssignment.decode(last.encode()), generation)
    decode = protocol.ConsumerProtocolSubscription.decode
    sent = decode(encoded(joining.metadata(list(member.topics))))
    if member.user_data is not None:
        sent = decode(write_subscription(Subscription(tuple(sent.topics), member.user_data), 0))
    response = import_module("kafka.protocol.consumer.group").JoinGroupResponse
    return response.JoinGroupResponseMember(
        version=_JOIN_VERSION,
        member_id=member.id,
        group_instance_id=member.instance_id,
        metadata=sent,
    )


def _cluster(group: Group) -> Any:
    response = import_module("kafka.protocol.metadata").MetadataResponse
    topic_class = response.MetadataResponseTopic
    known = brokers(group)
    cluster = import_module("kafka.cluster").ClusterMetadata()
    cluster.update_metadata(
        response(
            version=_METADATA_VERSION,
            controller_id=0,
            brokers=[
                response.MetadataResponseBroker(
                    version=_METADATA_VERSION, node_id=n, host=f"broker-{n}", port=9092, rack=rack
                )
                for n, rack in enumerate(known.racks)
            ],
            topics=[
                topic_class(
                    version=_METADATA_VERSION,
                    error_code=0,
                    name=topic,
                    is_internal=False,
                    partitions=[
                        topic_class.MetadataResponsePartition(
                            version=_METADATA_VERSION,
                            error_code=0,
                            partition_index=number,
                            leader_id=replicas[0],
                            replica_nodes=list(replicas),
                            isr_nodes=list(replicas),
                            offline_replicas=[],
                        )
                        for number, replicas in enumerate(partitions)
                    ],
                )
                for topic, partitions in known.replicas.items()
            ],
        )
    )
    return cluster
