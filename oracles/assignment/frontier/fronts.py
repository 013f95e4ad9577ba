"""Pareto frontiers of three sorts of problem: levels of cost, topic spread, and active and standby copies.

Topic spread counts as half of the squares above their least value, an integer. So twice a weighted sum has integer
costs: twice the costs of the levels, the squares times the weight of the spread, and a constant. It is a convex flow
in the network of :mod:`kassay.oracles.assignment.flow.topic_spread` on the face of balance. Prices are prices of
twice the sum, and prove it as prices of any question do (:mod:`kassay.oracles.assignment.certificates`). Points that
no weights find come from an integer program, in which the n-th item of a place pays n - 1. These payments add up to
half of n^2 - n.

With active and standby copies, a weighted sum of levels and squared loads is a level itself. So its optimum and its
certificate come from :mod:`kassay.oracles.assignment.active_standby`. The program may have fractional optima, but the
least weighted sum is still concave in the weights. So recursive weighting misses no extreme point.
"""

import math
import time
from dataclasses import replace

import numpy as np

from kassay.oracles.assignment.active_standby import check as roles
from kassay.oracles.assignment.active_standby.optimum import build_item_program, find_joint_optimum
from kassay.oracles.assignment.active_standby.problem import BALANCES, RoleLevel, RoleProblem
from kassay.oracles.assignment.certificates import compute_spread_bound, drop_derived_prices, is_legal
from kassay.oracles.assignment.flow.faces import minimise_in_order
from kassay.oracles.assignment.flow.topic_spread import (
    Places,
    build_member_network,
    build_subscription_network,
    follow_places,
    join_prices,
    solve_subscriptions,
)
from kassay.oracles.assignment.frontier import flows
from kassay.oracles.assignment.frontier.flows import LARGEST_PROGRAM, Program
from kassay.oracles.assignment.frontier.pareto import (
    LATE,
    Front,
    Ground,
    Point,
    is_valid_point,
    search_frontier,
)
from kassay.oracles.assignment.frontier.recursive_weighting import ParetoPoint, Proof, Row, dot
from kassay.oracles.assignment.linear_program import Rows, Terms, list_arcs
from kassay.oracles.assignment.own_levels import BALANCE, TOPIC_SPREAD
from kassay.oracles.assignment.problem import Ints, Problem, compute_span, refuse_impossible
from kassay.oracles.assignment.values import Prices, compute_least_spread, compute_values
from kassay.oracles.errors import TooLargeError, UnsolvedError
from kassay.oracles.solving import Objective

WEIGHTED, SUM = "weighted", "sum"
"""The names of two levels: the weighted sum of others, and their plain sum, which decides if a weight is 0."""


def find_spread_frontier(problem: Problem, level: str, deadline: float = math.inf) -> Front:
    """Return the frontier of a level of costs and of topic spread at the most balanced loads; the prices of its proofs are `Prices`.

    It omits points that are not proved before `deadline` (of time.monotonic), and says so. Raises the errors of
    :func:`.pareto.front`.
    """
    refuse_impossible(problem)
    problem = problem.asked((level, TOPIC_SPREAD))
    if not problem.items:
        nothing = np.empty((1, 0), np.int64)
        none = Proof((1, 1, 1), Prices(np.zeros((1, problem.members), np.int64), nothing[..., None]), 0)
        return Front((Point((0, 0, 0), np.empty((0, 1), np.int64), none),), (none,), True, True)
    even = solve_subscriptions(problem, build_subscription_network(problem), (BALANCE,), deadline)
    if even is None:
        return Front((), (), False, False, LATE)
    places = build_member_network(problem, even.face)
    least = compute_least_spread(problem)

    def worth(owners: Ints) -> Row:
        squares, cost, spread = compute_values(problem, (BALANCE, level, TOPIC_SPREAD), owners)
        return squares, cost, (spread - least) // 2

    def cheapest(weights: Row) -> ParetoPoint | None:
        asked = [weights] if min(weights) else [weights, (1, 1)]
        if time.monotonic() > deadline:
            return None
        network, named = places.network, list(zip((WEIGHTED, SUM), asked, strict=False))
        arcs, ones = network.squares[TOPIC_SPREAD]
        # In this network twice each weighted sum is a level.
        whole = replace(
            network,
            costs={name: 2 * row[0] * network.costs[level] for name, row in named},
            squares={name: (arcs, row[1] * ones) for name, row in named if row[1]},
        )
        best = minimise_in_order(whole, [name for name, _ in named], deadline)
        if best is None:
            return None
        owners = follow_places(places, best.flow)
        dearest = 2 * weights[0] * problem.greatest_cost  # of twice the sum
        rows = join_prices(problem, places, even.prices, best.prices[:1], dearest)
        proof = _build_proof(problem, level, weights, rows)
        found = ParetoPoint(owners, worth(owners), proof)
        if not is_legal(problem, owners) or dot(proof.weights, found.value) != proof.least:
            raise UnsolvedError(f"the prices do not prove the least sum by the weights {weights}")
        return found

    return search_frontier(
        Ground(2, cheapest, worth, lambda: _build_program(problem, places, level), deadline)
    )


