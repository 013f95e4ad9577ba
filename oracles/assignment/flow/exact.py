"""The exact optimum of any problem, with the prices that prove it, by whichever route is fastest."""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kassay.oracles.assignment.certificates.duals import Prices
from kassay.oracles.assignment.flow.admissible import admissible
from kassay.oracles.assignment.flow.balance_duals import balance_duals
from kassay.oracles.assignment.flow.bipartite import Bipartite, bipartite, loads_of
from kassay.oracles.assignment.flow.disaggregate import disaggregate
from kassay.oracles.assignment.flow.flow_decomposition import flow_decomposition
from kassay.oracles.assignment.flow.item_classes import FEW, item_classes, solve_directly
from kassay.oracles.assignment.flow.min_cost_flow import distances, min_cost_flow
from kassay.oracles.assignment.flow.optimal_face import optimal_face
from kassay.oracles.assignment.flow.semi_matching import semi_matching
from kassay.oracles.assignment.flow.separable import cheapest_owners
from kassay.oracles.assignment.level import Ints
from kassay.oracles.assignment.own_levels import BALANCE
from kassay.oracles.assignment.problem import Problem, around_balance, refuse_impossible


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """The members that each item goes to (items x copies), and prices; an optimum where the prices' bound says so."""

    owners: Ints
    prices: Prices


def solve(problem: Problem, levels: tuple[str, ...], deadline: float = math.inf) -> Solution:
    """Return an optimum, or the best known when `deadline` (of time.monotonic) passed.

    Raises ImpossibleError where an item has too few readers, TooLargeError where numbers leave 64 bits or
    several copies of too many items are asked for, UnsolvedError where a solver fails.
    """
    refuse_impossible(problem)
    problem = problem.asked(levels)
    if not problem.items:
        return Solution(np.empty((0, problem.copies), np.int64), _no_prices(problem, levels))
    if problem.single and BALANCE not in levels:
        return solve_large(problem, levels)
    alike = item_classes(problem) if _is_small(problem) or not problem.single else None
    if alike and (alike.pairs <= FEW or not problem.single):
        until = math.inf if alike.pairs <= FEW else deadline
        return Solution(*solve_directly(problem, alike, [levels], until)[0])
    return solve_large(problem, levels, deadline)


def solve_large(problem: Problem, levels: tuple[str, ...], deadline: float = math.inf) -> Solution:
    """Return an optimum for one copy of each item by way of the collapse, at any size; see :func:`solve`."""
    problem = problem.asked(levels)
    if BALANCE not in levels:
        return Solution(cheapest_owners(problem, levels), _no_prices(problem, levels))
    problem = admissible(problem, around_balance(levels)[0])
    return _cheapest(problem, _evened(problem, deadline), levels, deadline)


def solve_each(problem: Problem, questions: Sequence[tuple[str, ...]]) -> list[Solution]:
    """Return an optimum of each question; all ask for balance first, which is found but once where that takes long."""
    if not problem.items:
        return [solve(problem, levels) for levels in questions]
    refuse_impossible(problem)
    alike = item_classes(problem)
    if alike.pairs <= FEW or not problem.single:
        return [Solution(*best) for best in solve_directly(problem, alike, questions)]
    even = _evened(problem)
    return [_cheapest(problem.asked(levels), even, levels) for levels in questions]


def _is_small(problem: Problem) -> bool:
    """Say whether it is worth while to look for few classes of items."""
    return problem.items * problem.members <= 20 * FEW


def _evened(problem: Problem, deadline: float = math.inf) -> tuple[Bipartite, Ints]:
    readers = bipartite(problem)
    flow = np.empty(len(readers.reader), np.int64)
    semi_matching(readers, flow, deadline)
    return readers, flow


def _cheapest(
    problem: Problem, even: tuple[Bipartite, Ints], levels: tuple[str, ...], deadline: float = math.inf
) -> Solution:
    """Return an optimum of the levels after balance among the most even assignments, or one of these where time is over."""
    readers, flow = even
    first, last = around_balance(levels)
    slots = balance_duals(readers, flow)
    rows = [
        np.zeros((len(first), problem.members), np.int64),
        slots[problem.subscription_of][None],
    ]
    after = np.zeros((len(last), problem.members), np.int64)
    if len(after) == 0 or time.monotonic() > deadline:
        return Solution(disaggregate(problem, readers, flow), Prices(np.vstack([*rows, after])))
    ways = optimal_face(problem, last, slots, loads_of(readers, flow))
    cheapest = min_cost_flow(ways, deadline)
    if cheapest is None:
        return Solution(disaggregate(problem, readers, flow), Prices(np.vstack([*rows, after])))
    distance = distances(ways, cheapest, deadline)
    if distance is not None:
        # prices count from the slack node of those who ask the same for a slot, whether their own loads vary or not
        after -= distance[:, ways.first[3] : ways.first[4]]
        paid = slots[problem.subscription_of]
        known = np.unique(paid[ways.tail[ways.arcs[4] :] - ways.first[3]])
        place = np.searchsorted(known, paid)
        vary = np.flatnonzero(np.append(known, -1)[place] == paid)
        after[:, vary] += distance[:, ways.first[4] + place[vary]]
    return Solution(flow_decomposition(ways, cheapest), Prices(np.vstack([*rows, after])))


def _no_prices(problem: Problem, levels: tuple[str, ...]) -> Prices:
    return Prices(np.zeros((len(levels), problem.members), np.int64))
