"""User data of Kafka Streams: SubscriptionInfo of threads and AssignmentInfo of their leader, versions 1 to 11.

>>> from kassay.reference.wire.streams import SubscriptionInfo, TaskOffsetSum, read_subscription, write_subscription
>>> joining = SubscriptionInfo(11, 11, UUID(int=1), task_offset_sums=(TaskOffsetSum(0, 3, 250),))
>>> read_subscription(write_subscription(joining)) == joining
True

Of a newer version only its number and the newest one that its writer supports are read: the answer offers a common one (version probing).
Names and defaults are those of Kafka's schema.

>>> from kassay.reference.wire.streams import AssignmentInfo, Standby, Task, read_assignment, write_assignment
>>> given = AssignmentInfo(11, 11, active_tasks=(Task(0, 3),), standby_tasks=(Standby(Task(1, 0)),))
>>> read_assignment(write_assignment(given)) == given
True

Kafka has no schema of AssignmentInfo. Text is modified UTF-8; from version 5 on the topics of hosts are in a dictionary, in the order of a
HashMap. Newer versions are refused, as by Kafka. Source: kafka-streams 4.3.1.
"""

from collections.abc import Callable, Iterable
from typing import Annotated, Any
from uuid import UUID

import msgspec

from kassay.errors import InputError
from kassay.model import TopicPartition
from kassay.reference.java.hash_map import hash_order
from kassay.reference.java.strings import string_hash, string_order, topic_partition_hash
from kassay.reference.wire.schema import (
    INT8,
    INT16,
    INT32,
    INT64,
    UUID16,
    Field,
    Form,
    Kind,
    MalformedError,
    Message,
    array,
    bytes_,
    cut,
    encode_modified_utf8,
    from_modified,
    read_version,
    string,
    structure,
)

OLDEST, NEWEST = 1, 11
UNKNOWN = -1
"""The newest version that a writer supports, or that all support, in versions 1 and 2, which do not have it."""
_FIRST_TO_TELL = 3


class TaskId(msgspec.Struct, frozen=True):
    """A task: its subtopology and partition."""

    topic_group_id: Annotated[int, INT32] = 0
    partition: Annotated[int, INT32] = 0


class PartitionToOffsetSum(msgspec.Struct, frozen=True):
    """The sum of offsets of the task of a partition; -2 means that it is active."""

    partition: Annotated[int, INT32] = 0
    offset_sum: Annotated[int, INT64] = 0


_SUMS_OF_PARTITIONS = array(structure(PartitionToOffsetSum))


class TaskOffsetSum(msgspec.Struct, frozen=True):
    """The sum of a task's offsets from version 10 on; before, the sums of a subtopology's tasks."""

    topic_group_id: Annotated[int, INT32] = 0
    partition: Annotated[int, Field(INT32, since=10)] = 0
    offset_sum: Annotated[int, Field(INT64, since=10)] = 0
    named_topology: Annotated[str | None, Field(string(null_from=10), since=10)] = ""
    partition_to_offset_sum: Annotated[
        tuple[PartitionToOffsetSum, ...], Field(_SUMS_OF_PARTITIONS, until=9)
    ] = ()


class ClientTag(msgspec.Struct, frozen=True):
    """A tag of a client (KIP-708), in UTF-8."""

    key: Annotated[bytes, bytes_()] = b""
    value: Annotated[bytes, bytes_()] = b""


_TASKS = Field(array(structure(TaskId)), until=6)
_SUMS = Field(array(structure(TaskOffsetSum)), since=7)
_TAGS = Field(array(structure(ClientTag)), since=11)


class SubscriptionInfo(msgspec.Struct, frozen=True):
    """The process of a thread and its tasks; `user_end_point` is host and port in UTF-8."""

    version: Annotated[int, INT32] = 0
    latest_supported_version: Annotated[int, Field(INT32, since=3)] = UNKNOWN
    process_id: Annotated[UUID, UUID16] = UUID(int=0)
    prev_tasks: Annotated[tuple[TaskId, ...], _TASKS] = ()
    standby_tasks: Annotated[tuple[TaskId, ...], _TASKS] = ()
    user_end_point: Annotated[bytes, Field(bytes_(), since=2)] = b""
    task_offset_sums: Annotated[tuple[TaskOffsetSum, ...], _SUMS] = ()
    unique_field: Annotated[int, Field(INT8, since=8)] = 0
    error_code: Annotated[int, Field(INT32, since=9)] = 0
    client_tags: Annotated[tuple[ClientTag, ...], _TAGS] = ()


