"""Cheapest flows through a network, by OR-tools, and the distances that prove them cheapest."""

import math
import time

import numpy as np

from kassay.oracles.compiled import compiled
from kassay.oracles.consumer.flow.collapse import Network
from kassay.oracles.consumer.flow.or_tools import solved, solved_in
from kassay.oracles.consumer.problem import LARGEST, Ints
from kassay.oracles.failures import TooLargeError, UnsolvedError

ARCS = 30_000
"""Networks of no more arcs are solved in less time than a process of its own needs to start."""


def cheapest_flow(network: Network, deadline: float = math.inf) -> Ints | None:
    """Return a flow of least cost, the levels compared like words in a dictionary; None where `deadline` passed.

    Raises TooLargeError where the costs leave 64 bits, UnsolvedError where no optimum comes back.
    """
    base = int(network.supply[network.supply > 0].sum()) * int(np.abs(network.costs).max(initial=0)) + 1
    if base ** len(network.costs) * len(network.supply) >= LARGEST:
        raise TooLargeError("the costs of the flow leave 64 bits")
    cost = np.zeros(len(network.tail), np.int64)
    for row in network.costs:
        cost = cost * base + row
    columns = network.tail, network.head, network.capacity, cost, network.supply
    if math.isinf(deadline) or len(cost) <= ARCS:
        return solved(*columns)
    return solved_in(deadline - time.monotonic(), *columns)


def distances(network: Network, flow: Ints, deadline: float = math.inf) -> Ints | None:
    """Return, per level and node, the distances in the residual network, from a point joined to all nodes at length 0.

    None where `deadline` passed. Raises UnsolvedError where the flow is not cheapest, for then there are none.
    """
    base = 2 * len(network.supply) * int(np.abs(network.costs).max(initial=0)) + 3
    if base ** len(network.costs) >= LARGEST:
        raise TooLargeError("the distances leave 64 bits")
    cost = np.zeros(len(network.tail), np.int64)
    for row in network.costs:
        cost = cost * base + row
    packed = np.zeros(len(network.supply), np.int64)
    rounds = 0
    while _relax(network.tail, network.head, network.capacity, cost, flow, packed):
        rounds += 1
        if rounds > len(packed):
            raise UnsolvedError("the flow that OR-tools calls cheapest is not")
        if time.monotonic() > deadline:
            return None
    rows = []
    for _ in network.costs:
        rows.append((packed + base // 2) % base - base // 2)
        packed = (packed - rows[-1]) // base
    return np.array(rows[::-1]).reshape(network.costs.shape[0], len(packed))


@compiled
def _relax(tail: Ints, head: Ints, capacity: Ints, cost: Ints, flow: Ints, distance: Ints) -> bool:
    """Shorten the distances along all arcs, once forwards and once backwards as they come in layers; return if any got shorter."""
    changed = False
    for e in range(len(tail)):
        if flow[e] < capacity[e] and distance[tail[e]] + cost[e] < distance[head[e]]:
            distance[head[e]] = distance[tail[e]] + cost[e]
            changed = True
    for e in range(len(tail) - 1, -1, -1):
        if flow[e] > 0 and distance[head[e]] - cost[e] < distance[tail[e]]:
            distance[tail[e]] = distance[head[e]] - cost[e]
            changed = True
    return changed
