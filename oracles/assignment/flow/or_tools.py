"""The one place that knows OR-tools, whose cheapest flows know no time limit: where there is one, they run apart.

``python -m kassay.oracles.assignment.flow.or_tools`` reads a network from standard input and writes a cheapest
flow; it is ended from outside when the time is over.
"""

import subprocess
import sys
from importlib import import_module
from io import BytesIO
from typing import Any

import numpy as np

from kassay.oracles.assignment.level import Ints
from kassay.oracles.failures import UnsolvedError


def solved(tail: Ints, head: Ints, capacity: Ints, cost: Ints, supply: Ints) -> Ints:
    """Return a cheapest flow; raises UnsolvedError where OR-tools is missing or finds none."""
    solver = or_tools("graph.python.min_cost_flow").SimpleMinCostFlow()
    arcs = solver.add_arcs_with_capacity_and_unit_cost(tail, head, capacity, cost)
    solver.set_nodes_supplies(np.arange(len(supply)), supply)
    status = solver.solve()
    if status != solver.OPTIMAL:
        raise UnsolvedError(f"OR-tools found no cheapest flow: {status.name}")
    return np.asarray(solver.flows(arcs), np.int64)


def solved_in(
    seconds: float, tail: Ints, head: Ints, capacity: Ints, cost: Ints, supply: Ints
) -> Ints | None:
    """Return a cheapest flow, None where so many seconds were not enough; raises UnsolvedError as :func:`solved`."""
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


def or_tools(module: str) -> Any:
    """Load a module of OR-tools when it is needed: it takes half a second, and small problems do without.

    Raises UnsolvedError where OR-tools is missing.
    """
    try:
        return import_module(f"ortools.{module}")
    except ImportError as missing:
        raise UnsolvedError(
            f"the solver is missing ({missing}); kassay depends on it, so install kassay again"
        ) from missing


if __name__ == "__main__":
    with np.load(BytesIO(sys.stdin.buffer.read())) as read:
        flow = solved(read["tail"], read["head"], read["capacity"], read["cost"], read["supply"])
    np.save(sys.stdout.buffer, flow)
