"""Connections to an external broker: requests in the newest version that both sides know, and their bounded responses."""

import asyncio
import ssl
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from importlib import import_module
from typing import Any

from kio.index import load_request_schema

from kassay.errors import InputError
from kassay.protocol.server.addresses import Place
from kassay.protocol.server.api_messages import Api, flexible, made, make_reader, make_writer
from kassay.reference.wire.schema import INT32, Form, MalformedError, after_tags

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
"""The largest response."""
TLS_ALERT = b"\x15\x03"
"""The first bytes of an alert of TLS. As the length of a response of Kafka they are too large."""
CONNECT_S, CLOSE_S = 10.0, 1.0
ANSWER_S = 30.0
"""The default time to wait for a response."""
_LONG = INT32(Form())


class NoResponseError(Exception):
    """A request was not answered: the connection broke, no response came in time, or it cannot be read."""


class BrokerConnection:
    """A connection with one request under way at a time."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        versions: Mapping[int, int],
        odd: Callable[[str], None],
    ) -> None:
        """Use these versions, by the keys of requests; `odd` is called with defects of responses that can be read all the same."""
        self._reader, self._writer, self.versions, self._odd = reader, writer, versions, odd
        self._asked = 0

    async def ask(self, api: Api, body: Callable[[Any, int], Any], within_s: float = ANSWER_S) -> Any:
        """Send a request and return the response; `body` makes the request from kio's classes and the version.

        Raises NoResponseError, and InputError if the broker has no version of the request that is known here.
        """
        if api not in self.versions:
            raise InputError(f"the broker offers no {api.name} that kassay can ask")
        version = self.versions[api]
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
        kinds = import_module(load_request_schema(api, version).__module__)
        frame = header + make_writer(api, version, response=False)(body(kinds, version))
        try:
            async with asyncio.timeout(within_s):
                self._writer.write(len(frame).to_bytes(4) + frame)
                await self._writer.drain()
                answer = await self._read_frame()
        except TimeoutError:
            raise NoResponseError(f"no answer came within {within_s:g} s") from None
        except (OSError, asyncio.IncompleteReadError):
            raise NoResponseError("the broker closed the connection") from None
        try:
            return self._read_response(answer, api, version)
        except MalformedError as wrong:
            raise NoResponseError(f"its answer cannot be read: {wrong}") from None

    async def _read_frame(self) -> bytes:
        head = await self._reader.readexactly(4)
        if head.startswith(TLS_ALERT):
            raise NoResponseError("it answers in TLS, and was not spoken to in TLS")
        length = int.from_bytes(head, signed=True)
        if not 0 <= length <= MOST_BYTES:
            raise NoResponseError(f"its answer is of {length} bytes; 0 to {MOST_BYTES} are taken")
        return await self._reader.readexactly(length)

    def _read_response(self, frame: bytes, api: Api, version: int) -> Any:
        number, at = _LONG.read(frame, 0)
        if number != self._asked:
            raise MalformedError(f"it answers request {number} where {self._asked} was asked", 0)
        if api is not Api.API_VERSIONS and flexible(api, version):
            at = after_tags(frame, at)
        value, end = make_reader(api, version, response=True)(frame, at)
        if end != len(frame):
            self._odd(f"{api.name}, version {version}: its answer has {len(frame) - end} bytes too many")
        return value

    def close(self) -> None:
        """End it."""
        with suppress(OSError):
            self._writer.close()

    async def end(self) -> None:
        """End it, and wait for the end, which takes a moment with TLS."""
        self.close()
        with suppress(OSError, TimeoutError):
            async with asyncio.timeout(CLOSE_S):
                await self._writer.wait_closed()


async def connect(
    place: Place,
    odd: Callable[[str], None],
    versions: Mapping[int, int] | None = None,
    *,
    old: bool = False,
    asked: Mapping[Api, tuple[int, int]] = ASKED,
    needed: Sequence[Api] = NEEDED,
    tls: ssl.SSLContext | None = None,
) -> BrokerConnection:
    """Connect to a broker, and ask for its versions if `versions` does not have them; raises NoResponseError.

    `asked` has the versions of the requests that may follow, `needed` those that the broker must offer. With `old`, requests have no
    tagged fields (KIP-482).
    """
    try:
        async with asyncio.timeout(CONNECT_S):
            reader, writer = await asyncio.open_connection(place.host, place.port, ssl=tls)
    except TimeoutError:
        raise NoResponseError(f"{place} takes no connection within {CONNECT_S:g} s") from None
    except ssl.SSLCertVerificationError as wrong:
        raise NoResponseError(f"{place}: its certificate is not trusted ({wrong.verify_message})") from None
    except ssl.SSLError as wrong:
        raise NoResponseError(f"{place} does not come to terms on TLS ({wrong.reason or wrong})") from None
    except (OSError, ValueError, OverflowError) as wrong:  # a broker may name any host and port
        broke = isinstance(wrong, ConnectionError) and not isinstance(wrong, ConnectionRefusedError)
        does = "does not come to terms on TLS" if tls is not None and broke else "takes no connection"
        raise NoResponseError(f"{place} {does} ({getattr(wrong, 'strerror', None) or wrong})") from None
    if versions is not None:
        return BrokerConnection(reader, writer, versions, odd)
    first = BrokerConnection(reader, writer, {Api.API_VERSIONS: 0}, odd)
    with ExitStack() as failed:
        failed.callback(first.close)
        offered = await first.ask(Api.API_VERSIONS, lambda kinds, _: kinds.ApiVersionsRequest())
        line = BrokerConnection(
            reader, writer, _choose_versions(offered.api_keys, asked, needed, old=old), odd
        )
        failed.pop_all()
    return line


def _choose_versions(
    offered: Any, asked: Mapping[Api, tuple[int, int]], needed: Sequence[Api], *, old: bool
) -> dict[int, int]:
    """Return the newest version of each request that both sides know; raises InputError if a needed request is missing."""
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


def make_body(kind: str, **values: Any) -> Callable[[Any, int], Any]:
    """Return a function that makes a request of kio's class of this name, with the fields that its version has."""
    return lambda kinds, _: made(getattr(kinds, kind), **values)


def coordinator_of(found: Any) -> Any:
    """Return the entry of a FindCoordinator response on the one group that was asked about; raises NoResponseError if there is none."""
    many = getattr(found, "coordinators", (found,))
    if not many:
        raise NoResponseError("its FindCoordinator response says nothing of the group")
    return many[0]
