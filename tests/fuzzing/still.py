"""An event loop without waits and network: timers end at once, and connections reach listeners on the same loop."""

import asyncio
import selectors
from collections.abc import Callable, Coroutine, Iterable
from typing import Any

PORT = 9
Changes = Callable[[bytes], Iterable[bytes | None]]
"""Cuts bytes on their way into pieces; None ends the connection."""


class NothingIsDueError(BaseException):
    """A task waits for an event that will never happen; no reader catches this."""


class _Still(selectors.SelectSelector):
    """Lets the clock go on to when something is due."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0

    def select(self, timeout: float | None = None) -> Any:
        """Find that nothing has come."""
        if timeout is None:
            raise NothingIsDueError("it waits, and nothing is due")
        self.now += max(0.0, timeout)
        return []


class Wire(asyncio.Transport):
    """One end of a connection."""

    def __init__(self, loop: "Loop", protocol: Any, changes: Changes) -> None:
        """Begin without the other end."""
        super().__init__()
        self._loop, self.protocol, self._changes = loop, protocol, changes
        self.other: Wire = self
        self._closed, self._reads, self._waiting = False, True, list[bytes]()

    def write(self, data: Any) -> None:
        """Send bytes, as they are changed on their way."""
        for piece in self._changes(bytes(data)):
            if piece is None:
                self.abort()
            elif not self._closed:
                self._loop.call_soon(self.other.take, piece)

    def take(self, data: bytes) -> None:
        """Take bytes of the other end."""
        if self._closed:
            return
        if self._reads:
            self.protocol.data_received(data)
        else:
            self._waiting.append(data)

    def is_closing(self) -> bool:
        """Return True if it has ended."""
        return self._closed

    def abort(self) -> None:
        """End both ends."""
        for end in (self, self.other):
            if not end._closed:
                end._closed = True
                self._loop.call_soon(end.protocol.connection_lost, None)

    close = abort

    def pause_reading(self) -> None:
        """Keep what comes."""
        self._reads = False

    def resume_reading(self) -> None:
        """Give what was kept."""
        self._reads = True
        waiting, self._waiting = self._waiting, []
        for data in waiting:
            self._loop.call_soon(self.take, data)


class _Listener:
    def __init__(self, close: Callable[[], None]) -> None:
        self.sockets, self.close = [self], close

    def getsockname(self) -> tuple[str, int]:
        return "127.0.0.1", PORT


class Loop(asyncio.SelectorEventLoop):
    """The loop; `requests` and `responses` change bytes on their way to who listens, and back."""

    def __init__(
        self, requests: Changes = lambda data: [data], responses: Changes = lambda data: [data]
    ) -> None:
        """Begin without a listener."""
        self._still = _Still()
        super().__init__(self._still)
        self._requests, self._responses = requests, responses
        self._listens: Callable[[], Any] | None = None
        self.failed: list[Any] = []
        self.set_exception_handler(lambda _, context: self.failed.append(context))

    def time(self) -> float:
        """Return the seconds that have passed."""
        return self._still.now

    async def create_server(self, factory: Any, *_: Any, **__: Any) -> Any:  # type: ignore[override]
        """Listen."""
        self._listens = factory
        return _Listener(lambda: setattr(self, "_listens", None))

    async def create_connection(self, factory: Any, *_: Any, **__: Any) -> Any:
        """Connect to who listens."""
        if self._listens is None:
            raise ConnectionRefusedError("nobody listens")
        own, other = Wire(self, factory(), self._requests), Wire(self, self._listens(), self._responses)
        own.other, other.other = other, own
        other.protocol.connection_made(other)
        own.protocol.connection_made(own)
        return own, own.protocol


def run(coroutine: Coroutine[Any, Any, None], **changes: Changes) -> None:
    """Run it to its end; raises what it or any callback raises, and NothingIsDueError where it hangs."""
    loop = Loop(**changes)
    try:
        loop.run_until_complete(coroutine)
        left = asyncio.all_tasks(loop)
        for task in left:
            task.cancel()
        if left:
            loop.run_until_complete(asyncio.wait(left))
    finally:
        loop.close()
    for context in loop.failed:
        raise context.get("exception") or AssertionError(context["message"])
