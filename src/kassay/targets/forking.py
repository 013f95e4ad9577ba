"""Instances of a Python assignor as copies of one process that has answered nothing: a fork takes milliseconds, a new process a second."""

import os
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, BinaryIO


def can_fork() -> bool:
    """Return True if this process can be copied: not if it runs other threads, which a copy lacks."""
    return hasattr(os, "fork") and threading.active_count() == 1


@dataclass(frozen=True, slots=True)
class _Copy:
    name: Any
    pid: int
    requests: BinaryIO
    answers: BinaryIO


class Copies:
    """The copy of this process that answers the requests for one instance; a request for another instance ends it."""

    def __init__(self, answer: Callable[[bytes], bytes]) -> None:
        """Note the function that answers a line with a line."""
        self._answer = answer
        self._copy: _Copy | None = None

    def ask(self, name: Any, line: bytes) -> bytes:
        """Return the answer of an instance; if its process ends instead, this process ends in the same way."""
        if self._copy is None or self._copy.name != name:
            self.close()
            self._copy = self._start(name)
        with suppress(BrokenPipeError):
            self._copy.requests.write(line)
            self._copy.requests.flush()
        reply = self._copy.answers.readline()
        if not reply.endswith(b"\n"):
            self._end_alike(self._copy)
        return reply

    def _start(self, name: Any) -> _Copy:
        to_read, to_write = os.pipe()
        back_read, back_write = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(to_write)
            os.close(back_read)
            self._serve(os.fdopen(to_read, "rb"), os.fdopen(back_write, "wb"))
        os.close(to_read)
        os.close(back_write)
        return _Copy(name, pid, os.fdopen(to_write, "wb"), os.fdopen(back_read, "rb"))

    def _serve(self, requests: BinaryIO, answers: BinaryIO) -> None:
        status = 1
        try:
            for line in requests:
                answers.write(self._answer(line))
                answers.flush()
            status = 0
        except SystemExit as left:
            status = left.code if isinstance(left.code, int) else 1
        finally:
            os._exit(status)  # The copy must not run the exit handlers of the process that it copies.

    @staticmethod
    def _end_alike(copy: _Copy) -> None:
        _, status = os.waitpid(copy.pid, 0)
        code = os.waitstatus_to_exitcode(status)
        if code < 0:
            if -code != signal.SIGKILL:
                signal.signal(-code, signal.SIG_DFL)
            os.kill(os.getpid(), -code)
        os._exit(code)

    def close(self) -> None:
        """End the copy if there is one."""
        if self._copy is not None:
            self._copy.requests.close()
            self._copy.answers.close()
            os.waitpid(self._copy.pid, 0)
            self._copy = None
