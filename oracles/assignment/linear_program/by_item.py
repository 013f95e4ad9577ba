"""The question as a linear program in PuLP, partition by partition.

For item i and member m that may hold it, x[i, m] is 1 where m holds i, else 0; load l[m] is the sum over i of
x[i, m].

    for every i:   sum over m of x[i, m] = copies of i
    for every m:   sum over i of x[i, m] = sum over j of y[m, j]        0 <= x <= 1, 0 <= y <= 1
    balance:       least sum over m, j of (2j - 1) y[m, j],  j = 1, 2, ...   (1 + 3 + ... + (2l - 1) = l^2)
    another level: least sum over i, m of c[i, m] x[i, m]

Each level's least value becomes a row before the next level is asked. No variable needs to be declared whole:
with whole data the program is a network flow, so its vertices are whole, and the optima of a level are a
face, whose vertices are vertices of the whole. Levels whose costs fit into a few digits are asked at once,
weighted; fewer programs, same optimum.

Where balance comes first, no optimum has a greater load than any other assignment, so y[m, j] stops at the
greatest load of one that was dealt out anyhow.
"""

import math

import numpy as np
from numpy.typing import NDArray

from kassay.oracles.assignment.flow.integer_sort import rank_in_run
from kassay.oracles.assignment.level import Ints
from kassay.oracles.assignment.own_levels import BALANCE
from kassay.oracles.assignment.problem import Problem, costs, eligible, refuse_impossible, span
from kassay.oracles.solving import Model, Objective, Variable


def solve_program(
    problem: Problem, levels: tuple[str, ...], deadline: float = math.inf
) -> tuple[Ints, tuple[int, ...]]:
    """Return the owners of each item in an optimum, and the value of each level.

    Raises UnsolvedError where the solver does not prove every level before `deadline` (of time.monotonic), ImpossibleError where an
    item has too few readers.
    """
    refuse_impossible(problem)
    may, copies = eligible(problem), problem.copies_of_audience[problem.audience_of]
    pairs = np.argwhere(may)
    model = Model()
    x = [model.variable(1) for _ in pairs]
    of_item: list[list[int]] = [[] for _ in range(problem.items)]
    of_member: list[list[int]] = [[] for _ in range(problem.members)]
    for n, (item, member) in enumerate(pairs.tolist()):
        of_item[item].append(n)
        of_member[member].append(n)
    for entries, wanted in zip(of_item, copies.tolist(), strict=True):
        model.require(model.total((x[n], 1) for n in entries) == wanted)
    most = _greatest_load(may, copies) if levels[0] == BALANCE else problem.items
    objectives = [
        _squares(model, x, of_member, most) if level == BALANCE else _sum(problem, level, x, pairs)
        for level in levels
    ]
    values = model.minimise(objectives, deadline)
    chosen = pairs[np.array(model.taken(x), np.bool_)]
    owners = np.full((problem.items, problem.copies), -1)
    owners[chosen[:, 0], rank_in_run(chosen[:, 0])] = chosen[:, 1]
    return owners, values


def _sum(problem: Problem, level: str, x: list[Variable], pairs: Ints) -> Objective:
    cost = costs(problem, level)[tuple(pairs.T)].tolist()
    terms = [(variable, each) for variable, each in zip(x, cost, strict=True) if each]
    copies = problem.copies_of_audience[problem.audience_of]
    constant = int(
        (problem.losses({level: 1})[problem.claim_of] * (1 - copies)).sum()
    )  # each copy's cost counts them
    low, high = span(problem, level)
    return Objective(terms, high, constant, low)


def _squares(model: Model, x: list[Variable], of_member: list[list[int]], most: int) -> Objective:
    terms = []
    greatest = 0
    for entries in of_member:
        steps = [(model.variable(1), 2 * j + 1) for j in range(min(most, len(entries)))]
        model.require(model.total([*((x[n], 1) for n in entries), *((step, -1) for step, _ in steps)]) == 0)
        terms += steps
        greatest += len(steps) ** 2
    return Objective(terms, greatest)


def _greatest_load(may: NDArray[np.bool_], copies: Ints) -> int:
    """Return the greatest load when every item, those with the fewest readers first, goes to its least loaded readers."""
    load = np.zeros(may.shape[1], np.int64)
    for item in np.argsort(may.sum(axis=1), kind="stable"):
        readers = np.flatnonzero(may[item])
        load[readers[np.argsort(load[readers], kind="stable")[: copies[item]]]] += 1
    return int(load.max(initial=0))
