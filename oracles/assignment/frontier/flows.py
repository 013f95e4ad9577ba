"""Optima of weighted sums as minimum-cost flows through the aggregated network, with the prices that prove them.

Among the most balanced loads the network is the face of the optima of balance (see
:mod:`kassay.oracles.assignment.flow.exact`). Otherwise each member has arcs to a last node with the costs of its
squared loads (see :mod:`kassay.oracles.assignment.flow.min_cost_flow`). Only the costs change with the weights. If a
weight is 0, the sum of all objectives decides between optima of the weighted sum, so that no optimum is dominated.
Several copies go through the network of :mod:`kassay.oracles.assignment.flow.item_classes`, with the squared loads
before all other levels.

Points that no weights find come from an integer program: the least value of one objective while others stay below
caps. Each arc of the network has an integer variable up to its capacity. Each node has a row: its outgoing minus its
incoming flow is its supply. With a cap as one more row, the vertices of the network need not be integers, so
variables must be. If loads are free, and with several copies, member m has variables y[m, j] of cost 2j - 1 that sum
up to its load. Two independent solvers, HiGHS and CP-SAT, must agree.
"""

import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from kassay.oracles.assignment.aggregation import Network, build_network
from kassay.oracles.assignment.flow.exact import (
    balance_duals,
    build_face,
    build_graph,
    find_semi_matching,
    solve,
    sum_loads,
)
from kassay.oracles.assignment.flow.item_classes import (
    build_class_network,
    count_most_items,
    deal_items,
    find_item_classes,
    follow_flow,
    with_slots,
)
from kassay.oracles.assignment.flow.min_cost_flow import (
    Marks,
    compute_distances,
    create_marks,
    find_closer_marks,
    find_min_cost_flow,
)
from kassay.oracles.assignment.frontier.recursive_weighting import Caps, ParetoPoint, Proof, Row, dot
from kassay.oracles.assignment.linear_program import (
    Rows,
    Terms,
    list_arcs,
    minimise_by_cp_sat,
    minimise_by_highs,
)
from kassay.oracles.assignment.own_levels import BALANCE
from kassay.oracles.assignment.problem import LARGEST, Ints, Problem, compute_span
from kassay.oracles.assignment.values import compute_values
from kassay.oracles.errors import TooLargeError
from kassay.oracles.solving import Objective


