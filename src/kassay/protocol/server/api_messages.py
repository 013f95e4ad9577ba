"""Requests and responses of a broker: headers, served versions, and the bytes.

JoinGroup and SyncGroup use the codecs of :mod:`kassay.reference.wire`, and all others use kio.
Source: Apache Kafka's protocol guide, KIP-482 (flexible versions), KIP-511 (ApiVersions).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, is_dataclass
from dataclasses import fields as fields_of
from enum import IntEnum
from functools import cache
from importlib import import_module
from io import BytesIO
from types import ModuleType
from typing import Any, get_args, get_origin

from kio.index import load_request_schema, load_response_schema
from kio.serial import entity_reader, entity_writer
from kio.serial.errors import SerialError

from kassay.reference.wire.group import (
    JOIN_GROUP_REQUEST,
    JOIN_GROUP_RESPONSE,
    SYNC_GROUP_REQUEST,
    SYNC_GROUP_RESPONSE,
)
from kassay.reference.wire.schema import (
    INT16,
    INT32,
    Form,
    MalformedError,
    Message,
    skip_tags,
    string,
    varint,
)


class Api(IntEnum):
    """The requests that kassay serves or sends, by their keys."""

    FETCH = 1
    LIST_OFFSETS = 2
    METADATA = 3
    OFFSET_COMMIT = 8
    OFFSET_FETCH = 9
    FIND_COORDINATOR = 10
    JOIN_GROUP = 11
    HEARTBEAT = 12
    LEAVE_GROUP = 13
    SYNC_GROUP = 14
    DESCRIBE_GROUPS = 15
    LIST_GROUPS = 16
    SASL_HANDSHAKE = 17
    API_VERSIONS = 18
    CREATE_TOPICS = 19
    DELETE_TOPICS = 20
    INIT_PRODUCER_ID = 22
    DESCRIBE_CONFIGS = 32
    SASL_AUTHENTICATE = 36
    DELETE_GROUPS = 42
    CONSUMER_GROUP_HEARTBEAT = 68
    CONSUMER_GROUP_DESCRIBE = 69
    SHARE_GROUP_DESCRIBE = 77
    STREAMS_GROUP_DESCRIBE = 89
    DESCRIBE_SHARE_GROUP_OFFSETS = 90


SERVED = {
    Api.FETCH: (4, 12),
    Api.LIST_OFFSETS: (1, 5),
    Api.METADATA: (0, 9),
    Api.OFFSET_COMMIT: (2, 8),
    Api.OFFSET_FETCH: (1, 8),
    Api.FIND_COORDINATOR: (0, 4),
    Api.JOIN_GROUP: (0, 9),
    Api.HEARTBEAT: (0, 4),
    Api.LEAVE_GROUP: (0, 5),
    Api.SYNC_GROUP: (0, 5),
    Api.API_VERSIONS: (0, 3),
    Api.INIT_PRODUCER_ID: (0, 4),
    Api.CONSUMER_GROUP_HEARTBEAT: (0, 1),
}
"""The oldest and the newest version of each served request: low ones that old and new clients know.

ConsumerGroupHeartbeat is offered so that a client with group.protocol=consumer sends it, and is recognized. It is answered by an error."""
OWN: dict[Api, tuple[Message[Any], Message[Any]]] = {
    Api.JOIN_GROUP: (JOIN_GROUP_REQUEST, JOIN_GROUP_RESPONSE),
    Api.SYNC_GROUP: (SYNC_GROUP_REQUEST, SYNC_GROUP_RESPONSE),
}
"""The requests with codecs of kassay."""
_PADDING = 10_000
"""The tag of an unknown field that makes a response longer.

librdkafka (2.16.0) reserves five times the length of Metadata as memory, which is too little if names are short and the version is flexible."""
_ALL_TOPICS = bytes(4)
"""The first bytes of librdkafka's requests for all topics (2.15.1, 2.16.0): a null array of four bytes, although flexible versions have one.
Kafka's broker takes the bytes behind it for unknown tagged fields, and ignores them."""
_OF_ALL_TOPICS = 8
"""The length of such a request in version 9; without the three bytes it has 5."""
_SHORT, _LONG, _TEXT = INT16(Form()), INT32(Form()), string(null_from=0)(Form())


@dataclass(frozen=True, slots=True)
class Request:
    """A decoded request; `body` is None if its version is not served, which is allowed only for ApiVersions."""

    api: Api
    version: int
    correlation_id: int
    client_id: str | None
    body: Any


_OPERATIONS_SINCE = 8
"""The first version of a Metadata response in which four bytes follow the topics."""


@dataclass(frozen=True, slots=True)
class MetadataParts:
    """A Metadata response whose topics are bytes already."""

    value: Any
    """The response without topics."""
    topics: Sequence[bytes]

    def write(self, version: int) -> bytes:
        """Return the response as bytes."""
        whole, tagged = (
            make_writer(Api.METADATA, version, response=True)(self.value),
            is_flexible(Api.METADATA, version),
        )
        end = len(whole) - 4 * (version >= _OPERATIONS_SINCE) - tagged
        number = len(self.topics)
        length = varint(number + 1) if tagged else number.to_bytes(4)
        return b"".join((whole[: end - (1 if tagged else 4)], length, *self.topics, whole[end:]))


