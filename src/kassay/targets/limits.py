"""Limits of what the processes of a target may take, and the account of what they have taken.

The time in which a process works: CPU time, to which a busy machine adds nothing.

It is had of Linux; elsewhere nothing is known of it, and the clock on the wall counts.
"""

import math
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from kassay.errors import TargetGoneError

AT_ONCE_S = 0.1
"""A faster answer counts towards the time for all answers alone."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a target may take besides the time of one answer.

    `start_s` are seconds until it first speaks, `waiting_s` seconds that it is waited for in all, for answers that take longer than
    :data:`AT_ONCE_S` or never come, `total_s` seconds for all answers, `deaths` how often its
    process may die, hang or break the protocol, `line_mb` the length of one answer and `memory_mb` the memory of its
    process, 0: as much as there is.
    """

    start_s: float = 60.0
    waiting_s: float = math.inf
    total_s: float = math.inf
    deaths: float = math.inf
    line_mb: int = 64
    memory_mb: int = 0


class Account:
    """What the processes of a target have taken of its limits; while `share` is below 1 they may take only that part."""

    def __init__(self, limits: Limits) -> None:
        """Open an account on which nothing is taken yet."""
        self._limits = limits
        self.waited, self.at_once, self._deaths, self._last = 0.0, 0.0, 0, ""
        self.share = 1.0

    def left(self) -> float:
        """Return the seconds for which it may still be waited; raises TargetGoneError where the limits are reached."""
        worked = self.waited + self.at_once
        left = min(
            self.share * self._limits.waiting_s - self.waited, self.share * self._limits.total_s - worked
        )
        if left <= 0 or self._deaths >= self.share * self._limits.deaths:
            last = f", last because {self._last}" if self._last else ""
            raise TargetGoneError(
                f"its process was waited for {worked:.1f} seconds and died or hung {self._deaths} times{last}; "
                "allow more with --wait and --deaths"
            )
        return left

    @contextmanager
    def waiting(self, worked: Callable[[], float | None] = lambda: None) -> Iterator[None]:
        """Count the time of what is done inside: where an answer came, that in which the process worked, if `worked` tells it.

        So a busy machine uses up nobody's time.
        """
        start, answered, before = time.monotonic(), False, worked()
        try:
            yield
            answered = True
        finally:
            took = time.monotonic() - start
            if answered and before is not None and (after := worked()) is not None:
                took = min(took, after - before)
            if answered and took <= AT_ONCE_S:
                self.at_once += took
            else:
                self.waited += took

    def renew(self) -> None:
        """Forget what was taken."""
        self.waited, self.at_once, self._deaths, self._last = 0.0, 0.0, 0, ""

    def died(self, why: str) -> None:
        """Count a death."""
        self._deaths += 1
        self._last = why


LEAST_S = 0.01
"""Less than this is not worth waiting for."""
MOST_PATIENCE = 10
"""On a machine that is too busy to let it work a process is waited for so many times as long as it may work."""
_PROC = Path("/proc")
_SCHEDULED = 2
"""The clock of a process that counts when it is scheduled, in the ids of Linux's clocks."""


def worked_s(pid: int) -> float | None:
    """Return the seconds of CPU that a process has used, without its children; None where that cannot be had."""
    if sys.platform != "linux":
        return None
    try:
        return time.clock_gettime((~pid << 3) | _SCHEDULED)
    except OSError:
        return None


def worked_by_all_s(pid: int) -> float | None:
    """Return the seconds of CPU that a process and those it started, as far as these still run, have used; None where that cannot be had."""
    known = [one for each in descendants(pid) if (one := worked_s(each)) is not None]
    return sum(known) if known else None


def waits_for_a_core(pid: int) -> bool:
    """Say whether a process, or one that it started, is running or would if there were a free core, rather than asleep."""
    for each in descendants(pid):
        with suppress(OSError):
            for task in (_PROC / str(each) / "task").iterdir():
                with suppress(OSError):
                    # the name of a program is in parentheses and may hold anything
                    if (task / "stat").read_text().rpartition(")")[2].split()[0] == "R":
                        return True
    return False


def still_due_s(pid: int, timeout_s: float, began: float, before: float | None) -> float:
    """Return the seconds for which a process that did not answer in time is waited for, because a busy machine kept it from working.

    `began` is when it was asked, by time.monotonic, and `before` what it and those it started had worked by then.
    """
    now = worked_by_all_s(pid)
    if before is None or now is None or not waits_for_a_core(pid):
        return 0.0
    longest = began + MOST_PATIENCE * timeout_s - time.monotonic()
    missing = timeout_s - (now - before)
    return min(longest, missing) if missing > LEAST_S else 0.0


def descendants(pid: int) -> Iterator[int]:
    """Return a process and those it started, as far as these still run."""
    yield pid
    with suppress(OSError):
        for task in (_PROC / str(pid) / "task").iterdir():
            with suppress(OSError):
                for child in (task / "children").read_text().split():
                    yield from descendants(int(child))