MESSAGE: Message[SubscriptionInfo] = Message(structure(SubscriptionInfo), oldest=OLDEST, newest=NEWEST)


def write_subscription(value: SubscriptionInfo) -> bytes:
    """Write a value of its version; raises InputError if the version cannot say it."""
    if wrong := _find_wrong_version(value):
        raise InputError(f"version: {wrong}")
    return MESSAGE.write(value, value.version)


def read_subscription(data: bytes) -> SubscriptionInfo:
    """Read a value; raises MalformedError."""
    version = read_version(data, INT32, OLDEST)
    if version <= NEWEST:
        value = MESSAGE.read(data, version)
    else:
        value = SubscriptionInfo(version, int.from_bytes(data[4 : cut(data, 4, 4)], signed=True))
    if wrong := _find_wrong_version(value):
        raise MalformedError(wrong, 0).inside(".version")
    return value


def _find_wrong_version(value: SubscriptionInfo) -> str:
    """Return the defect of a version and the newest one that its writer supports, "" if there is none."""
    version, latest = value.version, value.latest_supported_version
    if latest == UNKNOWN:
        known = 1 <= version < _FIRST_TO_TELL
        return "" if known else f"is {version}, and a newest supported one is missing"
    return "" if 1 <= version <= latest else f"is {version}, and the newest supported one {latest}"


NEVER_MS = 2**63 - 1
_LONGEST = 0xFFFF


def _utf(form: Form) -> Kind:
    """Return the kind of text as DataOutput.writeUTF writes it."""
    short = INT16(form)

    def read(data: bytes, at: int) -> tuple[str, int]:
        size, start = short.read(data, at)
        end = cut(data, start, size & _LONGEST)
        try:
            return from_modified(data[start:end]), end
        except ValueError as wrong:
            raise MalformedError(str(wrong), start) from None

    def write(value: str, out: list[bytes]) -> None:
        written = encode_modified_utf8(value)
        if len(written) > _LONGEST:
            raise InputError(f": takes {len(written)} bytes. Give at most {_LONGEST}")
        out += len(written).to_bytes(2), written

    return Kind(read, write, short.least)


