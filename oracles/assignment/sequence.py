"""A sequence of rebalances as a network in layers, which every item passes from the first to the last.

A *node* is a possible location of an item at one rebalance: a member, or a set of clients for its copies. A node may
also be only a junction of arcs between two rebalances. Items of one *kind* have the same costs everywhere. Rows bound
the number of items of all kinds at some nodes together. They keep the loads of each rebalance balanced.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from kassay.oracles.assignment.problem import Ints


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """The arcs from one layer to the next, and the nodes of the next layer.

    Arc i leads from node ``tail[i]`` of the layer before to node ``head[i]``; heads ascend, and each node has an arc.
    A unit costs ``arc_cost[level, i]`` on it. A unit of kind k costs ``node_cost[level, k, node]`` at a node, which
    is allowed if ``open[k, node]``. Entry i says that each unit at node ``user[i]`` counts in row ``used[i]``, which
    must be between `low` and `high`.
    """

    tail: Ints
    head: Ints
    arc_cost: Ints
    open: NDArray[np.bool_]
    node_cost: Ints
    user: Ints
    used: Ints
    low: Ints
    high: Ints

    @property
    def nodes(self) -> int:
        """The number of nodes of the layer."""
        return int(self.open.shape[1])


@dataclass(frozen=True, slots=True, eq=False)
class Sequence:
    """Kinds of items, ``counts[k]`` of each, and the layers that they pass, from node 0 of a layer with one node."""

    levels: tuple[str, ...]
    counts: Ints
    steps: tuple[Step, ...]

    @property
    def kinds(self) -> int:
        """The number of kinds."""
        return len(self.counts)

    @property
    def size(self) -> int:
        """The number of pairs of a kind and an arc to a node that is allowed for it."""
        return sum(int(step.open[:, step.head].sum()) for step in self.steps)

    def merge_kinds(self) -> "Sequence":
        """Return the sequence with all items of one kind: each node allows what any kind may do, at the least cost of any kind.

        Its optimum is a lower bound of the optimum of this sequence.
        """
        steps = []
        for step in self.steps:
            dear = int(step.node_cost.max(initial=0))
            cost = np.where(step.open, step.node_cost, dear).min(axis=1, keepdims=True)
            steps.append(replace(step, open=np.array([step.open.any(axis=0)]), node_cost=cost))
        return Sequence(self.levels, self.counts.sum(keepdims=True), tuple(steps))


def compute_weights(sequence: Sequence) -> tuple[int, ...]:
    """Return a weight for each level that is more than all units of the levels after it can weigh."""
    found = [1]
    for level in range(len(sequence.levels) - 1, 0, -1):
        most = sum(
            int(step.arc_cost[level].max(initial=0)) + int(step.node_cost[level].max(initial=0))
            for step in sequence.steps
        )
        found.append(found[-1] * (int(sequence.counts.sum()) * most + 1))
    return tuple(reversed(found))


Flow = tuple[Ints, ...]
"""The number of items of each kind on each arc, one matrix for every step."""


def count_at_nodes(step: Step, flow: Ints) -> Ints:
    """Return the number of items of each kind at each node."""
    found = np.zeros((len(flow), step.nodes), np.int64)
    np.add.at(found.T, step.head, flow.T)
    return found


def compute_costs(sequence: Sequence, flow: Flow) -> tuple[int, ...]:
    """Return the cost of a flow in each level."""
    found = [0] * len(sequence.levels)
    for step, on in zip(sequence.steps, flow, strict=True):
        here = count_at_nodes(step, on)
        for level in range(len(found)):
            found[level] += int((on.sum(axis=0) * step.arc_cost[level]).sum())
            found[level] += int((here * step.node_cost[level]).sum())
    return tuple(found)


def is_feasible(sequence: Sequence, flow: Flow) -> bool:
    """Return True if a flow takes every item through all layers, only to allowed nodes, and within the bounds of all rows."""
    before = sequence.counts[:, None]
    for step, on in zip(sequence.steps, flow, strict=True):
        leaving = np.zeros_like(before)
        np.add.at(leaving.T, step.tail, on.T)
        here = count_at_nodes(step, on)
        rows = np.zeros(len(step.low), np.int64)
        np.add.at(rows, step.used, here.sum(axis=0)[step.user])
        whole = (on >= 0).all() and np.array_equal(leaving, before) and not here[~step.open].any()
        if not (whole and (step.low <= rows).all() and (rows <= step.high).all()):
            return False
        before = here
    return True


def list_paths(sequence: Sequence, flow: Flow) -> list[Ints]:
    """Return for each kind the node of each item (row) in each layer (column); items of a kind are interchangeable."""
    found = []
    for kind, count in enumerate(sequence.counts.tolist()):
        way = np.zeros((count, len(sequence.steps) + 1), np.int64)
        for n, (step, on) in enumerate(zip(sequence.steps, flow, strict=True)):
            arcs = np.repeat(np.arange(len(step.tail)), on[kind])
            arcs = arcs[np.argsort(step.tail[arcs], kind="stable")]
            way[np.argsort(way[:, n], kind="stable"), n + 1] = step.head[arcs]
        found.append(way[:, 1:])
    return found
