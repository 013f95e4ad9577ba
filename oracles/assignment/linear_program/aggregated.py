"""The question as linear programs in PuLP on the collapsed network: their size is that of the item classes, not the items.

Where balance comes first, two programs. The first one knows audiences and subscriptions only: f[p] items go
along pair p, from an audience to the members of a subscription s that reads it, who are n[s] and share them
evenly.

    for every audience a:      sum of f out of a = items of a
    for every subscription s:  sum of f into s = base n[s] + sum over j of y[s, j]       0 <= y <= n[s]
    balance:     least sum over s, j of (2 (base + j) - 1) y[s, j],  j = 1, 2, ...

base + j spans a few loads only, around a guess. The squares are convex, so a least value inside the span is
the least of all; one at its edge is not taken, and the span widens. A wrong guess costs time or the answer,
never the truth. From the flow found come slot prices, whose bound has to prove it, in whole numbers; all most
even assignments are then the flows of a network (see :mod:`kassay.oracles.assignment.flow.optimal_face`), so that the
second program needs no row for balance. It has one variable f[e] for each arc e, up to its capacity.

    for every node n:  sum of f out of n - sum of f into n = supply of n
    another level:     least sum of all losses + sum of f[e] cost[e]

Where balance does not come first, one program: that network without its slack (see
:mod:`kassay.oracles.assignment.aggregation`), each member's slots as variables y, level by level as in
:mod:`kassay.oracles.assignment.linear_program.by_item`.
"""

import math
from itertools import pairwise

import numpy as np

from kassay.oracles.assignment.aggregation import Network, collapsed
from kassay.oracles.assignment.certificates.duals import Prices, bound
from kassay.oracles.assignment.flow.balance_duals import balance_duals
from kassay.oracles.assignment.flow.bipartite import Bipartite, bipartite, loads_of
from kassay.oracles.assignment.flow.disaggregate import disaggregate
from kassay.oracles.assignment.flow.flow_decomposition import flow_decomposition
from kassay.oracles.assignment.flow.optimal_face import optimal_face
from kassay.oracles.assignment.flow.semi_matching import semi_matching
from kassay.oracles.assignment.level import Ints
from kassay.oracles.assignment.own_levels import BALANCE
from kassay.oracles.assignment.problem import Problem, refuse_impossible, span
from kassay.oracles.failures import UnsolvedError
from kassay.oracles.solving import Model, Objective, Variable

Arcs = list[list[tuple[Variable, int]]]
"""For each node the arcs at it, with 1 where they lead out and -1 where they lead in."""


def solve_collapsed_program(
    problem: Problem, levels: tuple[str, ...], deadline: float = math.inf
) -> tuple[Ints, tuple[int, ...]]:
    """Return the owners of each item in an optimum, and the value of each level; one copy of each item only.

    Raises UnsolvedError where the solver does not prove every level before `deadline` (of time.monotonic).
    """
    refuse_impossible(problem)
    problem = problem.asked(levels)
    if levels[0] != BALANCE or not problem.items:
        return _in_one(problem, levels, deadline)
    readers = bipartite(problem)
    flow, squares = _most_even(readers, deadline)
    slots = balance_duals(readers, flow)
    prices = Prices(slots[problem.subscription_of][None])
    if bound(problem, (BALANCE,), prices) != (squares,):
        raise UnsolvedError(f"balance: HiGHS finds {squares}, which slot prices do not prove")
    if len(levels) == 1:
        return disaggregate(problem, readers, flow), (squares,)
    network = optimal_face(problem, levels[1:], slots, loads_of(readers, flow))
    model, along, _ = _conserving(network, len(network.supply))
    objectives = [
        _costs(problem, level, along, row.tolist())
        for level, row in zip(levels[1:], network.costs, strict=True)
    ]
    values = model.minimise(objectives, deadline)
    return flow_decomposition(network, np.array(model.taken(along), np.int64)), (squares, *values)


