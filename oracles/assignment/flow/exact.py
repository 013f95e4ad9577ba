"""The exact optimum of any problem, with the prices that prove it, by whichever route is fastest.

Levels before balance, and questions without it: nothing limits what a member takes, so each item goes where it is cheapest.

The optima of balance are a network, the *face* of the program on which balance is least. Slot prices tell each member's load in every
most even assignment: l if the price lies between its last step and the next one, l or l + 1 if it is the step between these two.
An audience's items are with its cheapest readers in every such assignment. So members take in l; those whose price is a step may take in
one more and pass it to a *slack node*, which asks for as many as must be over. Every flow that fits is most even, and every most
even assignment fits. The cheapest flow on the face is the next level's optimum.
"""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from kassay.oracles.assignment.aggregation import Network, collapsed
from kassay.oracles.assignment.flow.even_loads import (
    Bipartite,
    balance_duals,
    bipartite,
    disaggregate,
    loads_of,
    semi_matching,
)
from kassay.oracles.assignment.flow.item_classes import FEW, flow_decomposition, item_classes, solve_directly
from kassay.oracles.assignment.flow.min_cost_flow import distances, min_cost_flow
from kassay.oracles.assignment.flow.topic_spread import solve_with_spread
from kassay.oracles.assignment.own_levels import BALANCE, TOPIC_SPREAD
from kassay.oracles.assignment.problem import (
    LARGEST,
    Ints,
    Problem,
    eligible,
    gain_matrix,
    owners_in_turn,
    reading,
    refuse_impossible,
    restricted,
)
from kassay.oracles.assignment.spread_bound import leanest
from kassay.oracles.assignment.values import Prices, at_price
from kassay.oracles.errors import TooLargeError

ENTRIES = 10**8
"""Up to this many pairs of an item class and a member are looked at."""


def admissible(problem: Problem, levels: tuple[str, ...]) -> Problem:
    """Return the problem in which each item may only go where it costs least in these levels, the first before the rest.

    One copy of each item only. Raises TooLargeError if item classes times members pass 10^8.
    """
    if not levels:
        return problem
    classes, class_of = item_classes(problem)
    if classes.items * classes.members > ENTRIES:
        raise TooLargeError(
            f"{classes.items} classes of items times {problem.members} members are too many for levels before balance"
        )
    allowed = eligible(classes)
    for level in levels:
        cost = classes.table({level: 1})[classes.profile_of][:, classes.rack_of]
        if classes.level(level).gain is not None:
            cost -= gain_matrix(classes, classes.members, classes.gains({level: 1}))[classes.claim_of]
        least = np.where(allowed, cost, cost.max(initial=0) + 1).min(axis=1)
        allowed &= cost == least[:, None]
    audiences, audience_of = np.unique(allowed, axis=0, return_inverse=True)
    return restricted(problem, audiences, audience_of.reshape(-1)[class_of])


def optimal_face(problem: Problem, levels: tuple[str, ...], prices: Ints, load: Ints) -> Network:
    """Return the network of the levels after balance, given the subscriptions' slot prices and most even loads."""
    paid = prices[problem.audience_subscription]
    cheapest = np.minimum.reduceat(paid, problem.audience_start[:-1])
    network = collapsed(problem, levels, paid == np.repeat(cheapest, np.diff(problem.audience_start)))
    size = np.bincount(problem.subscription_of, minlength=problem.subscriptions)
    low = at_price(prices - 1, problem.weights)
    step = at_price(prices, problem.weights) > low
    slack = np.unique(prices[step])
    over = np.zeros(len(slack), np.int64)
    np.add.at(over, np.searchsorted(slack, prices[step]), (load - low * size)[step])
    may_vary = np.flatnonzero(step[problem.subscription_of])
    node = network.first[4] + np.searchsorted(slack, prices[problem.subscription_of[may_vary]])
    supply = network.supply.copy()
    supply[network.first[3] :] = -low[problem.subscription_of]
    return replace(
        network,
        tail=np.concatenate([network.tail, network.first[3] + may_vary]),
        head=np.concatenate([network.head, node]),
        capacity=np.concatenate([network.capacity, np.ones(len(node), np.int64)]),
        costs=np.hstack([network.costs, np.zeros((len(levels), len(node)), np.int64)]),
        supply=np.concatenate([supply, -over]),
    )


def cheapest_owners(problem: Problem, levels: tuple[str, ...]) -> Ints:
    """Return for each item (items x 1) a reader at which it costs least, the first level before the others.

    That is one of its owners, or any reader in some rack. One copy only. Raises TooLargeError if costs leave 64 bits.
    """
    base = 2 * problem.greatest_cost + 1
    if base ** (len(levels) + 1) >= LARGEST:
        raise TooLargeError("the costs of the levels leave 64 bits")
    unit = {level: base**n for n, level in enumerate(reversed(levels))}
    far, gain = problem.table(unit), problem.gains(unit)
    owners = np.full(problem.items, -1)
    least = np.full(problem.items, LARGEST)
    # some reader of each audience (row) in each rack (column), -1 if there is none
    some = np.full((problem.subscriptions, problem.racks), -1)
    some[problem.subscription_of, problem.rack_of] = np.arange(problem.members)
    some = np.maximum.reduceat(some[problem.audience_subscription], problem.audience_start[:-1], axis=0)
    for rack, reader in enumerate(some.T):
        owner, cost = reader[problem.audience_of], far[:, rack][problem.profile_of]
        better = (owner >= 0) & (cost < least)
        owners[better], least[better] = owner[better], cost[better]
    reads = reading(problem)
    for items, claim in owners_in_turn(problem, problem.claim_of):
        owner = problem.claim_member[claim]
        cost = far[problem.profile_of[items], problem.rack_of[owner]] - gain[claim]
        better = (cost < least[items]) & reads[problem.audience_of[items], problem.subscription_of[owner]]
        owners[items[better]], least[items[better]] = owner[better], cost[better]
    return owners.reshape(-1, 1)


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """The members that each item goes to (items x copies), and prices; an optimum where the prices' bound says so."""

    owners: Ints
    prices: Prices


