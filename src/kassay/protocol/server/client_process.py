"""A client as a process, and the sockets of its coordinator: a listener on loopback with limits on lengths, counts and times."""

import asyncio
import os
import re
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from kassay.errors import InputError
from kassay.protocol.server.api_messages import Api, Request, read_request, write_response
from kassay.reference.wire.schema import MalformedError
from kassay.targets import confining
from kassay.targets.limits import find_descendants

_ERROR = re.compile(r"(Exception in thread .*? |Caused by: |panic: |[\w.$]*(Error|Exception)\b)")
"""The start of an error line in most languages."""
_KEPT = 20_000
"""The bytes of its output that are kept."""
_LAST_S = 1.0
"""The time to wait for the rest of its output after its end."""


class Process:
    """A running client; the last part of its output is kept for the report of its end."""

    def __init__(self, running: asyncio.subprocess.Process, ended: Callable[[str], None]) -> None:
        """Watch a process; `ended` is called with the reason when it ends by itself."""
        self._running, self._ended = running, ended
        self._said = b""
        self._reading = asyncio.ensure_future(self._read_output())
        self._watching = asyncio.ensure_future(self._wait_for_end())
        self.pid = running.pid

    async def _read_output(self) -> None:
        assert self._running.stdout is not None
        while chunk := await self._running.stdout.read(_KEPT):
            self._said = (self._said + chunk)[-_KEPT:]

    async def _wait_for_end(self) -> None:
        status = await self._running.wait()
        await asyncio.wait({self._reading}, timeout=_LAST_S)
        if status < 0:
            how = f"it died of signal {-status} ({signal.Signals(-status).name})"
        else:
            how = f"it ended with exit status {status}"
        self._ended(how + self.last_words())

    def last_words(self) -> str:
        """Return a clause with the last error in its output, or with the last line if there is no error."""
        lines = [line.strip() for line in self._said.decode(errors="replace").splitlines() if line.strip()]
        errors = [line for line in lines if _ERROR.match(line)]
        return f"; it wrote last: {(errors or lines)[-1]}" if lines else ""

    def signal(self, which: signal.Signals) -> None:
        """Send a signal to the process and all its descendants."""
        for each in reversed([*find_descendants(self.pid)]):
            with suppress(ProcessLookupError, PermissionError):
                os.kill(each, which)

    async def end(self) -> None:
        """Kill the process and all its descendants."""
        self._watching.cancel()
        self.signal(signal.SIGKILL)
        await self._running.wait()
        self._reading.cancel()


async def start(
    command: Sequence[str], environment: Mapping[str, str], data_mb: int, ended: Callable[[str], None]
) -> Process:
    """Start a client with these variables in its environment; raises InputError if the program does not exist."""
    script = str(Path(confining.__file__))
    words = [sys.executable, "-I", "-S", script, "RLIMIT_DATA", str(data_mb), *command]
    try:
        running = await asyncio.create_subprocess_exec(
            *words,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            env=os.environ | environment,
        )
    except OSError as wrong:
        raise InputError(f"{command[0]}: cannot be started ({wrong.strerror}). Check the command") from None
    return Process(running, ended)


HOST = "127.0.0.1"
MOST_CONNECTIONS = 64
SLOW_S = 30.0
"""The time that a request may take from its first byte to its last."""
IDLE_S = 600.0
"""The time that a connection may be silent while none of its requests waits for a response."""
_LENGTH = 4
_TLS_HANDSHAKE = b"\x16\x03"
"""The first bytes of a client that uses TLS. As the length of a request they are too large."""
_LOGIN = Api.SASL_HANDSHAKE.to_bytes(2)
"""The first bytes of a request to log in."""
_AHEAD = 2**20
"""The bytes that are read behind a request without a response."""


@dataclass(frozen=True, slots=True)
class Reply:
    """The way back to a client: `drop` closes the connection, and `send` then does nothing."""

    send: Callable[[Any], None]
    is_open: Callable[[], bool]
    drop: Callable[[], None]


class Taking(Protocol):
    """The coordinator behind a listener, which sets its `address`."""

    address: tuple[str, int]

    def take(self, request: Request, reply: Reply) -> None:
        """Take a request, and respond now or later."""

    def note_end(self, why: str) -> None:
        """Note that the client sent unreadable bytes."""


class Server:
    """A listener whose connections belong to one client."""

    def __init__(self, taking: Taking, most_bytes: int) -> None:
        """Pass requests of at most `most_bytes` to `taking`."""
        self.taking, self.most_bytes = taking, most_bytes
        self.connections: set[Connection] = set()
        self.connections_made = 0
        """The number of connections so far."""
        self.requested: dict[Api, int] = {}
        """The number of requests of each kind so far, in the order of their first requests."""
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
        """Stop listening, and drop all connections."""
        assert self._listener is not None
        self._listener.close()
        self.is_closed = True
        for connection in list(self.connections):
            connection.drop()


class Connection(asyncio.Protocol):
    """A connection whose requests get their responses one by one, in order, as a broker does."""

    def __init__(self, server: Server) -> None:
        """Belong to a server."""
        self._server = server
        self._transport: Any = None
        self._buffer = bytearray()
        self._busy, self._paused = False, False
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:  # plain: skip
        """Register the connection; drop it if there are too many connections, or the server has just closed."""
        self._transport = transport
        self._server.connections_made += 1
        if self._server.is_closed or len(self._server.connections) >= MOST_CONNECTIONS:
            self.drop()
            return
        self._server.connections.add(self)
        self._set_timer()

    def connection_lost(self, _: Exception | None) -> None:  # plain: skip
        """Forget the connection."""
        self._server.connections.discard(self)
        if self._timer is not None:
            self._timer.cancel()

    def data_received(self, data: bytes) -> None:  # plain: skip
        """Take bytes."""
        self._buffer += data
        self._take_requests()

    def _take_requests(self) -> None:
        while not self._busy and (frame := self._cut_frame()) is not None:
            self._take(frame)
        if self._busy and len(self._buffer) > _AHEAD and not self._paused:
            self._transport.pause_reading()
            self._paused = True
        self._set_timer()

    def _cut_frame(self) -> bytes | None:
        """Remove and return the next request without its length, None if it is not complete."""
        if len(self._buffer) < _LENGTH or self._transport.is_closing():
            return None
        length = int.from_bytes(self._buffer[:_LENGTH], signed=True)
        if not 0 <= length <= self._server.most_bytes:
            if self._buffer.startswith(_TLS_HANDSHAKE):
                self._refuse("a TLS handshake, and kassay has no TLS. Set security.protocol=PLAINTEXT")
                return None
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
            if frame.startswith(_LOGIN):
                self._refuse("SaslHandshake, and kassay has no logins. Set security.protocol=PLAINTEXT")
                return
            self._refuse(f"a request that cannot be read: {wrong}")
            return

        def send(value: Any) -> None:
            if not self._is_open():
                return
            self._transport.write(write_response(request, value))
            self._busy = False
            if self._paused:
                self._transport.resume_reading()
                self._paused = False
            self._take_requests()

        requested = self._server.requested
        requested[request.api] = requested.get(request.api, 0) + 1
        self._busy = True
        self._server.taking.take(request, Reply(send, self._is_open, self.drop))

    def _is_open(self) -> bool:
        return not self._transport.is_closing()

    def _set_timer(self) -> None:
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
        self._server.taking.note_end(f"it sent {why}")

    def drop(self) -> None:
        """End the connection at once."""
        self._transport.abort()
