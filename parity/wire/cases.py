"""The messages, each with what is asked of Kafka's class and how its answers compare."""

import random
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Any
from uuid import UUID

import msgspec
from wire import values
from wire.java import NEWEST, NEWEST_OF_ALL

from kassay.errors import InputError
from kassay.model import Member, TopicPartition
from kassay.reference.wire import connect, consumer, group, streams
from kassay.reference.wire import consumer as sticky
from kassay.reference.wire.schema import Message


@dataclass(frozen=True)
class Case:
    """A message: its versions, how a random value is made, written and read, and as what Kafka's class takes and gives it."""

    versions: range
    make: Callable[[random.Random, int], Any]
    write: Callable[[Any, int], bytes]
    asked: Callable[[Any], Any]
    read: Callable[[bytes, int], Any] | None = None
    seen: Callable[[Any, int], Any] = lambda value, _: value
    release: str = NEWEST


def _made(kind: type) -> Callable[[random.Random, int], Any]:
    return lambda rng, version: values.value(rng, kind, version)


def tree(value: Any) -> Any:
    """Return a value as JSON with Kafka's names of fields, bytes in hex."""
    if isinstance(value, msgspec.Struct):
        names = value.__struct_fields__
        return {_camel(name): tree(getattr(value, name)) for name in names}
    if isinstance(value, tuple):
        return [*map(tree, value)]
    if isinstance(value, bytes):
        return value.hex()
    return str(value) if isinstance(value, UUID) else value


def _tree(value: Any, _: int) -> Any:
    return tree(value)


@cache
def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def rows(value: Any) -> Any:
    """Return a value as JSON in lists, bytes in hex."""
    if isinstance(value, msgspec.Struct):
        return [*map(rows, msgspec.structs.astuple(value))]
    if isinstance(value, tuple):
        return [*map(rows, value)]
    return value.hex() if isinstance(value, bytes) else value


def _generated(message: Message[Any], kind: type) -> Case:
    versions = range(message.oldest, message.newest + 1)
    return Case(versions, _made(kind), message.write, tree, message.read, _tree)


def _embedded(kind: type, write: Any, read: Any) -> Case:
    return Case(range(4), _made(kind), write, tree, lambda data, _: read(data), _tree)


def _member(rng: random.Random, _: int) -> Member:
    owned = dict.fromkeys(values.partition(rng) for _ in range(rng.randrange(12)))
    topics = tuple(values.text(rng) for _ in range(rng.randrange(5)))
    return Member("m", topics, tuple(owned), rng.choice((None, 0, 7)), None, rng.choice((None, "r", "é")))


def _of_member(member: Member) -> Any:
    return [member.topics, member.owned, -1 if member.generation is None else member.generation, member.rack]


def _partitions(rng: random.Random, _: int) -> list[TopicPartition]:
    return [values.partition(rng) for _ in range(rng.choice((0, 1, 5, 30)))]


def _sticky(rng: random.Random, version: int) -> sticky.PreviousAssignment:
    made = _made(sticky.PreviousAssignment)(rng, version)
    return msgspec.structs.replace(made, generation=values.number(rng) if version else None)


def _claims(value: sticky.PreviousAssignment, _: int) -> Any:
    return [[[*one] for one in consumer.list_partitions(value.previous_assignment)], value.generation]


def _info(rng: random.Random, version: int) -> streams.SubscriptionInfo:
    made = _made(streams.SubscriptionInfo)(rng, version)
    latest = rng.randint(version, 12) if version > 2 else -1
    return msgspec.structs.replace(made, version=version, latest_supported_version=latest)


def _named(task: streams.Task) -> streams.Task:
    return msgspec.structs.replace(task, topology=task.topology or None)


