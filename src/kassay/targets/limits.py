"""Limits of a target's processes, and the account of what they have used.

Processes are limited by CPU time, which does not depend on the load of the machine, on Linux; elsewhere by the time of the clock.
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
"""A faster answer counts only towards the time for all answers."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a target, in addition to the time of one answer."""

    start_s: float = 60.0
    """Seconds until its first line."""
    waiting_s: float = math.inf
    """Seconds for all answers that take longer than :data:`AT_ONCE_S` or never come."""
    total_s: float = math.inf
    """Seconds for all answers."""
    deaths: float = math.inf
    """The number of times its process may die, hang or break the protocol."""
    line_mb: int = 64
    """MB of one answer."""
    memory_mb: int = 0
    """MB of its process, 0 for no limit."""


class Account:
    """The part of its limits that a target's processes have used; they may use only a `share` of the limits."""

    def __init__(self, limits: Limits) -> None:
        """Open an account without any use."""
        self._limits = limits
        self.waited, self.at_once, self._deaths, self._last = 0.0, 0.0, 0, ""
        self.share = 1.0

    def compute_rest(self) -> float:
        """Return the seconds that are left for waiting; raises TargetGoneError if a limit is reached."""
        worked = self.waited + self.at_once
        left = min(
            self.share * self._limits.waiting_s - self.waited, self.share * self._limits.total_s - worked
        )
        if left <= 0 or self._deaths >= self.share * self._limits.deaths:
            last = f", last because {self._last}" if self._last else ""
            raise TargetGoneError(
                f"its process was waited for {worked:.1f} seconds and died or hung {self._deaths} times{last}. "
                "Allow more with --time-budget and --max-crashes"
            )
        return left

    @contextmanager
    def measure_wait(self, worked: Callable[[], float | None] = lambda: None) -> Iterator[None]:
        """Count the time inside: if an answer came, the CPU time of the process, as far as `worked` knows it."""
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
        """Forget all use."""
        self.waited, self.at_once, self._deaths, self._last = 0.0, 0.0, 0, ""

    def note_death(self, why: str) -> None:
        """Count a death."""
        self._deaths += 1
        self._last = why


LEAST_S = 0.01
"""The shortest time for which it is worth waiting."""
MOST_PATIENCE = 10
"""The multiple of its time limit for which a process is waited for on a busy machine."""
_PROC = Path("/proc")
_SCHEDULED = 2
"""The id of Linux's clock that counts the time in which a process is scheduled."""


def read_cpu_s(pid: int) -> float | None:
    """Return the seconds of CPU that a process has used, without its children; None if the system does not tell."""
    if sys.platform != "linux":
        return None
    try:
        return time.clock_gettime((~pid << 3) | _SCHEDULED)
    except OSError:
        return None


def read_total_cpu_s(pid: int) -> float | None:
    """Return the seconds of CPU of a process and of its running descendants; None if the system does not tell."""
    known = [one for each in find_descendants(pid) if (one := read_cpu_s(each)) is not None]
    return sum(known) if known else None


def is_waiting_for_core(pid: int) -> bool:
    """Return True if a process or a descendant is running, or would run if a core were free."""
    for each in find_descendants(pid):
        with suppress(OSError):
            for task in (_PROC / str(each) / "task").iterdir():
                with suppress(OSError):
                    # the name of a program is in parentheses and may hold anything
                    if (task / "stat").read_text().rpartition(")")[2].split()[0] == "R":
                        return True
    return False


def compute_due_s(pid: int, timeout_s: float, began: float, before: float | None) -> float:
    """Return the seconds that a late process is still due, because a busy machine kept it from working.

    It was asked at `began`, by time.monotonic, and had worked for `before` seconds then, with its descendants.
    """
    now = read_total_cpu_s(pid)
    if before is None or now is None or not is_waiting_for_core(pid):
        return 0.0
    longest = began + MOST_PATIENCE * timeout_s - time.monotonic()
    missing = timeout_s - (now - before)
    return min(longest, missing) if missing > LEAST_S else 0.0


def find_descendants(pid: int) -> Iterator[int]:
    """Yield a process and its running descendants."""
    yield pid
    with suppress(OSError):
        for task in (_PROC / str(pid) / "task").iterdir():
            with suppress(OSError):
                for child in (task / "children").read_text().split():
                    yield from find_descendants(int(child))
