"""Small problems as one matrix of costs, in which every level is a digit."""

import math
from dataclasses import dataclass

import numpy as np

from kassay.oracles.assignment.own_levels import BALANCE
from kassay.oracles.assignment.problem import Ints, Problem, build_costs, find_eligible
from kassay.oracles.errors import TooLargeError

BARRED = 2**62
"""The cost of an item at a member that may not hold it, and the length of an arc that is not there."""


@dataclass(frozen=True, slots=True, eq=False)
class Matrix:
    """The cost of each item at each member, BARRED if it may not go there; `square` is what a squared load costs.

    The levels are the digits of these numbers, the last one the lowest; `bases` are the bases of the digits.
    """

    cost: Ints
    square: int
    bases: tuple[int, ...]


def matrix(problem: Problem, levels: tuple[str, ...]) -> Matrix:
    """Return the problem as a matrix; raises TooLargeError where its costs leave 64 bits."""
    bases = _bases(problem, levels)
    if math.prod(bases) >= BARRED // 2:
        raise TooLargeError("the costs of the levels leave 64 bits")
    cost, square = np.zeros((problem.items, problem.members), np.int64), 0
    for n, level in enumerate(levels):
        unit = math.prod(bases[n + 1 :])
        if level == BALANCE:
            square = unit
        else:
            cost += unit * build_costs(problem, level)
    return Matrix(np.where(find_eligible(problem), cost, BARRED), square, bases)


def digits(packed: Ints, bases: tuple[int, ...]) -> Ints:
    """Return the digits of numbers, one row per base, each digit the nearest to zero; the first takes what is left."""
    rows = []
    for base in reversed(bases[1:]):
        rows.append((packed + base // 2) % base - base // 2)
        packed = (packed - rows[-1]) // base
    return np.array([packed, *reversed(rows)])


def _bases(problem: Problem, levels: tuple[str, ...]) -> tuple[int, ...]:
    """Return bases in which every sum over all copies, and over a path through all members, is a digit."""
    copies = problem.items * problem.copies
    costs_ = 2 * (copies + problem.members + 2) * problem.greatest_cost + 1
    return tuple(2 * (copies + 1) ** 2 + 1 if level == BALANCE else costs_ for level in levels)
