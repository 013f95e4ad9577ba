"""A cluster that says again what one of Kafka's has said: recorded bytes, by broker and request, on loopback."""

import json
import socket
import ssl
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from kio.index import load_request_schema, load_response_schema
from kio.schema.errors import ErrorCode

from kassay.protocol.server.api_messages import (
    Api,
    build_message,
    is_flexible,
    make_kio_reader,
    make_kio_writer,
)

HOST = b"127.0.0.1"
HEARD = Path(__file__).with_name("kafka-4.3.1.jsonl")
"""The responses of three brokers of Kafka 4.3.1, recorded by parity/broker/live_clusters.py."""
MOST = 2**24
"""As a broker does, no longer frame is read: so TLS is told from Kafka's protocol."""


@dataclass(frozen=True)
class Exchange:
    """A request to a broker and its answer, both without their correlation ids; `key` and `version` are the request's."""

    broker: int
    key: int
    version: int
    request: str
    answer: str

    @classmethod
    def of(cls, broker: int, request: bytes, answer: bytes) -> "Exchange":
        key, version = int.from_bytes(request[:2]), int.from_bytes(request[2:4])
        return cls(broker, key, version, (request[:4] + request[8:]).hex(), answer[4:].hex())


@dataclass
class Cluster:
    """The addresses of its listeners, and the requests that it got, by their keys."""

    ports: list[int] = field(default_factory=list)
    asked: Counter[int] = field(default_factory=Counter)
    unknown: list[str] = field(default_factory=list)
    """Requests without a recorded response; they close the connection."""
    spoil: Callable[[int, bytes], bytes] = field(default=lambda _key, answer: answer)
    """Changes the bytes of a response to a request of some key."""

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.ports[0]}"


def read_frame(sock: socket.socket) -> bytes | None:
    """Read the bytes after the next length; None at the end."""
    try:
        head = _read(sock, 4)
        return None if head is None or int.from_bytes(head) > MOST else _read(sock, int.from_bytes(head))
    except OSError:
        return None


def _read(sock: socket.socket, length: int) -> bytes | None:
    data = b""
    while len(data) < length:
        more = sock.recv(length - len(data))
        if not more:
            return None
        data += more
    return data


def moved(answer: bytes, ports: Mapping[int, int]) -> bytes:
    """Return an answer in which brokers listen on other ports."""
    for old, new in ports.items():
        answer = answer.replace(HOST + old.to_bytes(4), HOST + new.to_bytes(4))
    return answer


def save(path: Path, ports: Sequence[int], exchanges: Sequence[Exchange]) -> None:
    """Write what was heard, each exchange once."""
    lines = [json.dumps({"ports": [*ports]}), *dict.fromkeys(json.dumps(asdict(one)) for one in exchanges)]
    path.write_text("\n".join(lines) + "\n")


class Recorded:
    """The responses of brokers, by broker and request; `ports` are their addresses."""

    def __init__(self, path: Path = HEARD) -> None:
        head, *lines = path.read_text().splitlines()
        self.ports: list[int] = json.loads(head)["ports"]
        self._known = {(one["broker"], one["request"]): one["answer"] for one in map(json.loads, lines)}

    def answer(self, request: bytes, broker: int | None = None) -> bytes | None:
        """Return what a broker, or whichever has most to say, said to a request; of more topics than were asked for, if need be."""
        asked = (request[:4] + request[8:]).hex()
        own = {key: said for key, said in self._known.items() if broker in {None, key[0]}}
        found = [said for (_, one), said in own.items() if one == asked]
        if not found and int.from_bytes(request[:2]) in {Api.METADATA, Api.LIST_OFFSETS}:
            found = [said for (_, one), said in own.items() if one[:4] == asked[:4]]
        return bytes.fromhex(max(found, key=len)) if found else None


BEARER = "the bearer"


@dataclass
class Door:
    """The access to a cluster: TLS if there is a context, and SASL if there are users with passwords.

    The user BEARER has a token for OAUTHBEARER; all others use PLAIN.
    """

    tls: ssl.SSLContext | None = None
    users: Mapping[str, str] = field(default_factory=dict)


OPEN = Door()


