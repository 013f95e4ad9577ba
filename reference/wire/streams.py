"""What threads of Kafka Streams write into a subscription's user data: SubscriptionInfo, versions 1 to 11.

>>> from uuid import UUID
>>> from kassay.reference.wire.streams import NEWEST, SubscriptionInfo, TaskOffsetSum, read_subscription, write_subscription
>>> joining = SubscriptionInfo(NEWEST, NEWEST, UUID(int=1), task_offset_sums=(TaskOffsetSum(0, 3, 250),))
>>> read_subscription(write_subscription(joining)) == joining
True

Of a version newer than known, only that and the newest one that its writer supports are read: the answer offers a common one (version
probing). Names and defaults are those of Kafka's schema. Source: kafka-streams 4.3.1.
"""

from collections.abc import Callable, Iterable
from typing import Any
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
    from_modified,
    modified,
    read_version,
    string,
    structure,
)

OLDEST, NEWEST = 1, 11
UNKNOWN = -1
"""The newest supported version of a writer of version 1 or 2, which cannot tell."""
_FIRST_TO_TELL = 3


class TaskId(msgspec.Struct, frozen=True):
    """A task: its subtopology and partition."""

    topic_group_id: int = 0
    partition: int = 0


class PartitionToOffsetSum(msgspec.Struct, frozen=True):
    """The sum of a task's offsets, for the task of a partition; -2 says that it is active."""

    partition: int = 0
    offset_sum: int = 0


class TaskOffsetSum(msgspec.Struct, frozen=True):
    """The sum of a task's offsets, from version 10 on, or those of a subtopology's tasks, before."""

    topic_group_id: int = 0
    partition: int = 0
    offset_sum: int = 0
    named_topology: str | None = ""
    partition_to_offset_sum: tuple[PartitionToOffsetSum, ...] = ()


class ClientTag(msgspec.Struct, frozen=True):
    """A tag of a client (KIP-708), in UTF-8."""

    key: bytes = b""
    value: bytes = b""


class SubscriptionInfo(msgspec.Struct, frozen=True):
    """What a thread tells of its process and its tasks; `user_end_point` is host and port in UTF-8."""

    version: int = 0
    latest_supported_version: int = UNKNOWN
    process_id: UUID = UUID(int=0)
    prev_tasks: tuple[TaskId, ...] = ()
    standby_tasks: tuple[TaskId, ...] = ()
    user_end_point: bytes = b""
    task_offset_sums: tuple[TaskOffsetSum, ...] = ()
    unique_field: int = 0
    error_code: int = 0
    client_tags: tuple[ClientTag, ...] = ()


_TASKS = array(structure(TaskId, Field("topic_group_id", INT32), Field("partition", INT32)))
_PARTITION = structure(PartitionToOffsetSum, Field("partition", INT32), Field("offset_sum", INT64))
_SUM = structure(
    TaskOffsetSum,
    Field("topic_group_id", INT32),
    Field("partition", INT32, since=10),
    Field("offset_sum", INT64, since=10),
    Field("named_topology", string(null_from=10), since=10),
    Field("partition_to_offset_sum", array(_PARTITION), until=9),
)
_TAG = structure(ClientTag, Field("key", bytes_()), Field("value", bytes_()))
MESSAGE: Message[SubscriptionInfo] = Message(
    structure(
        SubscriptionInfo,
        Field("version", INT32),
        Field("latest_supported_version", INT32, since=3),
        Field("process_id", UUID16),
        Field("prev_tasks", _TASKS, until=6),
        Field("standby_tasks", _TASKS, until=6),
        Field("user_end_point", bytes_(), since=2),
        Field("task_offset_sums", array(_SUM), since=7),
        Field("unique_field", INT8, since=8),
        Field("error_code", INT32, since=9),
        Field("client_tags", array(_TAG), since=11),
    ),
    oldest=OLDEST,
    newest=NEWEST,
)


def write_subscription(value: SubscriptionInfo) -> bytes:
    """Write a value of its version; raises InputError where that cannot say it."""
    if wrong := _wrong(value):
        raise InputError(f"version: {wrong}")
    return MESSAGE.write(value, value.version)


def read_subscription(data: bytes) -> SubscriptionInfo:
    """Read a value; raises MalformedError."""
    version = read_version(data, INT32, OLDEST)
    if version <= NEWEST:
        value = MESSAGE.read(data, version)
    else:
        value = SubscriptionInfo(version, int.from_bytes(data[4 : cut(data, 4, 4)], signed=True))
    if said := _wrong(value):
        raise MalformedError(said, 0).inside(".version")
    return value


def _wrong(value: SubscriptionInfo) -> str | None:
    """Say what is wrong with a version and the newest one its writer supports, if anything is."""
    version, latest = value.version, value.latest_supported_version
    if latest == UNKNOWN:
        return (
            None if 1 <= version < _FIRST_TO_TELL else f"is {version}, and a newest supported one is missing"
        )
    return None if 1 <= version <= latest else f"is {version}, and the newest supported one {latest}"


"""The version that all support, in versions 1 and 2, which cannot tell."""
NEVER_MS = 2**63 - 1
_LONGEST = 0xFFFF


class Task(msgspec.Struct, frozen=True):
    """A task: its subtopology and partition, and its named topology, if any, which versions from 10 on can tell."""

    subtopology: int = 0
    partition: int = 0
    topology: str | None = None


class Standby(msgspec.Struct, frozen=True):
    """A standby task with the partitions it reads."""

    task: Task = Task()
    partitions: tuple[TopicPartition, ...] = ()


