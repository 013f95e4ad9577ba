"""Cheapest flows through a network, by OR-tools, and the distances that prove them cheapest."""

from importlib import import_module
from typing import Any

import numpy as np

from kassay.oracles.compiled import compiled
from kassay.oracles.consumer.flow.collapse import Network
from kassay.oracles.consumer.problem import LARGEST, Ints
from kassay.oracles.failures import TooLargeError, UnsolvedError


def cheapest_flow(network: Network) -> Ints:
    """Return a flow of least cost, the levels compared like words in a dictionary.

    Raises TooLargeError where the costs leave 64 bits, UnsolvedError where no optimum comes back.
    """
    base = int(network.supply[network.supply > 0].sum()) * int(np.abs(network.costs).max(initial=0)) + 1
    if base ** len(network.costs) * len(network.supply) >= LARGEST:
        raise TooLargeError("the costs of the flow leave 64 bits")
    cost = np.zeros(len(network.tail), np.int64)
    for row in network.costs:
        cost = cost * base + row
    solver = _or_tools().SimpleMinCostFlow()
    arcs = solver.add_arcs_with_capacity_and_unit_cost(network.tail, network.head, network.capacity, cost)
    solver.set_nodes_supplies(np.arange(len(network.supply)), network.supply)
    status = solver.solve()
    if status != solver.OPTIMAL:
        raise UnsolvedError(f"OR-tools found no cheapest flow: {status.name}")
    return np.asarray(solver.flows(arcs), np.int64)


def _or_tools() -> Any:
    """Load OR-tools when it is needed: it takes half a second, and small problems do without."""
    try:
        return import_module("ortools.graph.python.min_cost_flow")
    except ImportError as missing:
        raise UnsolvedError(
            f"the solver is missing ({missing}); kassay depends on it, so install kassay again"
        ) from missing


def distances(network: Network, flow: Ints) -> Ints:
    """Return, per level and node, the distances in the residual network, from a point joined to all nodes at length 0.

    Raises UnsolvedError where the flow is not cheapest, for then there are none.
    """
    base = 2 * len(network.supply) * int(np.abs(network.costs).max(initial=0)) + 3
    if base ** len(network.costs) >= LARGEST:
        raise TooLargeError("the distances leave 64 bits")
    cost = np.zeros(len(network.tail), np.int64)
    for row in network.costs:
        cost = cost * base + row
    packed = np.zeros(len(network.supply), np.int64)
    if not _relax(network.tail, network.head, network.capacity, cost, flow, packed):
        raise UnsolvedError("the flow that OR-tools calls cheapest is not")
    rows = []
    for _ in network.costs:
        rows.append((packed + base // 2) % base - base // 2)
        packed = (packed - rows[-1]) // base
    return np.array(rows[::-1]).reshape(network.costs.shape[0], len(packed))


@compiled
def _relax(tail: Ints, head: Ints, capacity: Ints, cost: Ints, flow: Ints, distance: Ints) -> bool:
    """Shorten the distances until no arc shortens one, forwards and backwards by turns as the arcs come in layers."""
    for _ in range(len(distance) + 1):
        changed = False
        for e in range(len(tail)):
            if flow[e] < capacity[e] and distance[tail[e]] + cost[e] < distance[head[e]]:
                distance[head[e]] = distance[tail[e]] + cost[e]
                changed = True
        for e in range(len(tail) - 1, -1, -1):
            if flow[e] > 0 and distance[head[e]] - cost[e] < distance[tail[e]]:
                distance[tail[e]] = distance[head[e]] - cost[e]
                changed = True
        if not changed:
            return True
    return False
