"""Both sides of one point, measured by turns, in CPU time of the thread: other work on the machine hardly counts."""

import gc
import statistics
import time
from collections.abc import Callable, Iterable
from signal import ITIMER_PROF
from typing import Any, Protocol

from jmh.java import JavaClass
from jmh.limits import OverTimeError, limited
from jmh.rows import Row

TURNS = 15
TURN_S = 0.02
"""About so long a side is measured in its turn; of several runs the median counts."""

MOST_RUNS = 200
WARM_UP_S = 0.4
"""For how long Java must have become no faster at a point."""

FASTER = 0.9

PATIENCE_S = 4.0
"""About so long all turns of a point may take; where one takes longer, both sides run once, as Java warms up by itself."""


class Sized(Protocol):
    """A point, which str() names."""

    @property
    def partitions(self) -> int:
        """How many partitions, or tasks, are given out."""


def warm_up(java: JavaClass, groups: Iterable[Any]) -> None:
    """Run a new Java process on some groups, until it gets no faster."""
    for group in groups:
        java.take(group)
        _warm(java, java.seconds(1)[0], WARM_UP_S)


def measure(point: Sized, group_of: Callable[[Any], Any], java: JavaClass, limit_s: float) -> Row:
    """Measure a point, whose group is made first, unless one run of a side takes longer than the limit or the answers differ."""
    assign = java.reference.assign
    try:
        with limited(5 * limit_s, ITIMER_PROF):
            group = group_of(point)
        java.take(group)
        java_s = java.seconds(1)[0]
        with limited(limit_s, ITIMER_PROF):
            ours_s, given = _timed(assign, group)
    except TimeoutError:
        return Row(str(point), point.partitions, skipped=f"Java takes over {limit_s:g} s")
    except OverTimeError:
        return Row(str(point), point.partitions, skipped=f"the reference takes over {limit_s:g} s")
    if not java.answers(given):
        return Row(str(point), point.partitions, skipped="the answers differ")
    del given
    theirs, ours = [java_s], [ours_s]
    if java_s + ours_s < PATIENCE_S:
        java_s = _warm(java, java_s, WARM_UP_S)
        theirs, ours = [], []
        for _ in range(max(1, min(TURNS, int(PATIENCE_S / (java_s + ours_s))))):
            theirs.append(statistics.median(java.seconds(_runs(java_s))))
            gc.collect()
            ours.append(statistics.median(_timed(assign, group)[0] for _ in range(_runs(ours_s))))
    ratios = [one / other for one, other in zip(ours, theirs, strict=True)]
    return Row(
        str(point),
        point.partitions,
        round(statistics.median(theirs), 7),
        round(statistics.median(ours), 7),
        round(statistics.median(ratios), 3),
    )


def _timed(assign: Callable[[Any], Any], group: Any) -> tuple[float, Any]:
    start = time.thread_time()
    given = assign(group)
    return time.thread_time() - start, given


def _runs(seconds: float) -> int:
    return max(1, min(MOST_RUNS, round(TURN_S / seconds)))


def _warm(java: JavaClass, seconds: float, for_s: float) -> float:
    """Run Java until it has become no faster for so long, and return what a run takes by then."""
    spent = 0.0
    while spent < for_s:
        taken = java.seconds(_runs(seconds))
        spent += sum(taken)
        if statistics.median(taken) < FASTER * seconds:
            seconds, spent = statistics.median(taken), 0.0
    return seconds