class HostPartitions(msgspec.Struct, frozen=True):
    """Where an instance of the application answers queries, and the partitions whose stores it has."""

    host: str = ""
    port: int = 0
    partitions: tuple[TopicPartition, ...] = ()


class AssignmentInfo(msgspec.Struct, frozen=True):
    """What a thread is given, and who has which partitions; what a version cannot tell is left out, as by Kafka.

    Where a task, or a host, is listed twice, Kafka's reader keeps the last.
    """

    version: int = NEWEST
    commonly_supported_version: int = UNKNOWN
    active_tasks: tuple[Task, ...] = ()
    standby_tasks: tuple[Standby, ...] = ()
    partitions_by_host: tuple[HostPartitions, ...] = ()
    standby_partitions_by_host: tuple[HostPartitions, ...] = ()
    error_code: int = 0
    next_rebalance_ms: int = NEVER_MS


class _Partition(msgspec.Struct, frozen=True):
    topic: str = ""
    partition: int = 0


class _Numbered(msgspec.Struct, frozen=True):
    topic: int = 0
    partition: int = 0


class _Topic(msgspec.Struct, frozen=True):
    number: int = 0
    name: str = ""


class _Info(msgspec.Struct, frozen=True):
    """The message as it lies on the wire."""

    version: int = 0
    commonly_supported_version: int = UNKNOWN
    active_tasks: tuple[Task, ...] = ()
    standby_tasks: tuple[Standby, ...] = ()
    hosts: tuple[HostPartitions, ...] = ()
    topics: tuple[_Topic, ...] = ()
    partitions_by_host: tuple[HostPartitions, ...] = ()
    standby_partitions_by_host: tuple[HostPartitions, ...] = ()
    error_code: int = 0
    next_rebalance_ms: int = NEVER_MS


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
        written = modified(value)
        if len(written) > _LONGEST:
            raise InputError(f": takes {len(written)} bytes; give at most {_LONGEST}")
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


_TASK = structure(
    Task, Field("subtopology", INT32), Field("partition", INT32), Field("topology", _topology, since=10)
)
_PARTITIONS = array(structure(_Partition, Field("topic", _utf), Field("partition", INT32)))
_NUMBERED = array(structure(_Numbered, Field("topic", INT32), Field("partition", INT32)))


def _hosts(partitions: Any) -> Any:
    """Return the type of hosts whose partitions are of a type."""
    return array(
        structure(HostPartitions, Field("host", _utf), Field("port", INT32), Field("partitions", partitions))
    )


_MESSAGE: Message[_Info] = Message(
    structure(
        _Info,
        Field("version", INT32),
        Field("commonly_supported_version", INT32, since=3, ignorable=True),
        Field("active_tasks", array(_TASK)),
        Field("standby_tasks", array(structure(Standby, Field("task", _TASK), Field("partitions", _PARTITIONS)))),
        Field("hosts", _hosts(_PARTITIONS), since=2, until=4, ignorable=True),
        Field("topics", array(structure(_Topic, Field("number", INT32), Field("name", _utf))), since=5, ignorable=True),
        Field("partitions_by_host", _hosts(_NUMBERED), since=5, ignorable=True),
        Field("standby_partitions_by_host", _hosts(_NUMBERED), since=6, ignorable=True),
        Field("error_code", INT32, since=4, ignorable=True),
        Field("next_rebalance_ms", INT64, since=7, ignorable=True),
    ),
    oldest=OLDEST,
    newest=NEWEST,
)  # fmt: skip


def write_assignment(value: AssignmentInfo) -> bytes:
    """Write a value of its version; raises InputError for what that cannot say."""
    listed = [value.partitions_by_host, value.standby_partitions_by_host if value.version > 5 else ()]
    used = (one for hosts in listed for host in hosts for one in host.partitions)
    names = dict.fromkeys(one.topic for one in hash_order(used, topic_partition_hash))
    numbers = {name: n for n, name in enumerate(names)}
    topics = (_Topic(numbers[name], name) for name in hash_order(names, string_hash, 16, string_order))
    indexed = [_each(hosts, lambda one: _Numbered(numbers[one.topic], one.partition)) for hosts in listed]
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
    """Read a value; raises MalformedError, also where a partition's topic is not in the dictionary (Kafka takes null for it)."""
    version = read_version(data, INT32, OLDEST)
    if version > NEWEST:
        raise MalformedError(f"{version} is newer than {NEWEST}", 0).inside(".version")
    raw = _MESSAGE.read(data, version)
    names = {topic.number: topic.name for topic in raw.topics}
    try:
        indexed = [
            _each(hosts, lambda one: TopicPartition(names[one.topic], one.partition))
            for hosts in (raw.partitions_by_host, raw.standby_partitions_by_host)
        ]
    except KeyError as wrong:
        raise MalformedError(f"none has the number {wrong}", len(data)).inside("topics") from None
    return AssignmentInfo(
        version,
        raw.commonly_supported_version,
        raw.active_tasks,
        tuple(Standby(one.task, _named(one.partitions)) for one in raw.standby_tasks),
        _each(raw.hosts, _name) if version < 5 else indexed[0],
        indexed[1],
        raw.error_code,
        raw.next_rebalance_ms,
    )


def _name(one: Any) -> TopicPartition:
    return TopicPartition(one.topic, one.partition)


def _named(partitions: Iterable[Any]) -> tuple[TopicPartition, ...]:
    return tuple(map(_name, partitions))


def _each(hosts: Iterable[HostPartitions], of: Callable[[Any], Any]) -> tuple[HostPartitions, ...]:
    """Return the hosts with something else for each of their partitions."""
    return tuple(HostPartitions(one.host, one.port, tuple(map(of, one.partitions))) for one in hosts)
