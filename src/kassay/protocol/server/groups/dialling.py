"""Connections to somebody else's broker: requests are written in the newest version that both know, and their answers are read, within bounds."""

import asyncio
import ssl
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from functools import cache
from importlib import import_module
from typing import Any

from kio.index import load_request_schema, load_response_schema

from kassay.errors import InputError
from kassay.protocol.server.apis import OWN, Api, flexible, made, reading, writing
from kassay.protocol.server.groups.addresses import Place
from kassay.reference.wire.kinds import INT32, Form, MalformedError
from kassay.reference.wire.messages import after_tags

ASKED = {
    Api.METADATA: (0, 8),
    Api.OFFSET_COMMIT: (2, 8),
    Api.FIND_COORDINATOR: (0, 4),
    Api.JOIN_GROUP: (0, 9),
    Api.HEARTBEAT: (0, 4),
    Api.LEAVE_GROUP: (0, 5),
    Api.SYNC_GROUP: (0, 5),
    Api.DESCRIBE_GROUPS: (0, 5),
    Api.LIST_GROUPS: (0, 4),
    Api.API_VERSIONS: (0, 0),
    Api.CREATE_TOPICS: (2, 5),
    Api.DELETE_TOPICS: (1, 5),
    Api.DELETE_GROUPS: (0, 2),
}
"""The oldest and the newest version of each request that can be asked."""
NEEDED = (Api.FIND_COORDINATOR, Api.JOIN_GROUP, Api.SYNC_GROUP, Api.HEARTBEAT, Api.LEAVE_GROUP)
CLIENT_ID = "kassay"
MOST_BYTES = 64 * 2**20
"""How long an answer may be."""
TLS_ALERT = b"\x15\x03"
"""How an answer begins of a listener that speaks TLS; no answer of Kafka's is so long."""
CONNECT_S, CLOSE_S = 10.0, 1.0
ANSWER_S = 30.0
"""How long is waited for an answer, where nothing else is said."""
_LONG = INT32(Form())


class UnansweredError(Exception):
    """A request was not answered: the connection broke, no answer came in time, or what came cannot be read."""


class Line:
    """A connection, on which one request is under way at a time."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        versions: Mapping[int, int],
        odd: Callable[[str], None],
    ) -> None:
        """Speak these versions, by the keys of requests; `odd` is told what is wrong with answers that can be read all the same."""
        self._reader, self._writer, self.versions, self._odd = reader, writer, versions, odd
        self._asked = 0

    def version(self, api: Api) -> int:
        """Return the version in which a request is asked; raises InputError where the broker has none that is known here."""
        if api not in self.versions:
            raise InputError(f"the broker offers no {api.name} that kassay can ask")
        return self.versions[api]

    async def ask(self, api: Api, body: Callable[[Any, int], Any], within_s: float = ANSWER_S) -> Any:
        """Ask, and return the answer; `body` makes the request of kio's classes and the version. Raises UnansweredError."""
        version = self.version(api)
        self._asked += 1
        header = b"".join(
            (
                api.to_bytes(2),
                version.to_bytes(2),
                self._asked.to_bytes(4),
                len(CLIENT_ID).to_bytes(2),
                CLIENT_ID.encode(),
                b"\0" * flexible(api, version),
            )
        )
        frame = header + _writer(api, version)(body(_kinds(api, version), version))
        try:
            async with asyncio.timeout(within_s):
                self._writer.write(len(frame).to_bytes(4) + frame)
                await self._writer.drain()
                answer = await self._frame()
        except TimeoutError:
            raise UnansweredError(f"no answer came within {within_s:g} s") from None
        except (OSError, asyncio.IncompleteReadError):
            raise UnansweredError("the broker closed the connection") from None
        try:
            return self._read(answer, api, version)
        except MalformedError as wrong:
            raise UnansweredError(f"its answer cannot be read: {wrong}") from None

    async def _frame(self) -> bytes:
        head = await self._reader.readexactly(4)
        if head.startswith(TLS_ALERT):
            raise UnansweredError("it answers in TLS, and was not spoken to in TLS")
        length = int.from_bytes(head, signed=True)
        if not 0 <= length <= MOST_BYTES:
            raise UnansweredError(f"its answer is of {length} bytes; 0 to {MOST_BYTES} are taken")
        return await self._reader.readexactly(length)

    def _read(self, frame: bytes, api: Api, version: int) -> Any:
        number, at = _LONG.read(frame, 0)
        if number != self._asked:
            raise MalformedError(f"it answers request {number} where {self._asked} was asked", 0)
        if api is not Api.API_VERSIONS and flexible(api, version):
            at = after_tags(frame, at)
        value, end = _reader(api, version)(frame, at)
        if end != len(frame):
            self._odd(f"{api.name}, version {version}: its answer has {len(frame) - end} bytes too many")
        return value

    def close(self) -> None:
        """End it."""
        with suppress(OSError):
            self._writer.close()

    async def end(self) -> None:
        """End it, and wait until it is, which TLS takes a moment for."""
        self.close()
        with suppress(OSError, TimeoutError):
            async with asyncio.timeout(CLOSE_S):
                await self._writer.wait_closed()


