"""Minimum-cost flows by OR-tools, and the distances that prove them cheapest.

A member's load l costs l^2. Between two *marks* a and b the square is replaced by the straight line from a^2 to b^2,
whose slope is a + b: one arc. First the distances between marks grow, and show roughly where the loads are. The next
marks around these loads are eight times as close, until their distance is one. Then the squares themselves are paid
wherever a load could go next. They are convex, so the cheapest flow there is the cheapest of all.

Only this module knows OR-tools. Its cheapest flows know no time limit, so they run in another process if there is
one. ``python -m kassay.oracles.assignment.flow.min_cost_flow`` reads a network from standard input and writes a
cheapest flow; the parent process stops it at the time limit.
"""

import math
import subprocess
import sys
import time
from collections.abc import Sequence
from importlib import import_module
from io import BytesIO
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from kassay.oracles.assignment.aggregation import Network
from kassay.oracles.assignment.problem import LARGEST, Ints
from kassay.oracles.errors import TooLargeError, UnsolvedError

ARCS = 30_000
"""The limit of arcs of networks that are solved in less time than a separate process needs to start."""
REACH = 8
"""The number of marks on either side of a load."""


class Marks(NamedTuple):
    """A row of ascending marks for each load, from 0 to the greatest, and their distance around the load; 0 at first."""

    rows: Ints
    step: Ints


def create_marks(top: Ints) -> Marks:
    """Return marks up to these greatest loads: all if they are few, else each twice the one before."""
    most = int(top.max(initial=0))
    few = most <= 4 * REACH
    marks = np.arange(most + 1) if few else np.array([0, *(2**n for n in range(most.bit_length() + 1))])
    return Marks(np.minimum(marks, top[:, None]), np.zeros_like(top))