def _most_even(readers: Bipartite, deadline: float) -> tuple[Ints, int]:
    """Return a flow of items along the pairs at the most even loads, and the sum of the members' squared loads."""
    top = np.where(np.diff(readers.first) > 0, readers.items.sum(), 0)
    low, high = _guess(readers)
    reach = 1
    while True:
        low, high = np.maximum(low - reach, 0), np.minimum(high + reach, top)
        flow, squares = _most_even_between(readers, low, high, deadline)
        load = loads_of(readers, flow)
        inside = (load > low * readers.size) | (low == 0), (load < high * readers.size) | (high == top)
        if np.all(inside):
            return flow, squares
        reach *= 2


def _most_even_between(readers: Bipartite, low: Ints, high: Ints, deadline: float) -> tuple[Ints, int]:
    model = Model()
    along = [model.variable() for _ in readers.reader]
    for first, end, items in zip(readers.start, readers.start[1:], readers.items.tolist(), strict=False):
        model.require(model.total((each, 1) for each in along[first:end]) == items)
    into = [[(along[pair], 1) for pair in readers.pairs[a:b]] for a, b in pairwise(readers.first)]
    squares = _squares(model, into, low.tolist(), high.tolist(), readers.size.tolist())
    (value,) = model.minimise([squares], deadline)
    return np.array(model.taken(along), np.int64), value


def _guess(readers: Bipartite) -> tuple[Ints, Ints]:
    """Return between which loads each subscription's members are in most even assignments, if the flow oracle is right."""
    flow = np.empty(len(readers.reader), np.int64)
    semi_matching(readers, flow)
    prices = balance_duals(readers, flow)
    return prices // 2, (prices + 1) // 2


def _in_one(problem: Problem, levels: tuple[str, ...], deadline: float) -> tuple[Ints, tuple[int, ...]]:
    """Solve one program in which members may hold anything from nothing to all items."""
    costly = tuple(level for level in levels if level != BALANCE)
    network = collapsed(problem, costly, np.ones(len(problem.audience_subscription), np.bool_))
    model, along, at = _conserving(network, network.first[3])
    rows = dict(zip(costly, network.costs.tolist(), strict=True))
    top = np.where(np.isin(problem.subscription_of, problem.audience_subscription), problem.items, 0)
    into = [[(arc, -sign) for arc, sign in arcs] for arcs in at[network.first[3] :]]
    none, one = [0] * problem.members, [1] * problem.members
    objectives = [
        _squares(model, into, none, top.tolist(), one)
        if level == BALANCE
        else _costs(problem, level, along, rows[level])
        for level in levels
    ]
    values = model.minimise(objectives, deadline)
    return flow_decomposition(network, np.array(model.taken(along), np.int64)), values


def _conserving(network: Network, nodes: int) -> tuple[Model, list[Variable], Arcs]:
    """Return a model of the flows that send out at the first so many nodes what they supply; its arcs, also by node."""
    model = Model()
    along = [model.variable(most) for most in network.capacity.tolist()]
    at: Arcs = [[] for _ in network.supply]
    for variable, tail, head in zip(along, network.tail.tolist(), network.head.tolist(), strict=True):
        at[tail].append((variable, 1))
        at[head].append((variable, -1))
    for arcs, supply in zip(at[:nodes], network.supply.tolist(), strict=False):
        model.require(model.total(arcs) == supply)
    return model, along, at


def _costs(problem: Problem, level: str, along: list[Variable], row: list[int]) -> Objective:
    terms = [(variable, cost) for variable, cost in zip(along, row, strict=True) if cost]
    losses = int(problem.losses({level: 1})[problem.claim_of].sum())
    low, high = span(problem, level)
    return Objective(terms, high, losses, low)


def _squares(model: Model, into: Arcs, low: list[int], high: list[int], size: list[int]) -> Objective:
    """Return the sum of the squared loads of the members behind each node, who share what comes into it evenly."""
    terms = []
    for arcs, least, most, members in zip(into, low, high, size, strict=True):
        steps = [(model.variable(members), 2 * load + 1) for load in range(least, most)]
        model.require(model.total([*arcs, *((step, -1) for step, _ in steps)]) == least * members)
        terms += steps
    least_squares, greatest = (
        sum(load * load * members for load, members in zip(loads, size, strict=True)) for loads in (low, high)
    )
    return Objective(terms, greatest, least_squares)