def _assignment_info(rng: random.Random, version: int) -> streams.AssignmentInfo:
    made = _made(streams.AssignmentInfo)(rng, version)
    standby = {
        (task := _named(one.task)): streams.Standby(task, _once(one.partitions)) for one in made.standby_tasks
    }
    active, standby_by_host = made.partitions_by_host, made.standby_partitions_by_host
    return msgspec.structs.replace(
        made,
        version=version,
        active_tasks=tuple(map(_named, made.active_tasks)),
        standby_tasks=tuple(standby.values()),
        partitions_by_host=_hosts(active),
        standby_partitions_by_host=_hosts(standby_by_host),
    )


def _once(partitions: tuple[TopicPartition, ...]) -> tuple[TopicPartition, ...]:
    return tuple(dict.fromkeys(partitions))


def _hosts(hosts: Any) -> Any:
    of = streams.HostPartitions
    return tuple(
        {(one.host, one.port): of(one.host, one.port, _once(one.partitions)) for one in hosts}.values()
    )


def _seen_info(value: streams.AssignmentInfo, _: int) -> Any:
    """Return it as Kafka's reader keeps it: in maps and sets; half surrogate pairs become question marks in JSON."""
    hosts = (value.partitions_by_host, value.standby_partitions_by_host)
    placed = [{_plain(f"{one.host} {one.port}"): _places(one.partitions) for one in some} for some in hosts]
    return {
        "version": value.version,
        "commonlySupportedVersion": value.commonly_supported_version,
        "activeTasks": [*map(_task, value.active_tasks)],
        "standbyTasks": {_task(one.task): _places(one.partitions) for one in value.standby_tasks},
        "partitionsByHost": placed[0],
        "standbyPartitionsByHost": placed[1],
        "errorCode": value.error_code,
        "nextRebalanceMs": value.next_rebalance_ms,
    }


def _task(task: streams.Task) -> str:
    return _plain(f"{task.subtopology} {task.partition} {'null' if task.topology is None else task.topology}")


def _places(partitions: tuple[TopicPartition, ...]) -> list[str]:
    return sorted(
        (_plain(f"{one.topic} {one.partition}") for one in set(partitions)),
        key=lambda one: one.encode("utf-16-be"),
    )


