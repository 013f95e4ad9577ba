"""Small problems by paths between their members: an oracle beside the network, for tests and the long comparison."""

import math
import time

import numpy as np
from second_opinions.cost_matrix import digits, matrix
from second_opinions.successive_shortest_paths import (
    begun,
    place,
    place_anyhow,
    price,
    seat,
)

from kassay.oracles.assignment.problem import Ints, Problem
from kassay.oracles.assignment.values import Prices

STEP = 2 * 10**6
"""About so many items * members^2 pass between two looks at the clock."""


def solve_small(problem: Problem, levels: tuple[str, ...], deadline: float = math.inf) -> tuple[Ints, Prices]:
    """Return the owners of the items in an optimum, and the prices that prove it.

    Where `deadline` (of time.monotonic) passes, the rest of the items go anywhere, and the prices are those of
    the items before.
    """
    form = matrix(problem, levels)
    owners = np.empty((problem.items, problem.copies), np.int64)
    prices = np.empty(problem.members, np.int64)
    state = begun(form.cost)
    step = 1 + STEP // (problem.copies * problem.members**2)
    done = 0
    while done < problem.items and (done == 0 or time.monotonic() < deadline):
        last = min(done + step, problem.items)
        place(form.cost, form.square, problem.copies, done, last, state)
        done = last
    price(form.square, state, prices)
    place_anyhow(form.cost, form.square, problem.copies, done, state)
    seat(state, owners)
    return owners, Prices(digits(prices, form.bases))
