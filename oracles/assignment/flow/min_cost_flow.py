"""Cheapest flows through a network, by OR-tools, and the distances that prove them cheapest."""

import math
import time
from itertools import pairwise

import numpy as np

from kassay.oracles.assignment.aggregation import Network
from kassay.oracles.assignment.flow.or_tools import solved, solved_in
from kassay.oracles.assignment.level import Ints
from kassay.oracles.assignment.problem import LARGEST
from kassay.oracles.failures import TooLargeError, UnsolvedError

ARCS = 30_000
"""Networks of no more arcs are solved in less time than a process of its own needs to start."""


def min_cost_flow(network: Network, deadline: float = math.inf) -> Ints | None:
    """Return a flow of least cost, the levels compared like words in a dictionary; None where `deadline` passed.

    Raises TooLargeError where the costs leave 64 bits, UnsolvedError where no optimum comes back.
    """
    units = int(network.supply[network.supply > 0].sum())
    high, low = network.costs.max(axis=1, initial=0), network.costs.min(axis=1, initial=0)
    cost = _packed(network.costs, [units * int(each) + 1 for each in high - low], len(network.supply))
    columns = network.tail, network.head, network.capacity, cost, network.supply
    if math.isinf(deadline) or len(cost) <= ARCS:
        return solved(*columns)
    return solved_in(deadline - time.monotonic(), *columns)


def distances(network: Network, flow: Ints, deadline: float = math.inf) -> Ints | None:
    """Return, per level and node, the distances in the residual network, from a point joined to all nodes at length 0.

    None where `deadline` passed. Raises UnsolvedError where the flow is not cheapest, for then there are none.
    """
    bases = [2 * len(network.supply) * most + 3 for most in _greatest(network)]
    cost = _packed(network.costs, bases, 2 * len(network.supply))
    packed = np.zeros(len(network.supply), np.int64)
    ways = _residual(network, flow, cost)
    rounds = 0
    while _relax(ways, packed):
        rounds += 1
        if rounds > len(packed):
            raise UnsolvedError("the flow that OR-tools calls cheapest is not")
        if time.monotonic() > deadline:
            return None
    rows = []
    for base in reversed(bases[1:]):
        rows.append((packed + base // 2) % base - base // 2)
        packed = (packed - rows[-1]) // base
    return np.array([packed, *reversed(rows)])[: len(bases)]


def _greatest(network: Network) -> list[int]:
    """Return the greatest cost in each level."""
    return [int(each) for each in np.abs(network.costs).max(axis=1, initial=0)]


def _packed(costs: Ints, bases: list[int], times: int) -> Ints:
    """Return the levels' costs as digits of single numbers; raises TooLargeError where so many of them leave 64 bits."""
    packed = np.zeros(costs.shape[1], np.int64)
    greatest = 0
    for row, base in zip(costs, bases, strict=True):
        greatest = greatest * base + int(np.abs(row).max(initial=0))
        if greatest * times >= LARGEST:
            raise TooLargeError("the costs of the flow leave 64 bits")
        packed = packed * base + row
    return packed


def _residual(network: Network, flow: Ints, cost: Ints) -> list[tuple[Ints, Ints, Ints]]:
    """Return tails, heads and lengths of what could still flow, layer by layer, then of what could flow back, the last layer first."""
    layers = [np.arange(*ends) for ends in pairwise((*network.arcs, len(flow)))]
    onward = [arcs[flow[arcs] < network.capacity[arcs]] for arcs in layers]
    back = [arcs[flow[arcs] > 0] for arcs in reversed(layers)]
    return [(network.tail[arcs], network.head[arcs], cost[arcs]) for arcs in onward] + [
        (network.head[arcs], network.tail[arcs], -cost[arcs]) for arcs in back
    ]


def _relax(ways: list[tuple[Ints, Ints, Ints]], distance: Ints) -> bool:
    """Shorten the distances along all arcs, layer by layer; return whether any got shorter."""
    before = distance.copy()
    for tail, head, length in ways:
        np.minimum.at(distance, head, distance[tail] + length)
    return not np.array_equal(before, distance)
