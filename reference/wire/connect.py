"""The bytes of Connect's workers in JoinGroup and SyncGroup: protocols default (eager), compatible and sessioned, versions 0 to 2.

>>> from kassay.reference.wire.connect import Assignment, WorkerState, read_metadata, build_work, write_metadata
>>> runs = Assignment(1, leader="w", leader_url="http://w", offset=5, assignment=build_work(["sink"], [("sink", 0)]))
>>> state = WorkerState(1, "http://w", 5, runs)
>>> read_metadata(write_metadata(state)) == state
True

Later versions are read like these, and keep their number. Fields that an incremental message lacks at its end have their defaults.
Source: ConnectProtocol and IncrementalCooperativeConnectProtocol of connect-runtime 4.3.1 (KIP-415, KIP-507).
"""

from collections.abc import Iterable
from typing import Annotated

import msgspec

from kassay.errors import InputError
from kassay.reference.java.hash_map import hash_order
from kassay.reference.java.strings import string_hash, string_order
from kassay.reference.wire.schema import (
    INT16,
    INT32,
    INT64,
    Field,
    Form,
    Kind,
    MalformedError,
    Message,
    Type,
    array,
    bytes_,
    read_version,
    string,
    structure,
)

EAGER, COMPATIBLE, SESSIONED = 0, 1, 2
"""The versions that Kafka writes."""
CONNECTOR = -1
"""The number among a connector's tasks that means the connector itself."""


def _if_any(of: Type, default: object) -> Type:
    """Return the type of a field that has its default if the message ends before it."""

    def type_(form: Form) -> Kind:
        there = of(form)
        return there._replace(
            read=lambda data, at: (default, at) if at == len(data) else there.read(data, at), least=0
        )

    return type_


class Work(msgspec.Struct, frozen=True):
    """A connector with tasks of it, or CONNECTOR for itself."""

    connector: Annotated[str, string()] = ""
    tasks: Annotated[tuple[int, ...], array(INT32)] = ()


_WORK = array(structure(Work), null_from=1)
_SOME_WORK = _if_any(_WORK, None)


class Assignment(msgspec.Struct, frozen=True):
    """The assignment of a worker, with the delay of the next rebalance in milliseconds."""

    version: Annotated[int, INT16] = COMPATIBLE
    error: Annotated[int, INT16] = 0
    leader: Annotated[str, string()] = ""
    leader_url: Annotated[str, string()] = ""
    offset: Annotated[int, INT64] = 0
    assignment: Annotated[tuple[Work, ...] | None, _SOME_WORK] = None
    revoked: Annotated[tuple[Work, ...] | None, Field(_SOME_WORK, since=1)] = None
    delay: Annotated[int, Field(_if_any(INT32, 0), since=1)] = 0


class WorkerState(msgspec.Struct, frozen=True):
    """The metadata of a worker; `allocation` is its present assignment, from version 1 on."""

    version: int = COMPATIBLE
    url: str = ""
    offset: int = 0
    allocation: Assignment | None = None


class _Metadata(msgspec.Struct, frozen=True):
    version: Annotated[int, INT16] = 0
    url: Annotated[str, string()] = ""
    offset: Annotated[int, INT64] = 0
    allocation: Annotated[bytes | None, Field(_if_any(bytes_(null_from=1), None), since=1)] = None


_OF_EAGER: Message[Assignment] = Message(structure(Assignment, assignment=_WORK), newest=0)
_INCREMENTAL: Message[Assignment] = Message(structure(Assignment), newest=1)
_METADATA: Message[_Metadata] = Message(structure(_Metadata), newest=1)


def write_assignment(value: Assignment) -> bytes:
    """Write an assignment of its version. Raises InputError."""
    return (_OF_EAGER if _is_eager(value.version) else _INCREMENTAL).write(value, min(value.version, 1))


def read_assignment(data: bytes, *, eager: bool = False) -> Assignment:
    """Read an assignment as workers of the eager or of the incremental protocols do; raises MalformedError."""
    read_version(data)
    return (_OF_EAGER if eager else _INCREMENTAL).read(data, 0 if eager else 1)


def write_metadata(value: WorkerState) -> bytes:
    """Write a worker's state of its version. Raises InputError."""
    given = value.allocation
    try:
        allocation = None if given is None else write_assignment(given)
    except InputError as wrong:
        raise InputError(f"allocation.{wrong}") from None
    raw = _Metadata(value.version, value.url, value.offset, allocation)
    return _METADATA.write(raw, 0 if _is_eager(value.version) else 1)


def read_metadata(data: bytes, *, eager: bool = False) -> WorkerState:
    """Read a worker's state as workers of the eager or of the incremental protocols do; raises MalformedError."""
    read_version(data)
    raw = _METADATA.read(data, 0 if eager else 1)
    try:
        given = None if raw.allocation is None else read_assignment(raw.allocation)
    except MalformedError as wrong:
        raise wrong.inside(".allocation") from None
    return WorkerState(raw.version, raw.url, raw.offset, given)


def _is_eager(version: int) -> bool:
    if version not in {EAGER, COMPATIBLE, SESSIONED}:
        raise InputError(f"version: is {version}. Give {EAGER} to {SESSIONED}")
    return version == EAGER


def build_work(connectors: Iterable[str], tasks: Iterable[tuple[str, int]]) -> tuple[Work, ...]:
    """Return assigned work as Kafka writes it: connectors in the order of a HashSet, then those with tasks only."""
    names = list(connectors)
    size = max(int(len(names) / 0.75) + 1, 16)  # as new HashSet(collection)
    return build_revoked(hash_order(names, string_hash, size, string_order), tasks)


def build_revoked(connectors: Iterable[str], tasks: Iterable[tuple[str, int]]) -> tuple[Work, ...]:
    """Return revoked work as Kafka writes it: connectors in their order, then those with tasks only."""
    work: dict[str, list[int]] = {name: [CONNECTOR] for name in connectors}
    for connector, task in tasks:
        work.setdefault(connector, []).append(task)
    return tuple(Work(name, tuple(numbers)) for name, numbers in work.items())
