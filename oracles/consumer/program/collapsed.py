"""The question as a linear program in PuLP on the collapsed network: its size is that of the kinds, not the partitions.

One variable f[a] for each arc a of the network (see :mod:`kassay.oracles.consumer.flow.collapse`), between 0
and its capacity.

    for every kind k:          sum of f out of k = items of the kind
    for every hall and cell n: sum of f into n = sum of f out of n
    for every member m:        sum of f into m = base + sum over j of y[m, j]        0 <= y <= 1
    balance:     least sum over m, j of (2 (base + j) - 1) y[m, j],  j = 1, 2, ...
    moves:       least sum of all claims - sum of f[a] gain[a] over the keep arcs
    cross-rack:  least sum of f[a] cost[a]

Level by level as in :mod:`kassay.oracles.consumer.program.by_partition`. Where balance comes first, base + j
spans a few loads only, around a guess. The squares are convex, so a least value inside the span is the least
of all; one at its edge is not taken, and the span widens. A wrong guess costs time or the answer, never the
truth.
"""

import time

import numpy as np

from kassay.oracles.consumer.flow.collapse import collapsed
from kassay.oracles.consumer.flow.even import spread
from kassay.oracles.consumer.flow.placing import placed
from kassay.oracles.consumer.flow.readership import readership
from kassay.oracles.consumer.flow.slot_prices import slot_prices
from kassay.oracles.consumer.problem import Ints, Problem, refuse_impossible
from kassay.oracles.consumer.values import loads
from kassay.oracles.solving import Model, Objective, Variable


def solve_collapsed_program(
    problem: Problem, levels: tuple[str, ...], time_limit_s: float | None = None
) -> tuple[Ints, tuple[int, ...]]:
    """Return the owners of each item in an optimum, and the value of each level; one copy of each item only.

    Raises UnsolvedError where the solver does not prove every level within its time.
    """
    refuse_impossible(problem)
    reads = np.isin(problem.subscription_of, problem.audience_subscription)
    top = np.where(reads, problem.items, 0)
    if levels[0] != "balance":
        return _solve(problem, levels, np.zeros_like(top), top, time_limit_s)
    deadline = None if time_limit_s is None else time.monotonic() + time_limit_s
    low, high = _guess(problem)
    reach = 1
    while True:
        low, high = np.maximum(low - reach, 0), np.minimum(high + reach, top)
        left = None if deadline is None else deadline - time.monotonic()
        owners, values = _solve(problem, levels, low, high, left)
        load = loads(problem, owners)
        if ((load > low) | (low == 0)).all() and ((load < high) | (high == top)).all():
            return owners, values
        reach *= 2


def _solve(
    problem: Problem, levels: tuple[str, ...], low: Ints, high: Ints, time_limit_s: float | None
) -> tuple[Ints, tuple[int, ...]]:
    """Solve the program in which the loads are between `low` and `high`."""
    problem = problem.asked(levels)
    network = collapsed(
        problem,
        tuple(level for level in levels if level != "balance"),
        np.ones(len(problem.audience_subscription), np.bool_),
    )
    model = Model()
    flow = [model.variable(most) for most in network.capacity.tolist()]
    into: list[list[tuple[Variable, int]]] = [[] for _ in network.supply]
    out_of: list[list[tuple[Variable, int]]] = [[] for _ in network.supply]
    for variable, tail, head in zip(flow, network.tail.tolist(), network.head.tolist(), strict=True):
        out_of[tail].append((variable, -1))
        into[head].append((variable, 1))
    for node in range(network.first[3]):
        model.require(model.total(into[node] + out_of[node]) == -int(network.supply[node]))
    objectives, row = [], 0
    for level in levels:
        if level == "balance":
            objectives.append(_squares(model, into[network.first[3] :], low.tolist(), high.tolist()))
        else:
            objectives.append(_costs(problem, level, flow, network.costs[row].tolist()))
            row += 1
    values = model.minimise(objectives, time_limit_s)
    return placed(network, np.array(model.taken(flow), np.int64)), values


def _guess(problem: Problem) -> tuple[Ints, Ints]:
    """Return between which loads each member is in most even assignments, if the flow oracle is right."""
    readers = readership(problem)
    flow = np.empty(len(readers.reader), np.int64)
    spread(readers, flow)
    prices = slot_prices(readers, flow)[problem.subscription_of]
    return prices // 2, (prices + 1) // 2


def _costs(problem: Problem, level: str, flow: list[Variable], row: list[int]) -> Objective:
    terms = [(variable, cost) for variable, cost in zip(flow, row, strict=True) if cost]
    if level == "cross-rack":
        return Objective(terms, problem.items * problem.greatest_cost)
    claims = int(problem.claim_cost[problem.claim_of].sum())
    return Objective(terms, claims, claims)


def _squares(
    model: Model, into: list[list[tuple[Variable, int]]], low: list[int], high: list[int]
) -> Objective:
    terms = []
    for arcs, least, most in zip(into, low, high, strict=True):
        steps = [(model.variable(1), 2 * load + 1) for load in range(least, most)]
        model.require(model.total([*arcs, *((step, -1) for step, _ in steps)]) == least)
        terms += steps
    return Objective(terms, sum(most * most for most in high), sum(least * least for least in low))
