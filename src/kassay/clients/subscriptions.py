"""What goes between members and their leader, as the libraries take it.

What members of OptimalAssignor tell their leader beside their subscription, and it them: JSON in the user data.

Members of kafka-python and aiokafka write the same, so they may be in one group. The generation counts the answers of the
group's leaders: aiokafka tells its assignors none.

Brokers for a group's topics: a group tells the racks of the replicas, a cluster's metadata needs their brokers.

A copy of an assignor for every member and every call.

Assignors keep state: kafka-python before 3 and aiokafka on the class itself, as a process has only one consumer of
it. Here all members of a group share the process, so each gets a class of its own.
"""

import copy
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import new_class
from typing import Any, TypeVar

import msgspec

from kassay.errors import InputError
from kassay.model import Group, Member, Topic, TopicPartition
from kassay.model.json_text import RepeatedKeyError, decoded
from kassay.reference.wire import consumer

NO_GENERATION = consumer.NO_GENERATION
"""What the libraries send where a member has no generation."""


def by_topic(partitions: Sequence[TopicPartition]) -> list[tuple[str, list[int]]]:
    """Return each topic with its partition numbers, both in the order in which they first stand there."""
    return [(topic.topic, [*topic.partitions]) for topic in consumer.by_topic(partitions)]


def encoded(message: Any) -> bytes:
    """Return a message as bytes; an assignor may have encoded its own."""
    content: bytes = message if isinstance(message, bytes) else message.encode()
    return content


T = TypeVar("T")


class Claims(msgspec.Struct, forbid_unknown_fields=True):
    """What a member owns by its last answer, of which generation that is, and its rack."""

    owned: dict[str, list[int]]
    generation: int | None = None
    rack: str | None = None


class Answered(msgspec.Struct, forbid_unknown_fields=True):
    """The generation of an answer."""

    generation: int


def claims(owned: Iterable[TopicPartition], generation: int | None, rack: str | None) -> bytes:
    """Write what a member owns."""
    return msgspec.json.encode(Claims(dict(by_topic(sorted(owned))), generation, rack))


def answered(generation: int) -> bytes:
    """Write the generation of an answer."""
    return msgspec.json.encode(Answered(generation))


def generation_of(user_data: bytes) -> int:
    """Read the generation of an answer; raises InputError where the leader wrote something else."""
    return _decoded(user_data, Answered, "answer").generation


def group_of(cluster: Any, members: Iterable[tuple[str, str | None, Iterable[str], bytes]]) -> Group:
    """Return the group that a leader sees: the metadata of its cluster, and each member's id, instance id, topics and user data.

    Raises InputError where a member wrote something else than claims, or they contradict themselves.
    """
    read = [_member(*each) for each in members]
    names = sorted({topic for member in read for topic in member.topics})
    counts = {name: cluster.partitions_for_topic(name) for name in names}
    return Group(
        tuple(_topic(cluster, name, count) for name, count in counts.items() if count is not None),
        tuple(read),
    )


def _member(member: str, instance: str | None, topics: Iterable[str], user_data: bytes) -> Member:
    told = _decoded(user_data, Claims, f"member {member!r}")
    owned = tuple(TopicPartition(topic, number) for topic, some in told.owned.items() for number in some)
    try:
        return Member(member, tuple(topics), owned, told.generation, instance, told.rack)
    except ValueError as wrong:
        raise InputError(f"member {member!r}: {wrong}") from None


def _topic(cluster: Any, name: str, numbers: set[int]) -> Topic:
    # Neither library has a public way from a partition to its replicas.
    known: Mapping[int, Any] = cluster._partitions[name]  # noqa: SLF001
    if numbers != set(range(len(numbers))):
        raise InputError(
            f"topic {name!r}: the cluster's metadata have the partitions {sorted(numbers)}; fetch them again"
        )
    return Topic(name, len(numbers), tuple(_racks(cluster, known[number]) for number in range(len(numbers))))


def _racks(cluster: Any, partition: Any) -> tuple[str | None, ...]:
    nodes = partition.replica_nodes if hasattr(partition, "replica_nodes") else partition.replicas
    brokers = map(cluster.broker_metadata, nodes)
    return tuple(None if broker is None else broker.rack for broker in brokers)


def _decoded(user_data: bytes, kind: type[T], whose: str) -> T:
    try:
        return decoded(user_data, kind)
    except (msgspec.DecodeError, RepeatedKeyError, TypeError, RecursionError) as wrong:
        raise InputError(
            f"{whose}: its user data are not OptimalAssignor's ({wrong}); give all members of the group this assignor"
        ) from None


_NOWHERE = (0,)


@dataclass(frozen=True, slots=True)
class Brokers:
    """As few brokers as carry the replicas: `racks` by broker id, `replicas` by topic and partition.

    Broker 0 has no rack and leads the partitions whose racks are not known.
    """

    racks: Sequence[str | None]
    replicas: dict[str, Sequence[tuple[int, ...]]]


def brokers(group: Group) -> Brokers:
    """Place every replica on a broker in its rack, those of one partition on different brokers."""
    ids: dict[tuple[str | None, int], int] = {(None, 0): 0}
    replicas = {topic.name: _replicas(topic, ids) for topic in group.topics}
    return Brokers([rack for rack, _ in ids], replicas)


def _replicas(topic: Topic, ids: dict[tuple[str | None, int], int]) -> Sequence[tuple[int, ...]]:
    if topic.racks is None:
        return [_NOWHERE] * topic.partitions
    places = []
    for racks in topic.racks:
        nth = [racks[:n].count(rack) for n, rack in enumerate(racks)]
        keys = zip(racks, nth, strict=True)
        places.append(tuple(ids.setdefault(key, len(ids)) for key in keys) or _NOWHERE)
    return places


def fresh(assignor: Any) -> Any:
    """Return an assignor class, or a configured object, that shares no state with the given one."""
    if isinstance(assignor, type):
        return _own_class(assignor)
    own = copy.deepcopy(assignor)
    own.__class__ = _own_class(type(assignor))
    return own


def fresh_object(assignor: Any) -> Any:
    """Return an object of a fresh assignor class, or a fresh configured object."""
    own = fresh(assignor)
    return own() if isinstance(own, type) else own


def _own_class(kind: type) -> type:
    state: dict[str, Any] = {
        name: copy.deepcopy(value)
        for base in reversed(kind.__mro__)
        for name, value in vars(base).items()
        if isinstance(value, (dict, list, set)) and not name.startswith("__")
    }
    # no slots of its own: an object can change from the given class to this one
    state |= {"__module__": kind.__module__, "__qualname__": kind.__qualname__, "__slots__": ()}
    return new_class(kind.__name__, (kind,), exec_body=lambda namespace: namespace.update(state))
