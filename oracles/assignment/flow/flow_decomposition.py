"""From a flow through the collapsed network back to single items: every item walks the arcs that still have flow."""

import numpy as np

from kassay.oracles.assignment.aggregation import Network
from kassay.oracles.assignment.flow.integer_sort import ordered, rank_in_run
from kassay.oracles.assignment.level import Ints
from kassay.oracles.failures import UnsolvedError


def flow_decomposition(network: Network, flow: Ints) -> Ints:
    """Return the owner of each item (items x 1): claimants first stay where the flow keeps them, the rest walk in order."""
    left = flow.copy()
    members = network.first[3]
    at = network.class_of.copy()
    claimants = np.flatnonzero(network.keeper_of >= 0)
    claimants = claimants[ordered(network.keeper_of[claimants])]
    keeper = network.keeper_of[claimants]
    stays = rank_in_run(keeper) < left[keeper]
    at[claimants[stays]] = network.head[keeper[stays]]
    left -= np.bincount(keeper[stays], minlength=len(left))
    for arcs in (slice(0, network.arcs[2]), *map(slice, network.arcs[2:4], network.arcs[3:5])):
        walking = np.flatnonzero(at < members)
        at[walking] = _onward(at[walking], network.tail[arcs], network.head[arcs], left[arcs])
    return (at - members).reshape(-1, 1)


def _onward(at: Ints, tail: Ints, head: Ints, left: Ints) -> Ints:
    """Return where items that are at these nodes come to along arcs with so much flow left, the first items first."""
    arcs = np.flatnonzero(left)
    arcs = arcs[ordered(tail[arcs])]
    order = ordered(at)
    if not np.array_equal(np.repeat(tail[arcs], left[arcs]), at[order]):
        raise UnsolvedError("the flow that OR-tools calls cheapest loses partitions")
    reached = np.empty(len(at), np.int64)
    reached[order] = np.repeat(head[arcs], left[arcs])
    return reached
