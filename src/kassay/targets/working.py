"""The time in which a process works: CPU time, to which a busy machine adds nothing.

It is had of Linux; elsewhere nothing is known of it, and the clock on the wall counts.
"""

import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

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
    known = [one for each in _descendants(pid) if (one := worked_s(each)) is not None]
    return sum(known) if known else None


def waits_for_a_core(pid: int) -> bool:
    """Say whether a process, or one that it started, is running or would if there were a free core, rather than asleep."""
    for each in _descendants(pid):
        with suppress(OSError):
            for task in (_PROC / str(each) / "task").iterdir():
                with suppress(OSError):
                    # the name of a program is in parentheses and may hold anything
                    if (task / "stat").read_text().rpartition(")")[2].split()[0] == "R":
                        return True
    return False


def _descendants(pid: int) -> Iterator[int]:
    yield pid
    with suppress(OSError):
        for task in (_PROC / str(pid) / "task").iterdir():
            with suppress(OSError):
                for child in (task / "children").read_text().split():
                    yield from _descendants(int(child))
