"""Assignor classes of Python's Kafka clients as kassay assignors.

A class is recognised by its base class, so no library is imported before one of its classes is given. It is called as in a real group: the
assignor of every member makes its metadata, which is encoded and decoded for the assignor of the leader.

The other way round, `OptimalAssignor` and `CooperativeOptimalAssignor` are consumer/optimal for these libraries.
"""

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from types import SimpleNamespace, new_class
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from kassay.errors import InputError
from kassay.families.family import Family
from kassay.model import Assignment, Assignor, Group, Member, Topic, TopicPartition
from kassay.model.json_text import RepeatedKeyError, decode_json
from kassay.reference.wire import consumer
from kassay.reference.wire.consumer import Subscription, write_subscription

if TYPE_CHECKING:
    from kassay.targets.clients.optimal import CooperativeOptimalAssignor, OptimalAssignor

NO_GENERATION = consumer.NO_GENERATION
"""The generation that the libraries send for a member without one."""


def group_by_topic(partitions: Sequence[TopicPartition]) -> list[tuple[str, list[int]]]:
    """Return each topic with its partition numbers, both in order of appearance."""
    return [(topic.topic, [*topic.partitions]) for topic in consumer.group_by_topic(partitions)]


def encode(message: Any) -> bytes:
    """Return a message as bytes; some assignors have already encoded it."""
    content: bytes = message if isinstance(message, bytes) else message.encode()
    return content


T = TypeVar("T")


class Claims(msgspec.Struct, forbid_unknown_fields=True):
    """The partitions that a member owns by its last assignment, the generation of that, and its rack."""

    owned: dict[str, list[int]]
    generation: int | None = None
    rack: str | None = None


class Answered(msgspec.Struct, forbid_unknown_fields=True):
    """The generation of an answer."""

    generation: int


def write_claims(owned: Iterable[TopicPartition], generation: int | None, rack: str | None) -> bytes:
    """Return the partitions that a member owns as user data."""
    return msgspec.json.encode(Claims(dict(group_by_topic(sorted(owned))), generation, rack))


def write_answer(generation: int) -> bytes:
    """Return the generation of an answer as user data."""
    return msgspec.json.encode(Answered(generation))


def read_generation(user_data: bytes) -> int:
    """Return the generation of an answer; raises InputError if the leader wrote something else."""
    return _decode(user_data, Answered, "answer").generation


def read_group(cluster: Any, members: Iterable[tuple[str, str | None, Iterable[str], bytes]]) -> Group:
    """Return the group that a leader sees, of its cluster's metadata and each member's id, instance id, topics and user data.

    Raises InputError if a member wrote something else, or contradicts itself.
    """
    read = []
    for member, instance, subscribed, user_data in members:
        claimed = _decode(user_data, Claims, f"member {member!r}")
        owned = tuple(
            TopicPartition(topic, number) for topic, some in claimed.owned.items() for number in some
        )
        try:
            read.append(Member(member, tuple(subscribed), owned, claimed.generation, instance, claimed.rack))
        except ValueError as wrong:
            raise InputError(f"member {member!r}: {wrong}") from None
    names = sorted({topic for one in read for topic in one.topics})
    counts = {name: cluster.partitions_for_topic(name) for name in names}
    topics = [_read_topic(cluster, name, numbers) for name, numbers in counts.items() if numbers is not None]
    return Group(tuple(topics), tuple(read))


def _read_topic(cluster: Any, name: str, numbers: set[int]) -> Topic:
    # Neither library has a public way from a partition to its replicas.
    known: Mapping[int, Any] = cluster._partitions[name]  # noqa: SLF001
    if numbers != set(range(len(numbers))):
        raise InputError(
            f"topic {name!r}: the cluster's metadata have the partitions {sorted(numbers)}. Fetch them again"
        )
    racks = []
    for number in range(len(numbers)):
        one = known[number]
        nodes = one.replica_nodes if hasattr(one, "replica_nodes") else one.replicas
        found = map(cluster.broker_metadata, nodes)
        racks.append(tuple(None if broker is None else broker.rack for broker in found))
    return Topic(name, len(numbers), tuple(racks))


def _decode(user_data: bytes, kind: type[T], whose: str) -> T:
    try:
        return decode_json(user_data, kind)
    except (msgspec.DecodeError, RepeatedKeyError, TypeError, RecursionError) as wrong:
        raise InputError(
            f"{whose}: its user data are not OptimalAssignor's ({wrong}). Give all members of the group this assignor"
        ) from None


