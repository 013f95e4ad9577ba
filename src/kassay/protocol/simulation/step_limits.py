"""The limits of the simulated machines: a step that raises an exception or does not return fails, and so does a run without end."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from kassay.errors import AssignorError, InputError, SkippedError, TargetGoneError, shorten

STEP_S = 10
"""The limit of a step, in seconds of processor time; it ends after twice this time at the latest. kassay's own machines take less than a millisecond."""
WINDOW_MS = 10_000
"""The time over which events are counted."""
EVENTS, MEMBER_EVENTS = 2_000, 200
"""The most events in that time, and how many more each member may cause; a member of kassay's causes 60 at most."""
PASSED_ON = (AssignorError, InputError, SkippedError, TargetGoneError, MemoryError)
"""Errors of the assignor, the command line and the computer, which are not defects of a machine."""


class StepFailedError(Exception):
    """A machine failed; `invariant` is the name of the invariant that this breaks."""

    def __init__(self, invariant: str, sentence: str) -> None:
        super().__init__(sentence)
        self.invariant = invariant


class _EndlessError(BaseException):
    """A step has used up its time. A machine that catches every Exception cannot catch it."""


def machines_do_not_fail(who: str, event: Any, failure: Exception) -> str:
    """No coordinator and no member raises an exception."""
    at = "" if event is None else f" at {type(event).__name__}"
    text = " ".join(str(failure).split())
    return shorten(f"{who} raises {type(failure).__name__}{at}{f': {text}' if text else ''}")


def runs_end(who: str) -> str:
    """Each step of a machine returns, and messages and timers do not follow each other without end."""
    return f"{who} does not come to an end"


class _Watch:
    """The watch over the steps of machines."""

    thread: int | None = None
    """The thread whose steps are watched; None if no watch runs."""
    counted = 0
    """The beginnings and ends of steps, so that the number is odd during a step."""


def call_machine(who: str, event: Any, machine: Callable[..., Any], *about: Any) -> Any:
    """Return the step of a machine; raises StepFailedError if it raises an exception or does not return in time."""
    if _Watch.thread != threading.get_ident():
        with watch_steps():
            return _call_watched(who, event, machine, about)
    return _call_watched(who, event, machine, about)


def _call_watched(who: str, event: Any, machine: Callable[..., Any], about: tuple[Any, ...]) -> Any:
    _Watch.counted += 1
    try:
        return machine(*about)
    except PASSED_ON:
        raise
    except _EndlessError:
        sentence = runs_end(f"a step of {who} at {type(event).__name__}")
        raise StepFailedError(runs_end.__name__, sentence) from None
    except Exception as failure:
        sentence = machines_do_not_fail(who, event, failure)
        raise StepFailedError(machines_do_not_fail.__name__, sentence) from failure
    finally:
        _Watch.counted += 1


@contextmanager
def watch_steps() -> Iterator[None]:
    """Limit the processor time of each step within, where the system has a timer for it, which only the main thread can set.

    One timer watches all steps, because to set one takes as long as a step.
    """
    has_timer = hasattr(signal, "SIGVTALRM") and threading.current_thread() is threading.main_thread()
    if _Watch.thread is not None or not has_timer:
        yield
        return
    _Watch.counted = seen = 0

    def expire(*_: Any) -> None:
        nonlocal seen
        before, seen = seen, _Watch.counted
        if seen == before and seen % 2:
            raise _EndlessError

    before = signal.signal(signal.SIGVTALRM, expire)
    _Watch.thread = threading.get_ident()
    signal.setitimer(signal.ITIMER_VIRTUAL, STEP_S, STEP_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        _Watch.thread = None
        signal.signal(signal.SIGVTALRM, before)


def check_number_of_events(number: int, members: int) -> None:
    """Check the number of events in a window; raises StepFailedError if messages and timers follow each other without end."""
    if number > EVENTS + MEMBER_EVENTS * members:
        sentence = runs_end(f"the group handles {number:,} events within {WINDOW_MS // 1000} s and")
        raise StepFailedError(runs_end.__name__, sentence)
