"""The client as a process: started with the address of its coordinator, ended with all it has started."""

import asyncio
import os
import re
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from kassay.errors import InputError
from kassay.targets import confining
from kassay.targets.limits import descendants

_ERROR = re.compile(r"(Exception in thread .*? |Caused by: |panic: |[\w.$]*(Error|Exception)\b)")
"""How lines begin that tell an error, in most languages."""
_KEPT = 20_000
"""How many bytes are kept of what it writes."""
_LAST_S = 1.0
"""How long is waited for its last words once it has ended."""


class Process:
    """A running client; what it writes to its output is read, and its end kept for when it dies."""

    def __init__(self, running: asyncio.subprocess.Process, ended: Callable[[str], None]) -> None:
        """Watch a process, and say how it ended once it has."""
        self._running, self._ended = running, ended
        self._said = b""
        self._reading = asyncio.ensure_future(self._read())
        self._watching = asyncio.ensure_future(self._watch())

    @property
    def pid(self) -> int:
        """Its id."""
        return self._running.pid

    async def _read(self) -> None:
        assert self._running.stdout is not None
        while chunk := await self._running.stdout.read(_KEPT):
            self._said = (self._said + chunk)[-_KEPT:]

    async def _watch(self) -> None:
        status = await self._running.wait()
        await asyncio.wait({self._reading}, timeout=_LAST_S)
        if status < 0:
            how = f"it died of signal {-status} ({signal.Signals(-status).name})"
        else:
            how = f"it ended with exit status {status}"
        self._ended(how + self.last_words())

    def last_words(self) -> str:
        """Return what it wrote last, behind words that say so: an error, if there is one, and not the frames below it."""
        lines = [line.strip() for line in self._said.decode(errors="replace").splitlines() if line.strip()]
        errors = [line for line in lines if _ERROR.match(line)]
        return f"; it wrote last: {(errors or lines)[-1]}" if lines else ""

    def signal(self, which: signal.Signals) -> None:
        """Send a signal to it and to all it has started."""
        for each in reversed([*descendants(self.pid)]):
            with suppress(ProcessLookupError, PermissionError):
                os.kill(each, which)

    async def end(self) -> None:
        """End it and all it has started, at once."""
        self._watching.cancel()
        self.signal(signal.SIGKILL)
        await self._running.wait()
        self._reading.cancel()


async def start(
    command: Sequence[str], told: Mapping[str, str], data_mb: int, ended: Callable[[str], None]
) -> Process:
    """Start a client with these variables in its environment; raises InputError where there is no such program."""
    script = str(Path(confining.__file__))
    words = [sys.executable, "-I", "-S", script, "RLIMIT_DATA", str(data_mb), *command]
    try:
        running = await asyncio.create_subprocess_exec(
            *words,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            env=os.environ | told,
        )
    except OSError as wrong:
        raise InputError(f"{command[0]}: cannot be started ({wrong.strerror}); check the command") from None
    return Process(running, ended)
