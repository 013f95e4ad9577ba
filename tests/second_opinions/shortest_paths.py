"""Small problems by paths between their members: an independent oracle for tests and the long comparison."""

import numpy as np
from second_opinions.cost_matrix import digits, matrix
from second_opinions.successive_shortest_paths import (
    begun,
    place,
    price,
    seat,
)

from kassay.oracles.assignment.problem import Ints, Problem
from kassay.oracles.assignment.values import Prices


def solve_small(problem: Problem, levels: tuple[str, ...]) -> tuple[Ints, Prices]:
    """Return the owners of the items in an optimum, and the prices that prove it."""
    form = matrix(problem, levels)
    owners = np.empty((problem.items, problem.copies), np.int64)
    prices = np.empty(problem.members, np.int64)
    state = begun(form.cost)
    place(form.cost, form.square, problem.copies, 0, problem.items, state)
    price(form.square, state, prices)
    seat(state, owners)
    return owners, Prices(digits(prices, form.bases))