async def dial(
    place: Place,
    odd: Callable[[str], None],
    versions: Mapping[int, int] | None = None,
    *,
    old: bool = False,
    asked: Mapping[Api, tuple[int, int]] = ASKED,
    needed: Sequence[Api] = NEEDED,
    tls: ssl.SSLContext | None = None,
) -> Line:
    """Connect to a broker, and ask which versions it offers where that is not known, only `old` ones if so; raises UnansweredError.

    `asked` are the requests that will be, with their versions, and `needed` those without which nothing can be done.
    """
    try:
        async with asyncio.timeout(CONNECT_S):
            reader, writer = await asyncio.open_connection(place.host, place.port, ssl=tls)
    except TimeoutError:
        raise UnansweredError(f"{place} takes no connection within {CONNECT_S:g} s") from None
    except ssl.SSLCertVerificationError as wrong:
        raise UnansweredError(f"{place}: its certificate is not trusted ({wrong.verify_message})") from None
    except ssl.SSLError as wrong:
        raise UnansweredError(f"{place} does not come to terms on TLS ({wrong.reason or wrong})") from None
    except ConnectionError as wrong:
        does = (
            "takes no connection"
            if tls is None or isinstance(wrong, ConnectionRefusedError)
            else "does not come to terms on TLS"
        )
        raise UnansweredError(f"{place} {does} ({wrong.strerror or wrong})") from None
    except (OSError, ValueError, OverflowError) as wrong:  # a broker may name any host and port
        raise UnansweredError(
            f"{place} takes no connection ({getattr(wrong, 'strerror', None) or wrong})"
        ) from None
    if versions is not None:
        return Line(reader, writer, versions, odd)
    first = Line(reader, writer, {Api.API_VERSIONS: 0}, odd)
    with ExitStack() as failed:
        failed.callback(first.close)
        offered = await first.ask(Api.API_VERSIONS, lambda kinds, _: kinds.ApiVersionsRequest())
        line = Line(reader, writer, _common(offered.api_keys, asked, needed, old=old), odd)
        failed.pop_all()
    return line


def _common(
    offered: Any, asked: Mapping[Api, tuple[int, int]], needed: Sequence[Api], *, old: bool
) -> dict[int, int]:
    """Return the newest versions that both know, of `old` ones those without tagged fields (KIP-482); raises InputError where a request is missing that groups need."""
    common = {}
    for one in offered:
        if one.api_key in asked:
            api = Api(one.api_key)
            oldest, newest = asked[api]
            best = min(newest, one.max_version)
            while old and best > oldest and flexible(api, best):
                best -= 1
            if best >= max(oldest, one.min_version):
                common[int(one.api_key)] = best
    missing = [api.name for api in needed if api not in common]
    if missing:
        raise InputError(f"the broker offers no {', '.join(missing)} that kassay can ask")
    return common


def _kinds(api: Api, version: int) -> Any:
    return import_module(load_request_schema(api, version).__module__)


@cache
def _writer(api: Api, version: int) -> Callable[[Any], bytes]:
    if api in OWN:
        own = OWN[api][0]
        return lambda value: own.write(value, version)
    return writing(load_request_schema(api, version))


@cache
def _reader(api: Api, version: int) -> Callable[[bytes, int], tuple[Any, int]]:
    if api in OWN:
        own = OWN[api][1]
        return lambda frame, at: own.read_on(frame, version, at)
    read = reading(api, load_response_schema(api, version))

    def reads_on(frame: bytes, at: int) -> tuple[Any, int]:
        value, size = read(frame, at)
        return value, at + size

    return reads_on


def body(kind: str, **values: Any) -> Callable[[Any, int], Any]:
    """Return what makes a request of kio's class of this name, of what its version has."""
    return lambda kinds, _: made(getattr(kinds, kind), **values)


def coordinator_of(found: Any) -> Any:
    """Return what a FindCoordinator response says of the one group that it was asked about; raises UnansweredError where it says nothing."""
    many = getattr(found, "coordinators", (found,))
    if not many:
        raise UnansweredError("its FindCoordinator response says nothing of the group")
    return many[0]