def _build_proof(problem: Problem, level: str, weights: Row, rows: Prices) -> Proof:
    """Return the proof from prices of balance and of twice the weighted sum; balance gets a weight that outweighs the rest."""
    assert rows.topics is not None
    each = rows.rows, rows.topics, rows.place_rows
    most = max(int(np.abs(row[1]).max(initial=0)) for row in each)
    dearest = 2 * weights[0] * problem.greatest_cost + weights[1] * (2 * problem.items + 1)
    even = 4 * (most + dearest) + 1
    unit = {BALANCE: 2 * even, level: 2 * weights[0], TOPIC_SPREAD: weights[1]}
    members, topics, places = (2 * even * row[:1] + row[1:] for row in each)
    prices = drop_derived_prices(problem, ("",), Prices(members, topics, rows.places, places), unit)
    return Proof((even, *weights), prices, compute_least_sum(problem, level, (even, *weights), prices))


def compute_least_sum(problem: Problem, level: str, weights: Row, prices: Prices) -> int:
    """Return the lower bound of the weighted sum of squared loads, a level of costs and the spread, from the prices.

    Raises TooLargeError if they leave 64 bits.
    """
    unit = {BALANCE: 2 * weights[0], level: 2 * weights[1], TOPIC_SPREAD: weights[2]}
    (bound,) = compute_spread_bound(problem, ("",), prices, unit)
    twice = bound - weights[2] * compute_least_spread(problem)
    return -(-twice // 2)


def _build_program(problem: Problem, places: Places, level: str) -> Program:
    network, rows = places.network, Rows()
    squared, _ = network.squares[TOPIC_SPREAD]
    count = np.bincount(problem.topic_numbers, minlength=problem.topics)
    nodes = network.tail[squared]  # a pool, or an owner's place
    own = nodes >= places.first[2]
    of_pool, of_place = places.pools // problem.racks, places.owned // problem.members
    top = np.empty(len(squared), np.int64)
    top[~own] = count[of_pool[nodes[~own] - places.first[1]]]
    top[own] = count[of_place[nodes[own] - places.first[2]]]
    size = len(network.tail) + int(top.sum())
    if size > LARGEST_PROGRAM:
        raise TooLargeError(
            f"an integer program of {size:,} variables is not asked; at most {LARGEST_PROGRAM:,} are"
        )
    low = network.low
    arcs = [rows.add_variable(most) for most in (network.high - low).tolist()]
    at = list_arcs(arcs, network.tail, network.head, len(network.supply))
    supply = network.supply.copy()
    np.subtract.at(supply, network.tail, low)
    np.add.at(supply, network.head, low)
    for terms, number in zip(at, supply.tolist(), strict=True):
        rows.add_equal(terms, number)
    pairs: Terms = []
    for arc, most in zip(squared.tolist(), top.tolist(), strict=True):
        steps = [(rows.add_variable(1), n) for n in range(most)]
        rows.add_equal([(arc, 1), *((step, -1) for step, _ in steps)], -int(low[arc]))
        pairs += [step for step in steps if step[1]]
    least_pairs = (compute_least_spread(problem) - problem.items) // 2
    lowest, highest = compute_span(problem, level)
    cost = network.costs[level].tolist()
    fixed = sum(n * each for n, each in zip(cost, low.tolist(), strict=True))
    objectives = (
        Objective([(arc, each) for arc, each in enumerate(cost) if each], highest, fixed, lowest),
        Objective(pairs, problem.items**2, -least_pairs),
    )
    return Program(
        rows, objectives, lambda taken: follow_places(places, np.array(taken[: len(low)], np.int64) + low)
    )


def find_role_frontier(
    problem: RoleProblem, levels: tuple[str, ...], *, even: bool, deadline: float = math.inf
) -> Front:
    """Return the frontier of two or three levels, at balanced loads if `even`, without points that are not proved before `deadline`.

    Raises the errors of :func:`.active_standby.optimum.find_joint_optimum`.
    """
    before = BALANCES if even else ()

    def cheapest(weights: Row) -> ParetoPoint | None:
        try:
            return _find_cheapest_placement(problem, before, levels, weights, deadline)
        except UnsolvedError:
            if time.monotonic() < deadline:
                raise
            return None

    def worth(owners: Ints) -> Row:
        return roles.compute_values(problem, levels, owners)

    def program() -> Program:
        rows, owners = build_item_program(problem, (*before, *levels))
        if before:
            found = cheapest((1,) * len(levels))
            if found is None:
                raise UnsolvedError("the time limit was reached before the program was built")
            worth_before = roles.compute_values(problem, before, found.owners)
            for objective, most in zip(rows.objectives, worth_before, strict=False):
                rows.add_at_most(list(objective.terms), most - objective.constant)
        return Program(rows, tuple(rows.objectives[len(before) :]), owners)

    return search_frontier(Ground(len(levels), cheapest, worth, program, deadline))


def build_weighted_level(problem: RoleProblem, levels: tuple[str, ...], weights: Row, name: str) -> RoleLevel:
    """Return the weighted sum of some levels as one level."""
    some = [problem.level(level) for level in levels]
    columns: dict[str, Ints | None] = {}
    for column in ("active", "standby", "loss", "active_gain", "standby_gain"):
        each = zip(weights, (getattr(level, column) for level in some), strict=True)
        known = [weight * costs for weight, costs in each if costs is not None]
        columns[column] = sum(known[1:], known[0]) if known else None
    active, every = (dot(weights, each) for each in zip(*(level.squares for level in some), strict=True))
    return RoleLevel(name, **columns, squares=(active, every))


def _find_cheapest_placement(
    problem: RoleProblem, before: tuple[str, ...], levels: tuple[str, ...], weights: Row, deadline: float
) -> ParetoPoint:
    """Return a non-dominated placement of least weighted sum. Raises UnsolvedError if that is not proved."""
    asked = (*before, WEIGHTED, *([] if min(weights) else [SUM]))
    sums = (
        build_weighted_level(problem, levels, weights, WEIGHTED),
        build_weighted_level(problem, levels, (1,) * len(levels), SUM),
    )
    known = replace(problem, levels=sums)
    found = find_joint_optimum(known, asked, deadline)
    if not roles.is_proof(known, asked, found.owners, found.certificate):
        raise UnsolvedError(f"the certificate does not prove the least sum by the weights {weights}")
    value = roles.compute_values(problem, levels, found.owners)
    return ParetoPoint(found.owners, value, Proof(weights, found.certificate, dot(weights, value)))


def find_frontier(
    problem: Problem, levels: tuple[str, ...], *, even: bool, deadline: float = math.inf
) -> Front:
    """Return the frontier of levels at the most balanced loads, or of balance and these levels.

    It omits points that are not proved before `deadline` (of time.monotonic), and says so. Raises ImpossibleError if
    there is no assignment, UnsolvedError if a solver fails or its result is wrong. Raises TooLargeError if costs
    leave 64 bits; if only weighted costs do, points are missing.
    """
    refuse_impossible(problem)
    problem = problem.asked(levels)
    if not problem.items:
        none = Proof((1,) * (len(levels) + 1), (0,) * problem.members, 0)
        point = Point((0,) * (len(levels) + 1), np.empty((0, problem.copies), np.int64), none)
        return Front((point,), (none,), True, True)
    ways = flows.build_even_ways(problem, levels, deadline) if even else flows.build_all_ways(problem, levels)

    def proved(weights: Row) -> ParetoPoint | None:
        found = flows.find_cheapest(ways, weights, deadline) if time.monotonic() < deadline else None
        if found is not None and not is_valid_point(problem, levels, found):
            raise UnsolvedError(f"the prices do not prove the least sum by the weights {weights}")
        return found

    def worth(owners: Ints) -> Row:
        return compute_values(problem, (BALANCE, *levels), owners)

    return search_frontier(
        Ground(ways.objectives, proved, worth, lambda: flows.build_program(ways), deadline)
    )
