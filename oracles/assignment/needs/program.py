"""The same as a linear program in PuLP, item by item; see :mod:`kassay.oracles.assignment.linear_program.by_item`.

Beside its rows, for every cap: the sum of x[i, m] over the class <= most; and the load of m is fewest + sum of y[m, j],
where y[m, j] costs u (2j + 1) for j = fewest, ..., most - 1. It is a network flow still, so its vertices are whole.
"""

import math

import numpy as np

from kassay.oracles.assignment.level import BALANCE, Ints
from kassay.oracles.assignment.needs.needs import Needs, refuse_unfit
from kassay.oracles.assignment.problem import Problem, costs, eligible, refuse_impossible, span
from kassay.oracles.failures import ImpossibleError
from kassay.oracles.solving import Model, Objective


def program_with_needs(
    problem: Problem, needs: Needs, levels: tuple[str, ...], deadline: float = math.inf
) -> tuple[Ints, tuple[int, ...]]:
    """Return the owners of each item in an optimum that meets the needs, and the value of each level.

    Raises ImpossibleError where columns do not fit, UnsolvedError where HiGHS does not prove every level in time.
    """
    refuse_impossible(problem)
    refuse_unfit(problem, needs)
    pairs = np.argwhere(eligible(problem))
    model = Model()
    x = {(item, member): model.variable(1) for item, member in pairs.tolist()}
    for item in range(problem.items):
        of_item = [(variable, 1) for (i, _), variable in x.items() if i == item]
        model.require(model.total(of_item) == problem.copies)
    classes = needs.classes(problem).tolist()
    for number, member, cap in needs.rows.tolist():
        capped = [(variable, 1) for (i, m), variable in x.items() if m == member and classes[i] == number]
        if capped:
            model.require(model.total(capped) <= cap)
    fewest, most = (column.tolist() for column in needs.span(problem))
    terms, least, greatest = [], 0, 0
    for member, unit in enumerate(needs.unit(problem).tolist()):
        steps = [(model.variable(1), unit * (2 * j + 1)) for j in range(fewest[member], most[member])]
        held = [(variable, 1) for (_, m), variable in x.items() if m == member]
        if fewest[member] > len(held):
            raise ImpossibleError(f"fewest: member {member} may hold no more than {len(held)} items")
        if held:
            model.require(model.total([*held, *((step, -1) for step, _ in steps)]) == fewest[member])
        terms += steps
        least += unit * fewest[member] ** 2
        greatest += unit * most[member] ** 2
    squares = Objective(terms, greatest, least)
    objectives = [squares if level == BALANCE else _costs(problem, level, x) for level in levels]
    values = model.minimise(objectives, deadline)
    chosen = pairs[np.array(model.taken(x.values()), np.bool_)]
    return chosen[:, 1].reshape(problem.items, problem.copies), values


def _costs(problem: Problem, level: str, x: dict[tuple[int, int], int]) -> Objective:
    cost = costs(problem, level)
    low, high = span(problem, level)
    losses = int(problem.losses({level: 1})[problem.claim_of].sum())  # which each copy's cost counts
    terms = [(variable, int(cost[pair])) for pair, variable in x.items()]
    return Objective(terms, high, losses * (1 - problem.copies), low)
