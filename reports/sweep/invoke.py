"""Targets opened so that whatever they do becomes a row: with limits, and a status for every failure."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from types import FrameType
from typing import Any

from kassay.errors import DiedError, SkippedError, TargetGoneError
from kassay.model import AssignorError
from kassay.shape import Assign
from kassay.targets import Limits, Options, Target, open_target

LONGEST = 300
"""How many characters of a message a row keeps."""
_MEMORY = ("MemoryError", "OutOfMemoryError", "std::bad_alloc", "Cannot allocate memory")


def opened(spec: str, family: str, timeout_s: float, memory_mb: int) -> Target:
    """Open a target with limits of time and memory; raises InputError or TargetGoneError where that cannot be.

    Reference assignors run in this process, within the time; all others in processes of their own.
    """
    target = open_target(spec, Options(timeout_s, family=family, limits=Limits(memory_mb=memory_mb)))
    if ":" in spec:
        return target
    return replace(target, assign=in_time(target.assign, timeout_s), again=in_time(target.again, timeout_s))


def outliving(target: Target) -> Target:
    """Let a target that can no longer be asked be one that died on the group: a row says so, and the sweep goes on."""

    def dying(assign: Assign) -> Assign:
        def answer(group: Any) -> Any:
            try:
                return assign(group)
            except TargetGoneError as gone:
                raise DiedError(str(gone)) from None

        return answer

    def instance() -> Assign:
        assert target.instance is not None
        try:
            return dying(target.instance())
        except TargetGoneError as gone:
            raise DiedError(str(gone)) from None

    return replace(
        target, assign=dying(target.assign), again=dying(target.again), instance=instance if target.instance else None
    )  # fmt: skip


def message_of(failure: AssignorError | SkippedError) -> str:
    """Return what a row keeps of a failure's text."""
    return " ".join(str(failure).split())[:LONGEST]


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
