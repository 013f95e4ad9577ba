"""Small problems as one matrix of costs, in which every level is a digit."""

import math
import time
from dataclasses import dataclass

import numpy as np

from kassay.oracles.consumer.flow.dense import BARRED, begun, place, place_anyhow, price, seat
from kassay.oracles.consumer.problem import Ints, Problem, costs, eligible
from kassay.oracles.consumer.proof.prices import Prices
from kassay.oracles.failures import TooLargeError

FEW = 2 * 10**6
"""Up to this many copies * items * members^2, paths between members beat the network (about 10 ms)."""
MANY = 2 * 10**9
"""Up to this many they are taken where there is no other way, for several copies (about 10 s)."""


@dataclass(frozen=True, slots=True, eq=False)
class Matrix:
    """What each item costs at each member, BARRED where it may not go; `square` is what a squared load costs.

    The levels are the digits of these numbers, the last one the lowest; `bases` are the bases of the digits.
    """

    cost: Ints
    square: int
    bases: tuple[int, ...]


def fits(problem: Problem, levels: tuple[str, ...]) -> bool:
    """Return whether the problem is best solved as a matrix, or must be, and that leaves neither time nor 64 bits."""
    steps = problem.copies * problem.items * problem.members**2
    return (
        steps <= (FEW if problem.copies == 1 else MANY) and math.prod(_bases(problem, levels)) < BARRED // 2
    )


def matrix(problem: Problem, levels: tuple[str, ...]) -> Matrix:
    """Return the problem as a matrix; raises TooLargeError where its costs leave 64 bits."""
    bases = _bases(problem, levels)
    if math.prod(bases) >= BARRED // 2:
        raise TooLargeError("the costs of the levels leave 64 bits")
    cost, square = np.zeros((problem.items, problem.members), np.int64), 0
    for n, level in enumerate(levels):
        unit = math.prod(bases[n + 1 :])
        if level == "balance":
            square = unit
        else:
            cost += unit * costs(problem, level)
    return Matrix(np.where(eligible(problem), cost, BARRED), square, bases)


def solve_small(problem: Problem, levels: tuple[str, ...], deadline: float = math.inf) -> tuple[Ints, Prices]:
    """Return the owners of the items in an optimum, and the prices that prove it.

    Where `deadline` (of time.monotonic) passes, the rest of the items go anywhere, and the prices are those of
    the items before.
    """
    form = matrix(problem, levels)
    owners = np.empty((problem.items, problem.copies), np.int64)
    prices = np.empty(problem.members, np.int64)
    state = begun(form.cost)
    step = 1 + FEW // (problem.copies * problem.members**2)
    done = 0
    while done < problem.items and (done == 0 or time.monotonic() < deadline):
        last = min(done + step, problem.items)
        place(form.cost, form.square, problem.copies, done, last, state)
        done = last
    price(form.square, state, prices)
    place_anyhow(form.cost, form.square, problem.copies, done, state)
    seat(state, owners)
    return owners, Prices(digits(prices, form.bases))


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
    return tuple(2 * (copies + 1) ** 2 + 1 if level == "balance" else costs_ for level in levels)