@dataclass(frozen=True, slots=True)
class Brokers:
    """The fewest brokers that can have a group's replicas, because a group has racks and the metadata of a cluster have brokers."""

    racks: Sequence[str | None]
    """By broker id. Broker 0 has no rack and leads the partitions with unknown racks."""
    replicas: dict[str, Sequence[tuple[int, ...]]]
    """By topic and partition."""


def place_replicas(group: Group) -> Brokers:
    """Place every replica on a broker in its rack, with the replicas of one partition on different brokers."""
    ids: dict[tuple[str | None, int], int] = {(None, 0): 0}
    replicas: dict[str, Sequence[tuple[int, ...]]] = {}
    for topic in group.topics:
        places: list[tuple[int, ...]] = [(0,)] * topic.partitions
        for number, racks in enumerate(topic.racks or ()):
            # The second replica in a rack is on the second broker there.
            keys = [(rack, racks[:n].count(rack)) for n, rack in enumerate(racks)]
            places[number] = tuple(ids.setdefault(key, len(ids)) for key in keys) or (0,)
        replicas[topic.name] = places
    return Brokers([rack for rack, _ in ids], replicas)


def copy_assignor(assignor: Any) -> Any:
    """Return an assignor class, or a configured object, that shares no state with the given one.

    kafka-python before 3 and aiokafka keep state on the class, since a process has only one consumer. Here all members of a group share the
    process, so each needs a class of its own.
    """
    if isinstance(assignor, type):
        return _copy_class(assignor)
    own = copy.deepcopy(assignor)
    own.__class__ = _copy_class(type(assignor))
    return own


def make_object(assignor: Any) -> Any:
    """Return an object of a fresh assignor class, or a fresh configured object."""
    own = copy_assignor(assignor)
    return own() if isinstance(own, type) else own


def _copy_class(kind: type) -> type:
    state: dict[str, Any] = {
        name: copy.deepcopy(value)
        for base in reversed(kind.__mro__)
        for name, value in vars(base).items()
        if isinstance(value, (dict, list, set)) and not name.startswith("__")
    }
    # no slots: an object can change from the given class to this one
    state |= {"__module__": kind.__module__, "__qualname__": kind.__qualname__, "__slots__": ()}
    return new_class(kind.__name__, (kind,), exec_body=lambda namespace: namespace.update(state))


__all__ = ["CooperativeOptimalAssignor", "OptimalAssignor", "adapt", "adapt_for", "cooperates", "instance"]
_LIBRARIES = ("kafka", "aiokafka")


def __getattr__(name: str) -> Any:
    if not name.endswith("OptimalAssignor"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("kassay.targets.clients.optimal"), name)


def adapt_for(of: Family, attribute: object) -> Assignor | None:
    """Return an attribute as an assignor of a family, with what is expected of it; None if it is not one.

    The family's own `adapt` comes first. Assignor classes of client libraries assign partitions to consumers.
    """
    own = of.adapt(attribute)
    if own is not None or of.name != "consumer":
        return own
    assign = adapt(attribute)
    if assign is None:
        return None
    expected = of.expected | {"instance_isolated"}
    if is_cooperative(attribute):
        expected = expected - {"complete"} | {"cooperative", "settling"}
    name = getattr(attribute, "__name__", type(attribute).__name__)
    return Assignor(name, assign, expected, attribute.__module__, instance=lambda: make_instance(attribute))


def adapt(attribute: object) -> Callable[[Group], Assignment] | None:
    """Return the assignor of a kafka-python or aiokafka assignor class, None if it is no such class.

    An object of such a class is taken as it is configured. Calls share no state. Exceptions of the library pass through.
    """
    library = _find_library(attribute)
    if library is None:
        return None
    if _is_mapping_library(library):
        return partial(_assign_by_mapping, library, partial(copy_assignor, attribute))
    own = partial(make_object, attribute)
    return partial(_assign_by_list, own, own)


def make_instance(attribute: object) -> Callable[[Group], Assignment]:
    """Return an assignor as `adapt` does, whose calls share the state of one process: the class and the leader's object."""
    library = _find_library(attribute)
    assert library is not None, "it is adapted before"
    own = copy_assignor(attribute)
    if _is_mapping_library(library):
        return partial(_assign_by_mapping, library, lambda: own)
    is_class = isinstance(own, type)
    leader = own() if is_class else own
    return partial(_assign_by_list, own if is_class else partial(copy_assignor, own), lambda: leader)


def is_cooperative(attribute: object) -> bool:
    """Return True if an assignor class of a library is made for incremental rebalances (KIP-429).

    Its assignments leave out, for one round, what must first be revoked, so they need not be complete.
    """
    if _find_library(attribute) is None:
        return False
    protocols: Any = getattr(make_object(attribute), "supported_protocols", list)
    return any(protocol.name == "COOPERATIVE" for protocol in protocols())


