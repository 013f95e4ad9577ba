"""A limit on the time that something may take in this process."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class OverTimeError(BaseException):
    """A run reached the limit; no `except Exception` holds it up."""


@contextmanager
def limited(seconds: float, clock: int = signal.ITIMER_REAL) -> Iterator[None]:
    """Raise OverTimeError in the main thread after some seconds, with ITIMER_PROF after CPU seconds of the process."""

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise OverTimeError

    number = signal.SIGPROF if clock == signal.ITIMER_PROF else signal.SIGALRM
    before = signal.signal(number, stop)
    signal.setitimer(clock, seconds)
    try:
        yield
    finally:
        signal.setitimer(clock, 0)
        signal.signal(number, before)
