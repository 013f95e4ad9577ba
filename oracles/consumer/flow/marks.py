"""Squared loads as arcs of a cheapest flow: straight lines between marks, ever closer around the loads found.

A member's load l costs l^2. Between two marks a and b the square is replaced by the straight line from a^2 to
b^2, whose slope is a + b: one arc. Marks that lie ever farther apart at first tell about where the loads are;
around these the next ones are eight times as close, until they are one apart. Then the squares themselves
are paid wherever a load could go next, and as they are convex, what is cheapest there is cheapest of all.
"""

import numpy as np

from kassay.oracles.consumer.problem import Ints

REACH = 8
"""How many marks there are on either side of a load."""


def first_marks(top: Ints) -> Ints:
    """Return a row of marks for each of some greatest loads: all where they are few, else ever farther apart."""
    marks = list(range(2 * REACH + 1))
    while marks[-1] < top.max(initial=0):
        marks.append(marks[-1] * 4 // 3)
    return np.minimum(marks, top[:, None])


def closer_marks(marks: Ints, low: Ints, high: Ints) -> Ints | None:
    """Return closer marks around loads between `low` and `high`; None where no load could go next but by one."""
    gap = np.where(
        (marks[:, :-1] <= high[:, None]) & (marks[:, 1:] >= low[:, None]), np.diff(marks, axis=1), 0
    )
    widest = gap.max(axis=1)
    if widest.max() <= 1:
        return None
    top = marks[:, -1:]
    steps = -(-widest // REACH)[:, None] * np.arange(-REACH, REACH + 1)
    return np.hstack([np.zeros_like(top), np.clip(low[:, None] + steps, 0, top), top])


def slopes(marks: Ints) -> tuple[Ints, Ints, Ints]:
    """Return for each arc whose it is, how many loads wide it is, and what each of them costs there."""
    width = np.diff(marks, axis=1)
    of, place = np.nonzero(width)
    return of, width[of, place], (marks[:, 1:] + marks[:, :-1])[of, place]