def _plain(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def _worker(rng: random.Random, version: int) -> connect.WorkerState:
    made = _made(connect.WorkerState)(rng, version)
    given = _given(rng, version) if version and rng.random() < 0.7 else None
    with suppress(InputError):  # of an allocation that cannot be written Kafka's class cannot be asked
        connect.write_metadata(connect.WorkerState(version, allocation=given))
        return msgspec.structs.replace(made, version=version, allocation=given)
    return msgspec.structs.replace(made, version=version, allocation=None)


def _given(rng: random.Random, version: int) -> connect.Assignment:
    made = _made(connect.Assignment)(rng, version)
    lost = {} if version else {"revoked": None, "delay": 0}
    return msgspec.structs.replace(made, version=version, **lost)


def _of_worker(value: connect.WorkerState) -> Any:
    given = value.allocation
    return [value.url, value.offset, None if given is None else connect.write_assignment(given).hex()]


def _seen_work(value: connect.Assignment, version: int) -> Any:
    seen = {
        "error": value.error,
        "leader": value.leader,
        "leaderUrl": value.leader_url,
        "offset": value.offset,
    }
    for prefix, works in (("", value.assignment), ("revoked", value.revoked)):
        pairs = [(work.connector, task) for work in works or () for task in work.tasks]
        names = ("connectors", "tasks") if not prefix else ("revokedConnectors", "revokedTasks")
        seen[names[0]] = [connector for connector, task in pairs if task == connect.CONNECTOR]
        seen[names[1]] = [f"{connector}-{task}" for connector, task in pairs if task != connect.CONNECTOR]
    if not version:
        return {name: held for name, held in seen.items() if "revoked" not in name}
    return {"version": value.version, **seen, "delay": value.delay}


def _seen_worker(value: connect.WorkerState, version: int) -> Any:
    seen = {"url": value.url, "offset": value.offset}
    if not version:
        return seen
    given = value.allocation
    return seen | {"assignment": _NOTHING if given is None else _seen_work(given, version)}


_NOTHING = _seen_work(connect.Assignment(offset=-1), 1) | {"leader": None, "leaderUrl": None}
"""What Kafka takes for the assignment of a worker that has none."""


def _works(rng: random.Random, _: int) -> list[Any]:
    """Make connectors and tasks, then such as are revoked."""
    return [
        kind
        for _ in range(2)
        for kind in ([values.text(rng) for _ in _partitions(rng, 0)], _partitions(rng, 0))
    ]


def _led(works: list[Any], version: int) -> bytes:
    given, revoked = connect.build_work(*works[:2]), connect.build_revoked(*works[2:])
    lost = (None, 0) if not version else (revoked, 7)
    return connect.write_assignment(connect.Assignment(version, 0, "l", "l", 1, given, *lost))


def _connect(write: Any, read: Any) -> dict[str, Any]:
    return {
        "release": NEWEST_OF_ALL,
        "versions": range(3),
        "write": lambda value, _: write(value),
        "read": lambda data, v: read(data, eager=not v),
    }


CASES = {
    "JoinGroupRequestData": _generated(group.JOIN_GROUP_REQUEST, group.JoinGroupRequest),
    "JoinGroupResponseData": _generated(group.JOIN_GROUP_RESPONSE, group.JoinGroupResponse),
    "SyncGroupRequestData": _generated(group.SYNC_GROUP_REQUEST, group.SyncGroupRequest),
    "SyncGroupResponseData": _generated(group.SYNC_GROUP_RESPONSE, group.SyncGroupResponse),
    "ConsumerProtocolSubscription": _embedded(
        consumer.Subscription, consumer.write_subscription, consumer.read_subscription
    ),
    "ConsumerProtocolAssignment": _embedded(
        consumer.Assignment, consumer.write_assignment, consumer.read_assignment
    ),
    "consumer": Case(
        range(4), _member, lambda one, v: consumer.write_subscription(consumer.build_subscription(one), v), _of_member
    ),
    "leader": Case(range(4), _partitions, lambda some, v: consumer.write_assignment(consumer.build_assignment(some), v), rows),
    "sticky": Case(
        range(2), _sticky, lambda value, _: sticky.write_sticky(value), rows, lambda data, _: sticky.read_sticky(data), _claims
    ),
    "sticky assignor": Case(
        range(1, 2),
        _partitions,
        lambda some, _: sticky.write_sticky(sticky.build_previous_assignment(some, len(some))),
        lambda some: [some, len(some)],
    ),
    "cooperative": Case(
        range(1),
        lambda rng, _: values.number(rng),
        lambda generation, _: sticky.write_cooperative(generation),
        lambda generation: [generation],
        lambda data, _: sticky.read_cooperative(data),
        lambda generation, _: [[], generation],
    ),
    "SubscriptionInfoData": Case(
        range(1, 12),
        _info,
        lambda value, _: streams.write_subscription(value),
        tree,
        lambda data, _: streams.read_subscription(data),
        _tree,
        NEWEST_OF_ALL,
    ),
    "streams assignment": Case(
        range(1, 12),
        _assignment_info,
        lambda value, _: streams.write_assignment(value),
        rows,
        lambda data, _: streams.read_assignment(data),
        _seen_info,
        NEWEST_OF_ALL,
    ),
    "connect assignment": Case(
        make=_given, asked=lambda value: rows(value)[1:], seen=_seen_work, **_connect(connect.write_assignment, connect.read_assignment)
    ),
    "connect leader": Case(range(3), _works, _led, lambda works: ["l", *works], release=NEWEST_OF_ALL),
    "connect metadata": Case(
        make=_worker, asked=_of_worker, seen=_seen_worker, **_connect(connect.write_metadata, connect.read_metadata)
    ),
}  # fmt: skip
