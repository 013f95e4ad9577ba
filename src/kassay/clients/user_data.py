"""What members of OptimalAssignor tell their leader beside their subscription, and it them: JSON in the user data.

Members of kafka-python and aiokafka write the same, so they may be in one group. The generation counts the answers of the
group's leaders: aiokafka tells its assignors none.
"""

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

import msgspec

from kassay.clients.wire import by_topic
from kassay.errors import InputError
from kassay.model import Group, Member, Topic, TopicPartition
from kassay.model.json_text import RepeatedKeyError, decoded

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
    except (msgspec.DecodeError, RepeatedKeyError, TypeError) as wrong:
        raise InputError(
            f"{whose}: its user data are not OptimalAssignor's ({wrong}); give all members of the group this assignor"
        ) from None
