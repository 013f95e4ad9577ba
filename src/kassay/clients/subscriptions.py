"""Messages between members and their leader in the form of the libraries: user data, metadata of brokers, and a fresh assignor for each member.

Members of OptimalAssignor write the partitions that they own as JSON into their user data, and its leader the generation of its answer.
kafka-python and aiokafka write the same, so their members may be in one group. The generation counts the answers of the group's leaders,
because aiokafka has no other for its assignors.
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
"""The generation that the libraries send for a member without one."""


def group_by_topic(partitions: Sequence[TopicPartition]) -> list[tuple[str, list[int]]]:
    """Return each topic with its partition numbers, both in order of appearance."""
    return [(topic.topic, [*topic.partitions]) for topic in consumer.by_topic(partitions)]


def encode(message: Any) -> bytes:
    """Return a message as bytes, into which an assignor may have encoded it already."""
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


def claims(owned: Iterable[TopicPartition], generation: int | None, rack: str | None) -> bytes:
    """Write what a member owns."""
    return msgspec.json.encode(Claims(dict(group_by_topic(sorted(owned))), generation, rack))


def write_answer(generation: int) -> bytes:
    """Write the generation of an answer."""
    return msgspec.json.encode(Answered(generation))


def generation_of(user_data: bytes) -> int:
    """Read the generation of an answer; raises InputError if the leader wrote something else."""
    return _decode(user_data, Answered, "answer").generation


def group_of(cluster: Any, members: Iterable[tuple[str, str | None, Iterable[str], bytes]]) -> Group:
    """Return the group that a leader sees, of its cluster's metadata and each member's id, instance id, topics and user data.

    Raises InputError if a member wrote something else than claims, or contradicts itself.
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
            f"topic {name!r}: the cluster's metadata have the partitions {sorted(numbers)}; fetch them again"
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
        return decoded(user_data, kind)
    except (msgspec.DecodeError, RepeatedKeyError, TypeError, RecursionError) as wrong:
        raise InputError(
            f"{whose}: its user data are not OptimalAssignor's ({wrong}); give all members of the group this assignor"
        ) from None


@dataclass(frozen=True, slots=True)
class Brokers:
    """The fewest brokers that can have a group's replicas: a group names racks, and a cluster's metadata brokers."""

    racks: Sequence[str | None]
    """By broker id. Broker 0 has no rack and leads the partitions whose racks are not known."""
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
    # no slots of its own: an object can change from the given class to this one
    state |= {"__module__": kind.__module__, "__qualname__": kind.__qualname__, "__slots__": ()}
    return new_class(kind.__name__, (kind,), exec_body=lambda namespace: namespace.update(state))
