"""A limit on the time that something may take in this process."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class OverTimeError(BaseException):
    """A run reached the limit; no `except Exception` holds it up."""


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise OverTimeError in this thread after some seconds."""

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise OverTimeError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