def read_request(frame: bytes) -> Request:
    """Read a request without its length; raises MalformedError if it is not a served request."""
    key, at = _SHORT.read(frame, 0)
    version, at = _SHORT.read(frame, at)
    correlation_id, at = _LONG.read(frame, at)
    if key not in SERVED:
        raise MalformedError(f"a request of key {key} is not served here", 0)
    api = Api(key)
    oldest, newest = SERVED[api]
    client_id, at = _TEXT.read(frame, at)
    if not oldest <= version <= newest:
        if api is Api.API_VERSIONS:
            return Request(api, version, correlation_id, client_id, None)
        raise MalformedError(f"{api.name} of version {version}; {oldest} to {newest} are offered", 2)
    if is_flexible(api, version):
        at = skip_tags(frame, at)
        if api is Api.METADATA and len(frame) - at == _OF_ALL_TOPICS and frame.startswith(_ALL_TOPICS, at):
            at += len(_ALL_TOPICS) - 1
    if api in OWN:
        body = OWN[api][0].read_whole(frame, version, at)
    else:
        body, _ = make_reader(api, version, response=False)(frame, at)
    return Request(api, version, correlation_id, client_id, body)


def write_response(request: Request, value: Any) -> bytes:
    """Return the response to a request as bytes, after its length."""
    api = request.api
    version = request.version if request.body is not None else 0
    tagged = api is not Api.API_VERSIONS and is_flexible(api, version)
    parted = isinstance(value, MetadataParts)
    written = value.write(version) if parted else make_writer(api, version, response=True)(value)
    body = request.correlation_id.to_bytes(4, signed=True) + b"\0" * tagged + written
    if api is Api.METADATA and tagged:
        body = body[:-1] + b"\1" + varint(_PADDING) + varint(len(body)) + bytes(len(body))
    return len(body).to_bytes(4) + body


@cache
def is_flexible(api: Api, version: int) -> bool:
    """Return True if the headers of a version have tagged fields (KIP-482)."""
    if api in OWN:
        return version >= OWN[api][0].flexible
    return bool(load_request_schema(api, version).__flexible__)


@cache
def make_reader(api: Api, version: int, *, response: bool) -> Callable[[bytes, int], tuple[Any, int]]:
    """Return a function that reads a request or a response at an offset, and returns it with the offset after it.

    The function raises MalformedError.
    """
    if api in OWN:
        own = OWN[api][response]
        return lambda frame, at: own.read_on(frame, version, at)
    read = make_kio_reader(api, (load_response_schema if response else load_request_schema)(api, version))

    def read_on(frame: bytes, at: int) -> tuple[Any, int]:
        value, size = read(frame, at)
        return value, at + size

    return read_on


@cache
def make_writer(api: Api, version: int, *, response: bool) -> Callable[[Any], bytes]:
    """Return a function that writes a request or a response."""
    if api in OWN:
        own = OWN[api][response]
        return lambda value: own.write(value, version)
    return make_kio_writer((load_response_schema if response else load_request_schema)(api, version))


def make_kio_reader(api: Api, schema: Any) -> Callable[[bytes, int], tuple[Any, int]]:
    """Return a function that reads an object of kio at an offset, and returns it with its length; it raises MalformedError."""
    read = entity_reader(schema)

    def read_value(frame: bytes, at: int) -> tuple[Any, int]:
        try:
            value, size = read(frame, at)
            _refuse_missing(value)
        except (SerialError, ValueError, OverflowError, KeyError, EOFError) as wrong:
            # KeyError: a tag that kio does not know
            raise MalformedError(f"{api.name}: {type(wrong).__name__} {wrong}".rstrip(), at) from None
        return value, size

    return read_value


def _refuse_missing(value: Any) -> None:
    """Raise ValueError if a required array is missing, which kio (0.6.5) reads as None."""
    kind: Any = type(value)
    for name, must, has_arrays in _list_arrays(kind):
        part = getattr(value, name)
        if part is None and must:
            raise ValueError(f"{name} has a length below 0")
        if has_arrays and part is not None:
            for one in part if isinstance(part, tuple) else (part,):
                _refuse_missing(one)


@cache
def _list_arrays(kind: Any) -> tuple[tuple[str, bool, bool], ...]:
    """Return each field of a kio class with arrays: its name, True if it is a required array, and True if its elements have arrays."""
    found = []
    for field in fields_of(kind) if is_dataclass(kind) else ():
        kinds = (field.type, *get_args(field.type))
        array = next((one for one in kinds if get_origin(one) is tuple), None)
        element: Any = get_args(array)[0] if array else next(filter(is_dataclass, kinds), None)
        inner = bool(_list_arrays(element))
        if array is not None or inner:
            found.append((field.name, get_origin(field.type) is tuple, inner))
    return tuple(found)


def make_kio_writer(schema: Any) -> Callable[[Any], bytes]:
    """Return a function that writes an object of kio."""
    write = entity_writer(schema)

    def write_value(value: Any) -> bytes:
        out = BytesIO()
        write(out, value)
        return out.getvalue()

    return write_value


def find_response_classes(request: Request) -> ModuleType:
    """Return kio's module with the classes of a request's response."""
    version = request.version if request.body is not None else 0
    return import_module(load_response_schema(request.api, version).__module__)


def build_message(kind: Any, **values: Any) -> Any:
    """Return an object of a kio class, without the fields that its version lacks."""
    return kind(**{name: value for name, value in values.items() if name in _list_fields(kind)})


@cache
def _list_fields(kind: Any) -> frozenset[str]:
    return frozenset(field.name for field in fields_of(kind))
