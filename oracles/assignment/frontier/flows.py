"""Optima of weighted sums as cheapest flows through the collapsed network, with the prices that prove them.

Among the most even loads the network is the face of the optima of balance (see
:mod:`kassay.oracles.assignment.flow.optimal_face`); without them each member leads to a last node along arcs of its squared
loads (see :mod:`kassay.oracles.assignment.flow.convex_arcs`). Only the costs change with the weights. Where a weight is
0, the sum of all objectives decides between optima of the weighted sum, so that no optimum is dominated. Several copies go
through the network of :mod:`kassay.oracles.assignment.flow.item_classes`; there the squared loads come before all else.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from kassay.oracles.assignment.aggregation import Network, collapsed
from kassay.oracles.assignment.flow.balance_duals import balance_duals
from kassay.oracles.assignment.flow.bipartite import bipartite, loads_of
from kassay.oracles.assignment.flow.convex_arcs import Marks, closer_marks, first_marks, slopes
from kassay.oracles.assignment.flow.exact import solve
from kassay.oracles.assignment.flow.flow_decomposition import flow_decomposition
from kassay.oracles.assignment.flow.item_classes import dealt, item_classes, network_of
from kassay.oracles.assignment.flow.min_cost_flow import distances, min_cost_flow
from kassay.oracles.assignment.flow.optimal_face import optimal_face
from kassay.oracles.assignment.flow.semi_matching import semi_matching
from kassay.oracles.assignment.frontier.point import Found, Proof
from kassay.oracles.assignment.frontier.weights import Row, dot
from kassay.oracles.assignment.level import Ints
from kassay.oracles.assignment.own_levels import BALANCE
from kassay.oracles.assignment.problem import LARGEST, Problem
from kassay.oracles.assignment.values import values
from kassay.oracles.failures import TooLargeError


@dataclass(frozen=True, slots=True, eq=False)
class Ways:
    """The flows to choose from: a network with a row of costs for each level, and each member's price of balance.

    `slots` is None where loads need not be even, and with several copies; then members have no arcs to the last node yet. `squares`
    are then the squared loads that are to be, None where they are free. `owners` makes owners of a flow.
    """

    problem: Problem
    levels: tuple[str, ...]
    network: Network
    slots: Ints | None
    tops: Ints
    owners: Callable[[Ints], Ints]
    squares: int | None = None

    @property
    def even(self) -> bool:
        """Whether loads are to be the most even."""
        return self.slots is not None or self.squares is not None

    @property
    def objectives(self) -> int:
        """How many numbers there are to weigh."""
        return len(self.levels) + (not self.even)


def even_ways(problem: Problem, levels: tuple[str, ...], deadline: float = math.inf) -> Ways:
    """Return the flows at the most even loads; the problem has items."""
    if not problem.single:
        (squares,) = values(problem, (BALANCE,), solve(problem, (BALANCE,), deadline).owners)
        return replace(_ways_of_copies(problem, levels), squares=squares)
    readers = bipartite(problem)
    flow = np.empty(len(readers.reader), np.int64)
    semi_matching(readers, flow, deadline)
    slots = balance_duals(readers, flow)
    network = optimal_face(problem, levels, slots, loads_of(readers, flow))
    slots = slots[problem.subscription_of]
    return Ways(problem, levels, network, slots, _tops(problem), partial(flow_decomposition, network))


def all_ways(problem: Problem, levels: tuple[str, ...]) -> Ways:
    """Return the flows at any loads; the problem has items."""
    if not problem.single:
        return _ways_of_copies(problem, levels)
    network = collapsed(problem, levels, np.ones(len(problem.audience_subscription), np.bool_))
    return Ways(problem, levels, network, None, _tops(problem), partial(flow_decomposition, network))


def _ways_of_copies(problem: Problem, levels: tuple[str, ...]) -> Ways:
    """Return the flows of several copies at any loads: all arcs lead from classes of items to members, none between."""
    of = item_classes(problem)
    network = network_of(problem, of, levels)
    arcs, classes = len(network.tail), of.problem.items
    left = [of.problem.losses({level: 1})[of.problem.claim_of[network.tail]] for level in levels]
    network = replace(
        network,
        costs=network.costs - np.array(left, np.int64).reshape(network.costs.shape),  # it is no arc's own
        first=(0, classes, classes, classes, classes + problem.members),
        arcs=(0, arcs, arcs, arcs, arcs),
    )
    return Ways(problem, levels, network, None, _tops(problem), partial(dealt, problem, of, network))


def cheapest(ways: Ways, weights: Row, deadline: float = math.inf) -> Found | None:
    """Return an assignment of least weighted sum that none dominates, with its proof; None where `deadline` passed.

    Raises TooLargeError where weighted costs leave 64 bits, UnsolvedError where a solver fails.
    """
    rows = [weights] if min(weights) else [weights, (1,) * len(weights)]
    most = 2 * ways.problem.items + 1 + ways.problem.greatest_cost
    if any(dot(row, (most,) * len(row)) >= LARGEST for row in rows):
        raise TooLargeError(f"the weights {weights} make costs that leave 64 bits")
    if ways.slots is not None:
        return _on_face(ways, rows, deadline)
    first = [(1,) + (0,) * len(ways.levels)] if ways.even else []
    return _anywhere(ways, first + [(0, *row) if ways.even else row for row in rows], deadline)


def _on_face(ways: Ways, rows: list[Row], deadline: float) -> Found | None:
    whole = replace(ways.network, costs=np.array(rows) @ ways.network.costs)
    flow = min_cost_flow(whole, deadline)
    distance = None if flow is None else distances(whole, flow, deadline)
    if flow is None or distance is None or ways.slots is None:
        return None
    after = -distance[0, whole.first[3] : whole.first[4]]
    to_slack = slice(whole.arcs[4], None)
    after[whole.tail[to_slack] - whole.first[3]] += distance[0, whole.head[to_slack]]
    balance = _outweighing(after, whole.costs[0])
    prices = [balance * slot + price for slot, price in zip(ways.slots.tolist(), after.tolist(), strict=True)]
    return _found(ways, ways.owners(flow), (balance, *rows[0]), tuple(prices))


def _anywhere(ways: Ways, rows: list[Row], deadline: float) -> Found | None:
    network, end = ways.network, len(ways.network.supply)
    costs = np.array([row[1:] for row in rows]) @ network.costs
    flow: Ints | None = None
    marks: Marks | None = first_marks(ways.tops + 1)  # never full, so no price is above what a slot costs
    while marks is not None:
        of, width, slope = slopes(marks)
        whole = replace(
            network,
            tail=np.concatenate([network.tail, network.first[3] + of]),
            head=np.concatenate([network.head, np.full(len(of), end)]),
            capacity=np.concatenate([network.capacity, width]),
            costs=np.hstack([costs, np.array([row[0] for row in rows])[:, None] * slope]),
            supply=np.append(network.supply, -network.supply.sum()),
        )
        flow = min_cost_flow(whole, deadline)
        if flow is None or time.monotonic() > deadline:
            return None
        into = slice(network.arcs[3], network.arcs[4])
        load = np.bincount(whole.head[into] - network.first[3], flow[into], ways.problem.members)
        kept = slice(0, network.arcs[1])
        load = load + np.bincount(whole.head[kept] - network.first[3], flow[kept], ways.problem.members)
        loads = load.astype(np.int64)
        marks = closer_marks(marks, loads, loads)
    distance = None if flow is None else distances(whole, flow, deadline)
    if flow is None or distance is None:
        return None
    prices = distance[:, end, None] - distance[:, network.first[3] : network.first[4]]
    owners, weights = ways.owners(flow[: len(network.tail)]), rows[0]
    if ways.even:
        balance = _outweighing(prices[1], costs[1])
        prices[0] = balance * prices[0] + prices[1]
        weights = (balance, *rows[1][1:])
    return _found(ways, owners, weights, tuple(prices[0].tolist()))


def _outweighing(prices: Ints, costs: Ints) -> int:
    """Return a weight of balance that is more than any difference that the levels make for an item or a slot."""
    return 4 * int(np.abs(prices).max(initial=0)) + 4 * int(np.abs(costs).max(initial=0)) + 1


def _found(ways: Ways, owners: Ints, weights: Row, prices: Row) -> Found:
    value = values(ways.problem, (BALANCE, *ways.levels), owners)
    return Found(owners, value, Proof(weights, prices, dot(weights, value)))


def _tops(problem: Problem) -> Ints:
    """Return the most that each member can hold."""
    items = np.bincount(problem.audience_of, minlength=problem.audiences)
    read = np.zeros((problem.audiences, problem.subscriptions), np.int64)
    rows = np.repeat(np.arange(problem.audiences), np.diff(problem.audience_start))
    read[rows, problem.audience_subscription] = 1
    return (items @ read)[problem.subscription_of]
