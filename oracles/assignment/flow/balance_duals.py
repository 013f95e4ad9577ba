"""The prices that prove loads most even, and tell which loads can differ between two most even assignments."""

import numpy as np

from kassay.oracles.assignment.flow.bipartite import Bipartite, loads_of
from kassay.oracles.assignment.level import Ints
from kassay.oracles.assignment.problem import LARGEST


def balance_duals(graph: Bipartite, flow: Ints) -> Ints:
    """Return the price of each subscription's slots that proves a flow most even.

    It is 2l where the members hold l in every optimum. Members at l can come to l + 1 exactly where a chain
    of moves leads to them from somebody at l + 1, and members at l + 1 to l where one leads from them to
    somebody at l; the price is then 2l + 1, what the square of l + 1 is more than that of l.
    """
    load = loads_of(graph, flow)
    low, high = load // graph.size, -(-load // graph.size)
    gives = np.flatnonzero(flow)
    takes = np.arange(len(flow))
    heaviest_before = -_least_along(graph, gives, takes, -high)
    lightest_after = _least_along(graph, takes, gives, low)
    return np.where(
        heaviest_before > low, 2 * low + 1, np.where(lightest_after < high, 2 * high - 1, 2 * low)
    )


def _least_along(graph: Bipartite, from_: Ints, to: Ints, values: Ints) -> Ints:
    """Return the least value that chains of pairs bring to each subscription, its own included.

    A step leads from the reader of a pair of `from_` to its audience, and from there to the reader of a pair of `to`.
    """
    least = values.copy()
    there = np.full(len(graph.items), LARGEST)
    while True:
        np.minimum.at(there, graph.audience[from_], least[graph.reader[from_]])
        before = least.copy()
        np.minimum.at(least, graph.reader[to], there[graph.audience[to]])
        if np.array_equal(least, before):
            return least