@contextmanager
def listen(count: int, serve: Callable[[int, socket.socket], None]) -> Iterator[list[int]]:
    """Listen on `count` ports of loopback; `serve` gets the number of a port and each connection to it, in its own thread."""
    listeners = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]

    def accept(number: int) -> None:
        while True:
            try:
                client, _ = listeners[number].accept()
            except OSError:
                return
            threading.Thread(target=serve, args=(number, client), daemon=True).start()

    for number in range(count):
        threading.Thread(target=accept, args=(number,), daemon=True).start()
    try:
        yield [one.getsockname()[1] for one in listeners]
    finally:
        for one in listeners:
            one.shutdown(socket.SHUT_RDWR)
            one.close()


@contextmanager
def recorded_cluster(
    path: Path, edits: Mapping[Api, Callable[[Any], Any]] | None = None, door: Door = OPEN
) -> Iterator[Cluster]:
    """Listen, and answer as the file says; `edits` change answers to some requests."""
    recorded, cluster = Recorded(path), Cluster()

    def answered(broker: int, request: bytes) -> bytes | None:
        key, version = int.from_bytes(request[:2]), int.from_bytes(request[2:4])
        cluster.asked[key] += 1
        if key in {Api.SASL_HANDSHAKE, Api.SASL_AUTHENTICATE}:
            return request[4:8] + _let_in(Api(key), version, request, door.users)
        answer = recorded.answer(request, broker)
        if answer is None:
            cluster.unknown.append(request.hex())
            return None
        said = moved(answer, dict(zip(recorded.ports, cluster.ports, strict=True)))
        edit = (edits or {}).get(Api(key))
        said = said if edit is None else _edit_answer(Api(key), version, said, edit)
        return request[4:8] + cluster.spoil(key, said)

    def serve(broker: int, client: socket.socket) -> None:
        with (
            client,
            suppress(OSError),
            client if door.tls is None else door.tls.wrap_socket(client, server_side=True) as inner,
        ):
            while (request := read_frame(inner)) is not None and (said := answered(broker, request)):
                inner.sendall(len(said).to_bytes(4) + said)

    with listen(len(recorded.ports), serve) as ports:
        cluster.ports += ports
        yield cluster


def _edit_answer(api: Api, version: int, answer: bytes, edit: Callable[[Any], Any]) -> bytes:
    schema = load_response_schema(api, version)
    head = int(is_flexible(api, version) and api is not Api.API_VERSIONS)
    value, _ = make_kio_reader(api, schema)(answer, head)
    return answer[:head] + make_kio_writer(schema)(edit(value))


def _let_in(api: Api, version: int, request: bytes, users: Mapping[str, str]) -> bytes:
    """Answer as a broker does that knows PLAIN alone, or OAUTHBEARER, whose refusal it says with the challenge (RFC 7628)."""
    schema = load_request_schema(api, version)
    at = 8 + 2 + int.from_bytes(request[8:10]) + is_flexible(api, version)
    asked, _ = make_kio_reader(api, schema)(request, at)
    if api is Api.SASL_HANDSHAKE:
        known = "OAUTHBEARER" if BEARER in users else "PLAIN"
        wrong = ErrorCode.none if asked.mechanism == known else ErrorCode.unsupported_sasl_mechanism
        told = {"error_code": wrong, "mechanisms": (known,)}
    elif BEARER in users and asked.auth_bytes != b"\1":
        good = asked.auth_bytes == f"n,,\1auth=Bearer {users[BEARER]}\1\1".encode()
        said = b"" if good else b'{"status":"invalid_token"}'
        told = {
            "error_code": ErrorCode.none,
            "error_message": None,
            "auth_bytes": said,
            "session_lifetime": timedelta(0),
        }
    elif BEARER in users:
        wrong = ErrorCode.sasl_authentication_failed
        told = {
            "error_code": wrong,
            "error_message": "invalid_token",
            "auth_bytes": b"",
            "session_lifetime": timedelta(0),
        }
    else:
        _, user, password = asked.auth_bytes.decode().split("\0")
        wrong = ErrorCode.none if users.get(user) == password else ErrorCode.sasl_authentication_failed
        says = None if wrong is ErrorCode.none else "Authentication failed: Invalid username or password"
        told = {
            "error_code": wrong,
            "error_message": says,
            "auth_bytes": b"",
            "session_lifetime": timedelta(0),
        }
    answer = load_response_schema(api, version)
    return b"\0" * is_flexible(api, version) + make_kio_writer(answer)(build_message(answer, **told))
