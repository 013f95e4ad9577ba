"""From a flow through the collapsed network back to single items: every item walks the arcs that still have flow."""

import numpy as np

from kassay.oracles.compiled import compiled
from kassay.oracles.consumer.flow.collapse import Network
from kassay.oracles.consumer.problem import Ints


def placed(network: Network, flow: Ints) -> Ints:
    """Return the owner of each item (items x 1): claimants first stay where the flow keeps them, the rest walk in order."""
    left = flow.copy()
    owners = np.full(len(network.kind_of), -1)
    begin, arcs = _by_tail(network.tail, len(network.supply))
    _walk(
        network.kind_of,
        network.keeper_of,
        network.head,
        begin,
        arcs,
        left,
        network.first[3],
        network.first[4],
        owners,
    )
    return owners.reshape(-1, 1)


@compiled
def _by_tail(tail: Ints, nodes: int) -> tuple[Ints, Ints]:
    """Return the arcs in the order of their tails, and where each node's begin."""
    begin = np.zeros(nodes + 1, np.int64)
    for node in tail:
        begin[node + 1] += 1
    begin = np.cumsum(begin)
    at = begin[:-1].copy()
    arcs = np.empty(len(tail), np.int64)
    for arc in range(len(tail)):
        arcs[at[tail[arc]]] = arc
        at[tail[arc]] += 1
    return begin, arcs


@compiled
def _walk(
    kind_of: Ints,
    keeper_of: Ints,
    head: Ints,
    begin: Ints,
    arcs: Ints,
    left: Ints,
    members: int,
    hubs: int,
    owners: Ints,
) -> None:
    for item in range(len(owners)):
        keeper = keeper_of[item]
        if keeper >= 0 and left[keeper] > 0:
            left[keeper] -= 1
            owners[item] = head[keeper] - members
    at = begin[:-1].copy()
    for item in range(len(owners)):
        node = kind_of[item]
        while owners[item] < 0:
            while left[arcs[at[node]]] == 0:
                at[node] += 1
            left[arcs[at[node]]] -= 1
            node = head[arcs[at[node]]]
            if members <= node < hubs:
                owners[item] = node - members
