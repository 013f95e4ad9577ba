"""The sockets: a listener on loopback, and connections whose every length, count and time is bounded."""

import asyncio
from typing import Any, Protocol

from kassay.protocol.server.apis import Request, read_request, write_response
from kassay.protocol.server.leading import Reply
from kassay.reference.wire.kinds import MalformedError

HOST = "127.0.0.1"
MOST_CONNECTIONS = 64
SLOW_S = 30.0
"""How long a request may take from its first byte to its last."""
IDLE_S = 600.0
"""How long a connection may be silent while nothing of it waits for an answer."""
_LENGTH = 4
_AHEAD = 2**20
"""How many bytes are taken behind a request that is not answered yet."""


class Taking(Protocol):
    """What takes the requests of a client, and is told where it listens."""

    address: tuple[str, int]

    def take(self, request: Request, reply: Reply) -> None:
        """Take a request, and answer it now or later."""

    def over(self, why: str) -> None:
        """Note that the client sent what cannot be read."""


class Server:
    """A listener whose connections belong to one client."""

    def __init__(self, taking: Taking, most_bytes: int) -> None:
        """Note what takes the requests, of which none is longer than `most_bytes`."""
        self.taking, self.most_bytes = taking, most_bytes
        self.connections: set[Connection] = set()
        self._listener: asyncio.Server | None = None
        self.is_closed = False

    async def open(self) -> str:
        """Listen, and return the address."""
        loop = asyncio.get_running_loop()
        self._listener = await loop.create_server(lambda: Connection(self), HOST, 0)
        port = self._listener.sockets[0].getsockname()[1]
        self.taking.address = (HOST, port)
        return f"{HOST}:{port}"

    def close(self) -> None:
        """Listen no more, and drop all connections."""
        assert self._listener is not None
        self._listener.close()
        self.is_closed = True
        for connection in list(self.connections):
            connection.drop()


class Connection(asyncio.Protocol):
    """A connection: its requests are answered one by one, in order, as a broker does."""

    def __init__(self, server: Server) -> None:
        """Belong to a server."""
        self._server = server
        self._transport: Any = None
        self._buffer = bytearray()
        self._busy, self._paused = False, False
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin; where there are too many connections already, or the server has just closed, end at once."""
        self._transport = transport
        if self._server.is_closed or len(self._server.connections) >= MOST_CONNECTIONS:
            self.drop()
            return
        self._server.connections.add(self)
        self._watch()

    def connection_lost(self, _: Exception | None) -> None:
        """Forget it."""
        self._server.connections.discard(self)
        if self._timer is not None:
            self._timer.cancel()

    def data_received(self, data: bytes) -> None:
        """Take bytes."""
        self._buffer += data
        self._go_on()

    def _go_on(self) -> None:
        while not self._busy and (frame := self._frame()) is not None:
            self._take(frame)
        if self._busy and len(self._buffer) > _AHEAD and not self._paused:
            self._transport.pause_reading()
            self._paused = True
        self._watch()

    def _frame(self) -> bytes | None:
        """Cut the next request off, if it is there in whole."""
        if len(self._buffer) < _LENGTH or self._transport.is_closing():
            return None
        length = int.from_bytes(self._buffer[:_LENGTH], signed=True)
        if not 0 <= length <= self._server.most_bytes:
            self._refuse(f"a request of {length} bytes; 0 to {self._server.most_bytes} are taken")
            return None
        if len(self._buffer) < _LENGTH + length:
            return None
        frame = bytes(self._buffer[_LENGTH : _LENGTH + length])
        del self._buffer[: _LENGTH + length]
        return frame

    def _take(self, frame: bytes) -> None:
        try:
            request = read_request(frame)
        except MalformedError as wrong:
            self._refuse(f"a request that cannot be read: {wrong}")
            return
        self._busy = True
        self._server.taking.take(
            request, Reply(lambda value: self._answer(request, value), self._is_open, self.drop)
        )

    def _is_open(self) -> bool:
        return not self._transport.is_closing()

    def _answer(self, request: Request, value: Any) -> None:
        if not self._is_open():
            return
        self._transport.write(write_response(request, value))
        self._busy = False
        if self._paused:
            self._transport.resume_reading()
            self._paused = False
        self._go_on()

    def _watch(self) -> None:
        """Set the time after which the connection is too slow or too idle."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._busy or not self._is_open():
            return
        wait = SLOW_S if self._buffer else IDLE_S
        self._timer = asyncio.get_running_loop().call_later(wait, self.drop)

    def _refuse(self, why: str) -> None:
        self.drop()
        self._server.taking.over(f"it sent {why}")

    def drop(self) -> None:
        """End it at once."""
        self._transport.abort()