def find_closer_marks(marks: Marks, low: Ints, high: Ints, reach: int = REACH) -> Marks | None:
    """Return closer marks around loads between `low` and `high`; None if all steps of the loads are one already.

    A load at the end of its close marks gets as many more at the same distance.
    """
    beside = (marks.rows[:, :-1] <= high[:, None]) & (marks.rows[:, 1:] >= low[:, None])
    gap = np.where(beside, np.diff(marks.rows, axis=1), 0).max(axis=1, initial=0)
    if gap.max(initial=0) <= 1:
        return None
    ended = (gap > marks.step) & (marks.step > 0)
    step = np.where(ended, marks.step, -(-np.where(marks.step > 0, marks.step, gap) // reach))
    return place_marks_around(low, marks.rows[:, -1], reach, np.maximum(step, 1))


def place_marks_around(loads: Ints, top: Ints, reach: int = REACH, step: Ints | int = 1) -> Marks:
    """Return marks with this distance around guessed loads."""
    distance = np.broadcast_to(step, top.shape)
    around = np.clip(loads[:, None] + distance[:, None] * np.arange(-reach, reach + 1), 0, top[:, None])
    return Marks(np.hstack([np.zeros_like(top)[:, None], around, top[:, None]]), distance)


def list_slopes(marks: Marks) -> tuple[Ints, Ints, Ints]:
    """Return for each arc its load, how many units wide it is, and the cost of each unit."""
    width = np.diff(marks.rows, axis=1)
    of, place = np.nonzero(width)
    return of, width[of, place], (marks.rows[:, 1:] + marks.rows[:, :-1])[of, place]


def solve_flow(tail: Ints, head: Ints, capacity: Ints, cost: Ints, supply: Ints) -> Ints:
    """Return a cheapest flow. Raises UnsolvedError if OR-tools is missing or finds none."""
    solver = import_or_tools("graph.python.min_cost_flow").SimpleMinCostFlow()
    arcs = solver.add_arcs_with_capacity_and_unit_cost(tail, head, capacity, cost)
    solver.set_nodes_supplies(np.arange(len(supply)), supply)
    status = solver.solve()
    if status != solver.OPTIMAL:
        raise UnsolvedError(f"OR-tools found no cheapest flow: {status.name}")
    return np.asarray(solver.flows(arcs), np.int64)


def solve_flow_by(
    deadline: float, tail: Ints, head: Ints, capacity: Ints, cost: Ints, supply: Ints
) -> Ints | None:
    """Return a cheapest flow, or None if the deadline passed. Raises UnsolvedError as :func:`solve_flow` does.

    A large network is solved in a separate process if there is a `deadline` (of time.monotonic).
    """
    if math.isinf(deadline) or len(cost) <= ARCS:
        return solve_flow(tail, head, capacity, cost, supply)
    seconds = deadline - time.monotonic()
    if seconds <= 0:
        return None
    network = BytesIO()
    np.savez(network, tail=tail, head=head, capacity=capacity, cost=cost, supply=supply)
    try:
        done = subprocess.run(
            [sys.executable, "-m", __name__],
            input=network.getvalue(), capture_output=True, timeout=seconds, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return None
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        raise UnsolvedError(f"OR-tools in a process of its own ended with {done.returncode}: {said}")
    return np.asarray(np.load(BytesIO(done.stdout)), np.int64)


def import_or_tools(module: str) -> Any:
    """Import a module of OR-tools on demand: it takes half a second, and small problems do not need it.

    Raises UnsolvedError if OR-tools is missing.
    """
    try:
        return import_module(f"ortools.{module}")
    except ImportError as missing:
        raise UnsolvedError(
            f"the solver is missing ({missing}). kassay depends on it, so install kassay again"
        ) from missing


def find_min_cost_flow(network: Network, deadline: float = math.inf) -> Ints | None:
    """Return a flow of least cost, the levels in lexicographic order; None if `deadline` passed.

    Raises TooLargeError if the costs leave 64 bits, UnsolvedError if there is no optimum.
    """
    units = int(network.supply[network.supply > 0].sum())
    high, low = network.costs.max(axis=1, initial=0), network.costs.min(axis=1, initial=0)
    cost = _pack(network.costs, [units * int(each) + 1 for each in high - low], len(network.supply))
    return solve_flow_by(deadline, network.tail, network.head, network.capacity, cost, network.supply)


def compute_distances(network: Network, flow: Ints, deadline: float = math.inf) -> Ints | None:
    """Return the distances in the residual network, per level and node, from a point connected to all nodes at length 0.

    None if `deadline` passed. Raises UnsolvedError if the flow is not cheapest, because then distances do not exist.
    """
    greatest = np.abs(network.costs).max(axis=1, initial=0).tolist()
    bases = [2 * len(network.supply) * most + 3 for most in greatest]
    cost = _pack(network.costs, bases, 2 * len(network.supply))
    # Residual arcs: forward ones layer by layer, then backward ones, the last layer first.
    layers = [np.arange(*ends) for ends in pairwise((*network.arcs, len(flow)))]
    onward = [arcs[flow[arcs] < network.capacity[arcs]] for arcs in layers]
    back = [arcs[flow[arcs] > 0] for arcs in reversed(layers)]
    ways = [(network.tail[arcs], network.head[arcs], cost[arcs]) for arcs in onward]
    ways += [(network.head[arcs], network.tail[arcs], -cost[arcs]) for arcs in back]
    packed = compute_shortest_distances(ways, len(network.supply), deadline)
    if packed is None:
        return None
    rows = []
    for base in reversed(bases[1:]):
        rows.append((packed + base // 2) % base - base // 2)
        packed = (packed - rows[-1]) // base
    return np.array([packed, *reversed(rows)])[: len(bases)]


def _pack(costs: Ints, bases: list[int], times: int) -> Ints:
    """Return the levels' costs as digits of single numbers. Raises TooLargeError if `times` of them leave 64 bits."""
    packed = np.zeros(costs.shape[1], np.int64)
    greatest = 0
    for row, base in zip(costs, bases, strict=True):
        greatest = greatest * base + int(np.abs(row).max(initial=0))
        if greatest * times >= LARGEST:
            raise TooLargeError("the costs of the flow leave 64 bits")
        packed = packed * base + row
    return packed


def compute_shortest_distances(
    ways: Sequence[tuple[Ints, Ints, Ints]], nodes: int, deadline: float = math.inf
) -> Ints | None:
    """Return each node's distance along these arcs (tails, heads, lengths), from a point connected to all nodes at length 0.

    None if `deadline` passed. Raises UnsolvedError if a cycle is shorter than 0: then there are no distances.
    """
    distance = np.zeros(nodes, np.int64)
    for _ in range(nodes + 1):
        before = distance.copy()
        for tail, head, length in ways:
            np.minimum.at(distance, head, distance[tail] + length)
        if np.array_equal(before, distance):
            return distance
        if time.monotonic() > deadline:
            return None
    raise UnsolvedError("the flow that OR-tools calls cheapest is not")


if __name__ == "__main__":
    with np.load(BytesIO(sys.stdin.buffer.read())) as read:
        flow = solve_flow(read["tail"], read["head"], read["capacity"], read["cost"], read["supply"])
    np.save(sys.stdout.buffer, flow)