@dataclass(frozen=True, slots=True, eq=False)
class Ways:
    """The set of possible flows: a network with a row of costs for each level, and each member's price of balance.

    `slots` is None if loads are free, and with several copies; then members have no arcs to the last node yet. With
    several copies `squares` are the required squared loads, None if loads are free. `owners` converts a flow to
    owners.
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
        """True if loads must be the most balanced."""
        return self.slots is not None or self.squares is not None

    @property
    def objectives(self) -> int:
        """The number of objectives to weigh."""
        return len(self.levels) + (not self.even)


def build_even_ways(problem: Problem, levels: tuple[str, ...], deadline: float = math.inf) -> Ways:
    """Return the flows at the most balanced loads; the problem has items."""
    if not problem.single:
        (squares,) = compute_values(problem, (BALANCE,), solve(problem, (BALANCE,), deadline).owners)
        return replace(_build_ways_of_copies(problem, levels), squares=squares)
    readers = build_graph(problem)
    flow = find_semi_matching(readers, deadline)
    slots = balance_duals(readers, flow)
    network = build_face(problem, levels, slots, sum_loads(readers, flow))
    slots = slots[problem.subscription_of]
    return Ways(problem, levels, network, slots, count_most_items(problem), partial(follow_flow, network))


def build_all_ways(problem: Problem, levels: tuple[str, ...]) -> Ways:
    """Return the flows at any loads; the problem has items."""
    if not problem.single:
        return _build_ways_of_copies(problem, levels)
    network = build_network(problem, levels, np.ones(len(problem.audience_subscription), np.bool_))
    return Ways(problem, levels, network, None, count_most_items(problem), partial(follow_flow, network))


def _build_ways_of_copies(problem: Problem, levels: tuple[str, ...]) -> Ways:
    """Return the flows of several copies at any loads: all arcs lead directly from classes of items to members."""
    of = find_item_classes(problem)
    network = build_class_network(problem, of, levels)
    arcs, classes = len(network.tail), of.problem.items
    left = [of.problem.losses({level: 1})[of.problem.claim_of[network.tail]] for level in levels]
    network = replace(
        network,
        costs=network.costs
        - np.array(left, np.int64).reshape(network.costs.shape),  # losses count once per item
        first=(0, classes, classes, classes, classes + problem.members),
        arcs=(0, arcs, arcs, arcs, arcs),
    )
    return Ways(
        problem, levels, network, None, count_most_items(problem), partial(deal_items, problem, of, network)
    )


def find_cheapest(ways: Ways, weights: Row, deadline: float = math.inf) -> ParetoPoint | None:
    """Return a non-dominated assignment of least weighted sum, with its proof; None if `deadline` passed.

    Raises TooLargeError if weighted costs leave 64 bits, UnsolvedError if a solver fails.
    """
    rows = [weights] if min(weights) else [weights, (1,) * len(weights)]
    most = 2 * ways.problem.items + 1 + ways.problem.greatest_cost
    if any(dot(row, (most,) * len(row)) >= LARGEST for row in rows):
        raise TooLargeError(f"the weights {weights} make costs that leave 64 bits")
    if ways.slots is not None:
        return _find_on_face(ways, rows, deadline)
    first = [(1,) + (0,) * len(ways.levels)] if ways.even else []
    return _find_anywhere(ways, first + [(0, *row) if ways.even else row for row in rows], deadline)


def _find_on_face(ways: Ways, rows: list[Row], deadline: float) -> ParetoPoint | None:
    whole = replace(ways.network, costs=np.array(rows) @ ways.network.costs)
    flow = find_min_cost_flow(whole, deadline)
    distance = None if flow is None else compute_distances(whole, flow, deadline)
    if flow is None or distance is None or ways.slots is None:
        return None
    after = -distance[0, whole.first[3] : whole.first[4]]
    to_slack = slice(whole.arcs[4], None)
    after[whole.tail[to_slack] - whole.first[3]] += distance[0, whole.head[to_slack]]
    balance = _compute_outweighing(after, whole.costs[0])
    prices = [balance * slot + price for slot, price in zip(ways.slots.tolist(), after.tolist(), strict=True)]
    return _build_point(ways, ways.owners(flow), (balance, *rows[0]), tuple(prices))


def _find_anywhere(ways: Ways, rows: list[Row], deadline: float) -> ParetoPoint | None:
    network, end = ways.network, len(ways.network.supply)
    costs = np.array([row[1:] for row in rows]) @ network.costs
    ones = np.ones(ways.problem.members, np.int64)
    flow: Ints | None = None
    marks: Marks | None = create_marks(ways.tops + 1)  # never full, so no price is above the cost of a slot
    while marks is not None:
        whole = with_slots(
            replace(network, costs=costs), marks, [row[0] for row in rows], ones, network.first[3]
        )
        flow = find_min_cost_flow(whole, deadline)
        if flow is None or time.monotonic() > deadline:
            return None
        # Items reach members along the last layer of arcs, and along keep arcs.
        load = np.zeros(ways.problem.members)
        for arcs in (slice(*network.arcs[3:5]), slice(network.arcs[1])):
            load += np.bincount(whole.head[arcs] - network.first[3], flow[arcs], ways.problem.members)
        loads = load.astype(np.int64)
        marks = find_closer_marks(marks, loads, loads)
    distance = None if flow is None else compute_distances(whole, flow, deadline)
    if flow is None or distance is None:
        return None
    prices = distance[:, end, None] - distance[:, network.first[3] : network.first[4]]
    owners, weights = ways.owners(flow[: len(network.tail)]), rows[0]
    if ways.even:
        balance = _compute_outweighing(prices[1], costs[1])
        prices[0] = balance * prices[0] + prices[1]
        weights = (balance, *rows[1][1:])
    return _build_point(ways, owners, weights, tuple(prices[0].tolist()))


def _compute_outweighing(prices: Ints, costs: Ints) -> int:
    """Return a weight of balance above any difference that the levels make for an item or a slot."""
    return 4 * int(np.abs(prices).max(initial=0)) + 4 * int(np.abs(costs).max(initial=0)) + 1


def _build_point(ways: Ways, owners: Ints, weights: Row, prices: Row) -> ParetoPoint:
    value = compute_values(ways.problem, (BALANCE, *ways.levels), owners)
    return ParetoPoint(owners, value, Proof(weights, prices, dot(weights, value)))


LARGEST_PROGRAM = 20_000
"""The limit of variables of an integer program."""


@dataclass(frozen=True, slots=True)
class Program:
    """Assignments as rows, each objective as a sum of variables, and the function from the variables' values to owners."""

    rows: Rows
    objectives: tuple[Objective, ...]
    owners: Callable[[list[int]], Ints]

    def add_bounds(self, proofs: Iterable[Proof]) -> "Program":
        """Return the program with a variable for each objective, and a row for each proof: the lower bound of their weighted sum."""
        rows = Rows([*self.rows.most], [*self.rows.rows])
        values = [rows.add_variable(objective.most) for objective in self.objectives]
        for value, objective in zip(values, self.objectives, strict=True):
            rows.add_equal([*objective.terms, (value, -1)], -objective.constant)
        for proof in proofs:
            terms = zip(values, proof.weights, strict=True)
            rows.add_at_most([(value, -weight) for value, weight in terms if weight], -proof.least)
        objectives = tuple(
            Objective([(value, 1)], of.most) for value, of in zip(values, self.objectives, strict=True)
        )
        return Program(rows, objectives, self.owners)

    def solve_by_highs(self, caps: Caps, order: Sequence[int], deadline: float) -> tuple[Row, Ints]:
        """Return the objectives, minimized lexicographically in `order`, and owners of such an optimum, by HiGHS.

        No objective is above its cap (None: no cap). Raises UnsolvedError if that is not proved before `deadline` (of
        time.monotonic).
        """
        found, taken = minimise_by_highs(self._add_caps(caps, order), deadline)
        return _sort_by_objective(order, found), self.owners(taken)

    def solve_by_cp_sat(self, caps: Caps, order: Sequence[int], deadline: float) -> Row:
        """Return the objectives by CP-SAT. Raises UnsolvedError if they are not proved before `deadline`."""
        return _sort_by_objective(order, minimise_by_cp_sat(self._add_caps(caps, order), deadline))

    def _add_caps(self, caps: Caps, order: Sequence[int]) -> Rows:
        capped = Rows(list(self.rows.most), list(self.rows.rows), [self.objectives[n] for n in order])
        for cap, objective in zip(caps, self.objectives, strict=True):
            if cap is not None:
                capped.add_at_most(list(objective.terms), cap - objective.constant)
        return capped


