"""Asking targets so that whatever they do becomes a row: opened with limits, and every failure given a status."""

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from types import FrameType
from typing import Any

from kassay.errors import DiedError, SkippedError, TargetGoneError
from kassay.model import AssignorError
from kassay.shape import Assign
from kassay.targets import Limits, Options, Target, open_target

LONGEST = 300
"""How many characters of a message a row keeps."""
_MEMORY = ("MemoryError", "OutOfMemoryError", "std::bad_alloc", "Cannot allocate memory")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a target said to one group: a status and a message, or an assignment; and how long it took."""

    micros: int
    assignment: Any = None
    failure: AssignorError | SkippedError | None = None
    status: str = "ok"

    @property
    def message(self) -> str | None:
        """What the target failed with."""
        return None if self.failure is None else " ".join(str(self.failure).split())[:LONGEST]


def opened(spec: str, family: str, timeout_s: float, memory_mb: int) -> Target:
    """Open a target with limits of time and memory; raises InputError or TargetGoneError where that cannot be.

    Reference assignors run in this process, within the time; all others in processes of their own.
    """
    target = open_target(spec, Options(timeout_s, family=family, limits=Limits(memory_mb=memory_mb)))
    if ":" in spec:
        return target
    return replace(target, assign=in_time(target.assign, timeout_s), again=in_time(target.again, timeout_s))


def ask(target: Target, group: Any) -> Outcome:
    """Ask a target about a group."""
    start = time.perf_counter_ns()
    try:
        assignment = target.assign(group)
    except (AssignorError, SkippedError) as failure:
        return Outcome(_since(start), failure=failure, status=status_of(failure))
    except TargetGoneError as gone:
        return Outcome(_since(start), failure=DiedError(str(gone)), status="died")
    return Outcome(_since(start), assignment)


def _since(start: int) -> int:
    return (time.perf_counter_ns() - start) // 1000


def status_of(failure: AssignorError | SkippedError) -> str:
    """Say by which status a failure is known."""
    if isinstance(failure, SkippedError):
        return "skipped"
    said = str(failure)
    if isinstance(failure, TooLateError) or (
        isinstance(failure, DiedError) and "gave no answer within" in said
    ):
        return "timeout"
    if any(word in said for word in _MEMORY):
        return "memory"
    return "died" if isinstance(failure, DiedError) else "refused"


class TooLateError(DiedError):
    """An assignor of this process gave no answer in time."""


def in_time(assign: Assign, timeout_s: float) -> Assign:
    """Break a function of this process off when its time is over; only its main thread can be interrupted."""

    def answer(group: Any) -> Any:
        if threading.current_thread() is not threading.main_thread():
            return assign(group)
        with _alarm(timeout_s):
            return assign(group)

    return answer


@contextmanager
def _alarm(timeout_s: float) -> Iterator[None]:
    def late(_signal: int, _frame: FrameType | None) -> None:
        raise TooLateError(f"it gave no answer within {timeout_s:g} seconds")

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, timeout_s)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