def _topology(form: Form) -> Kind:
    """Return the kind of a named topology: UTF-16 behind its length, 0 for none."""
    count = INT32(form)

    def read(data: bytes, at: int) -> tuple[str | None, int]:
        units, start = count.read(data, at)
        end = cut(data, start, 2 * max(units, 0))
        return data[start:end].decode("utf-16-be", "surrogatepass") or None, end

    def write(value: str | None, out: list[bytes]) -> None:
        written = (value or "").encode("utf-16-be", "surrogatepass")
        count.write(len(written) // 2, out)
        out.append(written)

    return Kind(read, write, count.least)


class _Partition(msgspec.Struct, frozen=True):
    topic: Annotated[str, _utf] = ""
    partition: Annotated[int, INT32] = 0


class _Numbered(msgspec.Struct, frozen=True):
    topic: Annotated[int, INT32] = 0
    partition: Annotated[int, INT32] = 0


class _Topic(msgspec.Struct, frozen=True):
    number: Annotated[int, INT32] = 0
    name: Annotated[str, _utf] = ""


_PARTITIONS, _NUMBERED = array(structure(_Partition)), array(structure(_Numbered))


class Task(msgspec.Struct, frozen=True):
    """A task: its subtopology and partition, and its named topology, if any."""

    subtopology: Annotated[int, INT32] = 0
    partition: Annotated[int, INT32] = 0
    topology: Annotated[str | None, Field(_topology, since=10)] = None


class Standby(msgspec.Struct, frozen=True):
    """A standby task with the partitions it reads."""

    task: Annotated[Task, structure(Task)] = Task()
    partitions: Annotated[tuple[TopicPartition, ...], _PARTITIONS] = ()


class HostPartitions(msgspec.Struct, frozen=True):
    """The address at which an instance of the application answers queries, and the partitions whose stores it has."""

    host: Annotated[str, _utf] = ""
    port: Annotated[int, INT32] = 0
    partitions: Annotated[tuple[TopicPartition, ...], _PARTITIONS] = ()


class AssignmentInfo(msgspec.Struct, frozen=True):
    """The assignment of a thread, and the partitions of all hosts; values that the version lacks are left out, as by Kafka.

    If a task or a host is listed twice, Kafka's reader keeps the last.
    """

    version: int = NEWEST
    commonly_supported_version: int = UNKNOWN
    active_tasks: tuple[Task, ...] = ()
    standby_tasks: tuple[Standby, ...] = ()
    partitions_by_host: tuple[HostPartitions, ...] = ()
    standby_partitions_by_host: tuple[HostPartitions, ...] = ()
    error_code: int = 0
    next_rebalance_ms: int = NEVER_MS


_ACTIVE, _STANDBY = array(structure(Task)), array(structure(Standby))
_HOSTS, _INDEXED = array(structure(HostPartitions)), array(structure(HostPartitions, partitions=_NUMBERED))
_ON_HOSTS = tuple[HostPartitions, ...]


class _Info(msgspec.Struct, frozen=True):
    """The message on the wire."""

    version: Annotated[int, INT32] = 0
    commonly_supported_version: Annotated[int, Field(INT32, since=3, ignorable=True)] = UNKNOWN
    active_tasks: Annotated[tuple[Task, ...], _ACTIVE] = ()
    standby_tasks: Annotated[tuple[Standby, ...], _STANDBY] = ()
    hosts: Annotated[_ON_HOSTS, Field(_HOSTS, since=2, until=4, ignorable=True)] = ()
    topics: Annotated[tuple[_Topic, ...], Field(array(structure(_Topic)), since=5, ignorable=True)] = ()
    partitions_by_host: Annotated[_ON_HOSTS, Field(_INDEXED, since=5, ignorable=True)] = ()
    standby_partitions_by_host: Annotated[_ON_HOSTS, Field(_INDEXED, since=6, ignorable=True)] = ()
    error_code: Annotated[int, Field(INT32, since=4, ignorable=True)] = 0
    next_rebalance_ms: Annotated[int, Field(INT64, since=7, ignorable=True)] = NEVER_MS


_MESSAGE: Message[_Info] = Message(structure(_Info), oldest=OLDEST, newest=NEWEST)


def write_assignment(value: AssignmentInfo) -> bytes:
    """Write a value of its version; raises InputError if the version cannot say it."""
    listed = [value.partitions_by_host, value.standby_partitions_by_host if value.version > 5 else ()]
    used = (one for hosts in listed for host in hosts for one in host.partitions)
    names = dict.fromkeys(one.topic for one in hash_order(used, topic_partition_hash))
    numbers = {name: n for n, name in enumerate(names)}
    topics = (_Topic(numbers[name], name) for name in hash_order(names, string_hash, 16, string_order))
    indexed = [
        _map_partitions(hosts, lambda one: _Numbered(numbers[one.topic], one.partition)) for hosts in listed
    ]
    raw = _Info(
        value.version,
        value.commonly_supported_version,
        value.active_tasks,
        value.standby_tasks,
        value.partitions_by_host,
        tuple(topics),
        indexed[0],
        indexed[1],
        value.error_code,
        value.next_rebalance_ms,
    )
    return _MESSAGE.write(raw, value.version)


def read_assignment(data: bytes) -> AssignmentInfo:
    """Read a value; raises MalformedError, also if a partition's topic is not in the dictionary (Kafka takes null for it)."""
    version = read_version(data, INT32, OLDEST)
    if version > NEWEST:
        raise MalformedError(f"{version} is newer than {NEWEST}", 0).inside(".version")
    raw = _MESSAGE.read(data, version)
    names = {topic.number: topic.name for topic in raw.topics}
    try:
        indexed = [
            _map_partitions(hosts, lambda one: TopicPartition(names[one.topic], one.partition))
            for hosts in (raw.partitions_by_host, raw.standby_partitions_by_host)
        ]
    except KeyError as wrong:
        raise MalformedError(f"none has the number {wrong}", len(data)).inside("topics") from None
    if version < 5:
        indexed[0] = _map_partitions(raw.hosts, _convert)
    return AssignmentInfo(
        version,
        raw.commonly_supported_version,
        raw.active_tasks,
        tuple(Standby(one.task, tuple(map(_convert, one.partitions))) for one in raw.standby_tasks),
        indexed[0],
        indexed[1],
        raw.error_code,
        raw.next_rebalance_ms,
    )


def _convert(one: Any) -> TopicPartition:
    return TopicPartition(one.topic, one.partition)


def _map_partitions(hosts: Iterable[HostPartitions], of: Callable[[Any], Any]) -> tuple[HostPartitions, ...]:
    """Return the hosts with each of their partitions replaced."""
    return tuple(HostPartitions(one.host, one.port, tuple(map(of, one.partitions))) for one in hosts)
