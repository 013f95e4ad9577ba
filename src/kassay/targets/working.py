"""The time in which a process works: CPU time, to which a busy machine adds nothing.

It is had of Linux; elsewhere nothing is known of it, and the clock on the wall counts.
"""

import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

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
