"""The optima of balance as a network: what is left to choose, and nothing else.

Slot prices tell each member's load in every most even assignment: l where the price lies between its last step and the next
one, one of l and l + 1 where it is the step between these two. An audience's items are with its cheapest readers in every such assignment. So members
take in l; those whose price is a step may take in one more and pass it to a *slack node*, which asks for as many as must
be over. Every flow that fits is most even, and every most even assignment fits: they are the face of the
program on which balance is least, and the cheapest flow on it is the next level's optimum.
"""

from dataclasses import replace

import numpy as np

from kassay.oracles.assignment.aggregation import Network, collapsed
from kassay.oracles.assignment.evenness import at_price
from kassay.oracles.assignment.level import Ints
from kassay.oracles.assignment.problem import Problem


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
