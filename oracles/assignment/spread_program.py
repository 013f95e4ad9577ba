"""The question as one linear program in PuLP on the network of topics' places, for questions with topic spread.

One variable for each arc (see :mod:`kassay.oracles.assignment.flow.topic_spread`), and for a squared one steps y between 0 and 1:

    for every node n but the last:  sum of f out of n - sum of f into n = supply of n
    topic spread, balance:          f[e] = sum over j of y[e, j],  least sum of (2j - 1) y[e, j]
    another level:                  least sum of f[e] cost[e]
"""

import math

import numpy as np

from kassay.oracles.assignment.flow.topic_spread import of_members, of_subscriptions, walked
from kassay.oracles.assignment.problem import Ints, Problem, span
from kassay.oracles.solving import Model, Objective, Variable


def solve_spread_program(
    problem: Problem, levels: tuple[str, ...], deadline: float = math.inf
) -> tuple[Ints, tuple[int, ...]]:
    """Return the owner of each item in an optimum, and the value of each level; one copy of each item.

    Raises UnsolvedError where the solver does not prove every level before `deadline` (of time.monotonic).
    """
    if not problem.items:
        return np.empty((0, 1), np.int64), (0,) * len(levels)
    places = of_members(problem, of_subscriptions(problem))
    network = places.network
    model = Model()
    along = [model.variable(most) for most in network.high.tolist()]
    at: list[list[tuple[Variable, int]]] = [[] for _ in network.supply]
    for variable, tail, head in zip(along, network.tail.tolist(), network.head.tolist(), strict=True):
        at[tail].append((variable, 1))
        at[head].append((variable, -1))
    for arcs, supply in zip(at[:-1], network.supply.tolist(), strict=False):
        model.require(model.total(arcs) == supply)

    def objective(level: str) -> Objective:
        if level in network.squares:
            terms: list[tuple[Variable, int]] = []
            arcs, weights = (column.tolist() for column in network.squares[level])
            for variable, weight in zip(map(along.__getitem__, arcs), weights, strict=True):
                steps = [(model.variable(1), weight * (2 * j + 1)) for j in range(problem.items)]
                model.require(model.total([(variable, 1), *((step, -1) for step, _ in steps)]) == 0)
                terms += steps
            return Objective(terms, problem.items**2 * max(weights))
        low, high = span(problem, level)
        costs = zip(along, network.costs[level].tolist(), strict=True)
        return Objective([(variable, cost) for variable, cost in costs if cost], high, 0, low)

    values = model.minimise([objective(level) for level in levels], deadline)
    return walked(places, np.array(model.taken(along), np.int64)), values
