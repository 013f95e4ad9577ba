"""Time: whether answers take too long, or ever longer, as groups double.

Seconds are the machine's, and where they are those of the clock a busy machine adds to them, so growth is judged by medians, over several doublings, and
measured a second time before anything is said.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from math import log2
from statistics import median
from typing import Any, TypeAlias

from kassay.errors import DiedError, SkippedError
from kassay.model import AssignorError
from kassay.shape import Assign

Clock: TypeAlias = Callable[[], float]
Growing: TypeAlias = Callable[[Assign, int], Any]
"""Makes the group of a size, for an assignor that may be asked what the members own before."""

POWER = 1.5
"""The time may grow as this power of the group's size."""
INACCURACY = 0.1
"""A power is measured no better than to this, so that what is measured must be above both together."""
DOUBLINGS = 3
"""So many doublings that follow each other must all be too steep."""
REPEATS = 3
SIZES = 8
LIMIT_S = 2.0
"""No further doubling after an answer that took so long; such an answer is measured once."""
FLOOR_S = 0.001
"""Less than this is the clock's and the pipe's rather than the assignor's."""
BUDGET_S = 5.0


def slow(
    assign: Assign,
    growing: Mapping[str, Growing],
    *,
    budget_s: float = BUDGET_S,
    clock: Clock = time.perf_counter,
) -> Iterator[str]:
    """Say of which kinds of groups the answers take longer than the budget, in seconds, or grow faster than n^1.5.

    An assignor that fails on a group, or declines it, is not asked about larger ones of that kind; no answer in time
    is over the budget too. `clock` tells seconds.
    """
    for kind, make in growing.items():
        try:
            times = curve(assign, make, clock)
            steepest = _steepest(times)
            if times and times[-1] > budget_s:
                yield f"{kind}: an answer takes {times[-1]:.1f} s, above the budget of {budget_s:g} s ({_words(times)})"
            elif (
                steepest > POWER + INACCURACY
                and (again := _steepest(curve(assign, make, clock))) > POWER + INACCURACY
            ):
                power = min(steepest, again)
                yield f"{kind}: the time grows as n^{power:.1f}, faster than n^{POWER:g} ({_words(times)})"
        except DiedError as death:
            yield f"{kind}: {str(death).partition(';')[0]}"


def curve(assign: Assign, make: Growing, clock: Clock = time.perf_counter) -> list[float]:
    """Return the seconds of an answer to the smallest group, to one twice its size, and so on, as far as it gets.

    Raises DiedError where the target dies or does not answer in time.
    """
    times: list[float] = []
    try:
        for size in (1 << doubling for doubling in range(SIZES)):
            times.append(seconds(assign, make(assign, size), clock))
            if times[-1] > LIMIT_S:
                break
    except DiedError:
        raise
    except (AssignorError, SkippedError):
        pass  # crash_free speaks of it
    return times


def seconds(assign: Assign, group: Any, clock: Clock = time.perf_counter) -> float:
    """Return the median time of some answers, in seconds, or that of one if it takes long."""
    taken: list[float] = []
    while len(taken) < REPEATS and (not taken or taken[0] <= LIMIT_S):
        start = clock()
        assign(group)
        taken.append(clock() - start)
    return median(taken)


def _steepest(times: list[float]) -> float:
    """Return the greatest power with which the time grew in each of DOUBLINGS doublings; 0 where there are fewer."""
    powers = [log2(then / now) for now, then in pairwise(times) if now >= FLOOR_S]
    return max((min(powers[at : at + DOUBLINGS]) for at in range(len(powers) - DOUBLINGS + 1)), default=0.0)


def _words(times: list[float]) -> str:
    return ", ".join(f"{taken:.2g}" for taken in times) + " s as it doubles"
