"""How many active tasks each client has where every subtopology is to be shared: loads first, then shares of them (KIP-925, 4.B.II)."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from heapq import heapify, heapreplace

import numpy as np

from kassay.oracles.assignment.active_standby.problem import RoleProblem
from kassay.oracles.tasks.encoding import shares


def counted(problem: RoleProblem) -> RoleProblem:
    """Return the problem where each client has its count of active tasks, and of each subtopology its share of that count."""
    counts = np.array(even_counts(problem.items, problem.slots.tolist()), np.int64)
    problem = replace(problem, active_loads=counts)
    return replace(problem, caps=shares(problem))


def even_counts(items: int, slots: Sequence[int]) -> list[int]:
    """Return the counts whose squares, each by its member's slots, have the least sum; of equal members the first have more.

    These loads are the most even ones of slots too: a member's next item costs less as long as its slots hold fewer.
    """
    counts = [0] * len(slots)
    next_ = [(Fraction(1, k), m) for m, k in enumerate(slots)]
    heapify(next_)
    for _ in range(items if counts else 0):
        _, m = next_[0]
        counts[m] += 1
        heapreplace(next_, (Fraction(2 * counts[m] + 1, slots[m]), m))
    return counts