def _sort_by_objective(order: Sequence[int], values: Sequence[int]) -> Row:
    """Return values that are in `order` in the order of the objectives."""
    return tuple(value for _, value in sorted(zip(order, values, strict=True)))


def build_program(ways: Ways) -> Program:
    """Return the integer program of a set of flows. Raises TooLargeError if it has more than LARGEST_PROGRAM variables."""
    network, rows = ways.network, Rows()
    tops = ways.tops.tolist()
    size = len(network.tail) + (sum(tops) if ways.slots is None else 0)
    if size > LARGEST_PROGRAM:
        raise TooLargeError(
            f"an integer program of {size:,} variables is not asked; at most {LARGEST_PROGRAM:,} are"
        )
    arcs = [rows.add_variable(most) for most in network.capacity.tolist()]
    at = list_arcs(arcs, network.tail, network.head, len(network.supply))
    supplied = len(at) if ways.slots is not None else network.first[3]
    for terms, supply in zip(at[:supplied], network.supply.tolist(), strict=False):
        rows.add_equal(terms, supply)
    objectives = []
    for level, row in zip(ways.levels, network.costs.tolist(), strict=True):
        terms = [(n, cost) for n, cost in enumerate(row) if cost]
        losses = int(ways.problem.losses({level: 1})[ways.problem.claim_of].sum())
        low, high = compute_span(ways.problem, level)
        objectives.append(Objective(terms, high, losses, low))
    if ways.slots is None:
        squared: Terms = []
        for own, top in zip(at[network.first[3] :], tops, strict=True):
            steps = [(rows.add_variable(1), 2 * load + 1) for load in range(top)]
            rows.add_equal([*((arc, -sign) for arc, sign in own), *((step, -1) for step, _ in steps)], 0)
            squared += steps
        squares = Objective(squared, sum(top * top for top in tops))
        if ways.squares is None:
            objectives.insert(0, squares)
        else:
            rows.add_equal([*squares.terms], ways.squares)

    def owners(taken: list[int]) -> Ints:
        return ways.owners(np.array(taken[: len(network.tail)], np.int64))

    return Program(rows, tuple(objectives), owners)