def _is_mapping_library(library: str) -> bool:
    """Return True if the leader gets the members as a mapping: kafka-python 3 replaced this module, and the mapping by a list."""
    return find_spec(f"{library}.coordinator.protocol") is not None


def _find_library(attribute: object) -> str | None:
    kind = attribute if isinstance(attribute, type) else type(attribute)
    for base in kind.__mro__[1:]:
        root = base.__module__.partition(".")[0]
        if base.__name__ == "AbstractPartitionAssignor" and root in _LIBRARIES:
            return root
    return None


def _read_answer(given: Any, assignment: Any) -> Assignment:
    """Read what the leader's assignor returned with the library's class of assignments."""
    return {
        member: [TopicPartition(*partition) for partition in assignment.decode(encode(one)).partitions()]
        for member, one in given.items()
    }


def _read_metadata(assignor: Any, member: Member, kind: Any, topics: str) -> Any:
    """Return the metadata that a member's assignor writes, as the library reads it, with the user data that the group gives the member."""
    metadata = kind.decode(encode(assignor.metadata(list(member.topics))))
    if member.user_data is not None:
        own = Subscription(tuple(getattr(metadata, topics)), member.user_data)
        metadata = kind.decode(write_subscription(own, 0))
    return metadata


# aiokafka, and kafka-python before 3: the leader gets a mapping of member ids to subscriptions.


def _assign_by_mapping(library: str, own: Callable[[], Any], group: Group) -> Assignment:
    """Assign a group with assignors that `own` makes: members join with what they own, and the leader decides."""
    protocol: Any = import_module(f"{library}.coordinator.protocol").ConsumerProtocol
    if isinstance(
        protocol, list
    ):  # kafka-python 2.3 lists the versions of the protocol, of which there is one
        protocol = protocol[0]
    members = {member.id: _join_mapping(library, own(), member, protocol) for member in group.members}
    cluster = _make_cluster_of_mapping(library, group)
    return _read_answer(own().assign(cluster, members), protocol.ASSIGNMENT)


def _make_cluster_of_mapping(library: str, group: Group) -> Any:
    known = place_replicas(group)
    cluster = import_module(f"{library}.cluster").ClusterMetadata()
    cluster.update_metadata(
        # as a MetadataResponse of version 1 is read
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


def _join_mapping(library: str, assignor: Any, member: Member, protocol: Any) -> Any:
    if member.owned or member.generation is not None:
        last = protocol.ASSIGNMENT(0, group_by_topic(member.owned), b"")
        assignor.on_assignment(protocol.ASSIGNMENT.decode(last.encode()))
        if hasattr(assignor, "on_generation_assignment"):
            generation = NO_GENERATION if member.generation is None else member.generation
            assignor.on_generation_assignment(generation)
    metadata = _read_metadata(assignor, member, protocol.METADATA, "subscription")
    if library == "kafka" and find_spec("kafka.coordinator.subscription") is not None:
        return import_module("kafka.coordinator.subscription").Subscription(metadata, member.instance_id)
    return metadata


# kafka-python from 3 on: the leader gets a list of members with decoded subscriptions.

_METADATA_VERSION = 8
_JOIN_VERSION = 5
"""The first version of the JoinGroup response that has group instance ids (KIP-345)."""


def _assign_by_list(own: Callable[[], Any], leader: Callable[[], Any], group: Group) -> Assignment:
    """Assign a group: `own` makes the assignor of each member, `leader` the one that decides."""
    protocol = import_module("kafka.protocol.consumer.metadata")
    members = [_join_list(own(), member, protocol) for member in group.members]
    return _read_answer(leader().assign(_make_cluster(group), members), protocol.ConsumerProtocolAssignment)


def _join_list(assignor: Any, member: Member, protocol: Any) -> Any:
    if member.owned or member.generation is not None:
        last = protocol.ConsumerProtocolAssignment(0, group_by_topic(member.owned), b"")
        generation = NO_GENERATION if member.generation is None else member.generation
        assignor.on_assignment(protocol.ConsumerProtocolAssignment.decode(last.encode()), generation)
    metadata = _read_metadata(assignor, member, protocol.ConsumerProtocolSubscription, "topics")
    response = import_module("kafka.protocol.consumer.group").JoinGroupResponse
    return response.JoinGroupResponseMember(
        version=_JOIN_VERSION, member_id=member.id, group_instance_id=member.instance_id, metadata=metadata
    )


def _make_cluster(group: Group) -> Any:
    response = import_module("kafka.protocol.metadata").MetadataResponse
    topic_class = response.MetadataResponseTopic
    known = place_replicas(group)
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