def solve(problem: Problem, levels: tuple[str, ...], deadline: float = math.inf) -> Solution:
    """Return an optimum, or the best known when `deadline` (of time.monotonic) passed.

    Raises ImpossibleError if an item has too few readers, TooLargeError if numbers leave 64 bits or
    several copies of too many items are asked for, UnsolvedError if a solver fails.
    """
    refuse_impossible(problem)
    problem = problem.asked(levels)
    if not problem.items:
        return Solution(
            np.empty((0, problem.copies), np.int64),
            Prices(np.zeros((len(levels), problem.members), np.int64)),
        )
    if TOPIC_SPREAD in levels:
        owners, prices = solve_with_spread(problem, levels, deadline)
        return Solution(owners, leanest(problem, levels, prices))
    if problem.single and BALANCE not in levels:
        return solve_large(problem, levels)
    # It is worth while to look for few classes of items only if the problem is small.
    is_small = problem.items * problem.members <= 20 * FEW
    alike = item_classes(problem) if is_small or not problem.single else None
    if alike and (alike.pairs <= FEW or not problem.single):
        until = math.inf if alike.pairs <= FEW else deadline
        return Solution(*solve_directly(problem, alike, [levels], until)[0])
    return solve_large(problem, levels, deadline)


def solve_large(problem: Problem, levels: tuple[str, ...], deadline: float = math.inf) -> Solution:
    """Return an optimum for one copy of each item by way of the collapse, at any size; see :func:`solve`."""
    problem = problem.asked(levels)
    if BALANCE not in levels:
        none = Prices(np.zeros((len(levels), problem.members), np.int64))
        return Solution(cheapest_owners(problem, levels), none)
    problem = admissible(problem, levels[: levels.index(BALANCE)])
    return _find_cheapest(problem, _even_out(problem, deadline), levels, deadline)


def solve_each(problem: Problem, questions: Sequence[tuple[str, ...]]) -> list[Solution]:
    """Return an optimum of each question; all ask for balance first, which is found but once where that takes long."""
    if not problem.items:
        return [solve(problem, levels) for levels in questions]
    refuse_impossible(problem)
    spread = {levels: solve(problem, levels) for levels in questions if TOPIC_SPREAD in levels}
    others = [levels for levels in questions if TOPIC_SPREAD not in levels]
    alike = item_classes(problem)
    if alike.pairs <= FEW or not problem.single:
        best = [Solution(*each) for each in solve_directly(problem, alike, others)]
    else:
        even = _even_out(problem)
        best = [_find_cheapest(problem.asked(levels), even, levels) for levels in others]
    found = dict(zip(others, best, strict=True)) | spread
    return [found[levels] for levels in questions]


def _even_out(problem: Problem, deadline: float = math.inf) -> tuple[Bipartite, Ints]:
    readers = bipartite(problem)
    return readers, semi_matching(readers, deadline)


def _find_cheapest(
    problem: Problem, even: tuple[Bipartite, Ints], levels: tuple[str, ...], deadline: float = math.inf
) -> Solution:
    """Return an optimum of the levels after balance among the most even assignments, or one of these if time is over."""
    readers, flow = even
    first = levels.index(BALANCE)
    last = levels[first + 1 :]
    slots = balance_duals(readers, flow)
    paid = slots[problem.subscription_of]
    after = np.zeros((len(last), problem.members), np.int64)
    owners = None
    if last and time.monotonic() <= deadline:
        ways = optimal_face(problem, last, slots, loads_of(readers, flow))
        cheapest = min_cost_flow(ways, deadline)
        distance = None if cheapest is None else distances(ways, cheapest, deadline)
        if cheapest is not None:
            owners = flow_decomposition(ways, cheapest)
        if distance is not None:
            # prices count from the slack node of those who ask the same for a slot, whether their own loads vary or not
            after -= distance[:, ways.first[3] : ways.first[4]]
            known = np.unique(paid[ways.tail[ways.arcs[4] :] - ways.first[3]])
            place = np.searchsorted(known, paid)
            vary = np.flatnonzero(np.append(known, -1)[place] == paid)
            after[:, vary] += distance[:, ways.first[4] + place[vary]]
    if owners is None:
        owners = disaggregate(problem, readers, flow)
    before = np.zeros((first, problem.members), np.int64)
    return Solution(owners, Prices(np.vstack([before, paid[None], after])))
