"""Squared loads as arcs of a cheapest flow: straight lines between marks, ever closer around the loads found.

A member's load l costs l^2. Between two marks a and b the square is replaced by the straight line from a^2 to
b^2, whose slope is a + b: one arc. Marks that lie ever farther apart at first tell about where the loads are;
around these the next ones are eight times as close, until they are one apart. Then the squares themselves
are paid wherever a load could go next, and as they are convex, what is cheapest there is cheapest of all.
"""

from typing import NamedTuple

import numpy as np

from kassay.oracles.assignment.level import Ints

REACH = 8
"""How many marks there are on either side of a load."""


class Marks(NamedTuple):
    """A row of ascending marks for each load, from 0 to the greatest, and how far apart they are around it; 0 at first."""

    rows: Ints
    step: Ints


def first_marks(top: Ints) -> Marks:
    """Return marks up to some greatest loads: all where they are few, else each twice the one before."""
    most = int(top.max(initial=0))
    few = most <= 4 * REACH
    marks = np.arange(most + 1) if few else np.array([0, *(2**n for n in range(most.bit_length() + 1))])
    return Marks(np.minimum(marks, top[:, None]), np.zeros_like(top))


def closer_marks(marks: Marks, low: Ints, high: Ints) -> Marks | None:
    """Return closer marks around loads between `low` and `high`; None where no load could go next but by one.

    A load that came to the end of its marks gets as many more.
    """
    beside = (marks.rows[:, :-1] <= high[:, None]) & (marks.rows[:, 1:] >= low[:, None])
    gap = np.where(beside, np.diff(marks.rows, axis=1), 0).max(axis=1, initial=0)
    if gap.max(initial=0) <= 1:
        return None
    ended = (gap > marks.step) & (marks.step > 0)
    step = np.where(ended, marks.step, -(-np.where(marks.step > 0, marks.step, gap) // REACH))
    return _around(low, np.maximum(step, 1), marks.rows[:, -1:])


def marks_around(loads: Ints, top: Ints) -> Marks:
    """Return marks that are one apart around loads that may be right."""
    return _around(loads, np.ones_like(top), top[:, None])


def _around(loads: Ints, step: Ints, top: Ints) -> Marks:
    around = np.clip(loads[:, None] + step[:, None] * np.arange(-REACH, REACH + 1), 0, top)
    return Marks(np.hstack([np.zeros_like(top), around, top]), step)


def slopes(marks: Marks) -> tuple[Ints, Ints, Ints]:
    """Return for each arc whose it is, how many loads wide it is, and what each of them costs there."""
    width = np.diff(marks.rows, axis=1)
    of, place = np.nonzero(width)
    return of, width[of, place], (marks.rows[:, 1:] + marks.rows[:, :-1])[of, place]
