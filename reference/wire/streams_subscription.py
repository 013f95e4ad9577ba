"""What threads of Kafka Streams write into a subscription's user data: SubscriptionInfo, versions 1 to 11.

>>> from uuid import UUID
>>> from kassay.reference.wire.streams_subscription import NEWEST, SubscriptionInfo, TaskOffsetSum, read, write
>>> joining = SubscriptionInfo(NEWEST, NEWEST, UUID(int=1), task_offset_sums=(TaskOffsetSum(0, 3, 250),))
>>> read(write(joining)) == joining
True

Of a version newer than known, only that and the newest one that its writer supports are read: the answer offers a common one (version
probing). Names and defaults are those of Kafka's schema. Source: kafka-streams 4.3.1.
"""

from uuid import UUID

import msgspec

from kassay.errors import InputError
from kassay.reference.wire.kinds import INT8, INT32, INT64, UUID16, MalformedError, array, bytes_, cut, string
from kassay.reference.wire.messages import Field, Message, read_version, structure

NEWEST = 11
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
    oldest=1,
    newest=NEWEST,
)


def write(value: SubscriptionInfo) -> bytes:
    """Write a value of its version; raises InputError where that cannot say it."""
    if wrong := _wrong(value):
        raise InputError(f"version: {wrong}")
    return MESSAGE.write(value, value.version)


def read(data: bytes) -> SubscriptionInfo:
    """Read a value; raises MalformedError."""
    version = read_version(data, INT32, oldest=1)
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
