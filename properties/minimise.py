"""Minimising: the canonical last pass that makes a failing group as small as it gets, whatever the family.

Hypothesis finds a group; its own shrinking ends in different groups for different seeds and versions. Here the family
says what is smaller, and steps are taken until none is left after which the group still fails.
"""

import time
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

G = TypeVar("G", bound=Hashable)

TRIES = 10_000
PAIRED = 60
"""Pairs of steps are tried where at most this many single steps are possible."""


@dataclass(frozen=True, slots=True)
class Minimised(Generic[G]):
    """The smallest group found, how often the predicate was asked, and whether nothing smaller was left untried."""

    group: G
    tries: int
    finished: bool


def minimise(
    group: G,
    holds: Callable[[G], bool],
    smaller: Callable[[G], Iterator[G]],
    *,
    tries: int = TRIES,
    wall_s: float | None = None,
) -> Minimised[G]:
    """Return the smallest group reached from this one by steps of `smaller` after which `holds` is still true.

    `smaller` yields groups that are smaller by some well-founded order, boldest steps first. Of each group `holds` is asked
    once. Stops unfinished after `tries` calls of it or, if given, `wall_s` seconds (a call is not interrupted).
    """
    deadline = None if wall_s is None else time.monotonic() + wall_s
    failed: set[G] = set()
    tried = 0
    candidates = smaller(group)
    while (candidate := next(candidates, None)) is not None:
        if candidate in failed:
            continue
        if tried >= tries or (deadline is not None and time.monotonic() > deadline):
            return Minimised(group, tried, finished=False)
        tried += 1
        if holds(candidate):
            group, candidates = candidate, smaller(candidate)
        else:
            failed.add(candidate)
    return Minimised(group, tried, finished=True)


def in_pairs(group: G, steps: Callable[[G], Iterator[G]]) -> Iterator[G]:
    """Yield the groups one step away and then, where these are few, those two steps away: for a family's `smaller`."""
    near = []
    for one in steps(group):
        yield one
        near.append(one)
    for one in near if len(near) <= PAIRED else ():
        yield from steps(one)


def parts(number: int) -> Iterator[slice]:
    """Yield which of a number of things to leave out: all, halves, quarters, ... down to single ones, the last first."""
    length = number
    while length:
        for start in range(number - length, -1, -length):
            yield slice(start, start + length)
        length //= 2
