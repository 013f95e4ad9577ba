"""The prices that prove loads most even, and tell which loads can differ between two most even assignments."""

import numpy as np

from kassay.oracles.assignment.flow.bipartite import Bipartite, loads_of
from kassay.oracles.assignment.level import Ints
from kassay.oracles.assignment.problem import LARGEST


def balance_duals(graph: Bipartite, flow: Ints) -> Ints:
    """Return the price of each subscription's slots that proves a flow most even, for members whose squares weigh w.

    From l to l + 1 is a step of w (2l + 1), what the square of l + 1 is more than that of l. Where the members hold l in every
    optimum the price lies between their last step and the next one, at 2 w l if nobody before them in a chain of moves asks more.
    They can come to l + 1 exactly where a chain leads to them from somebody whose last step is as high, and lose one where
    one leads from them to somebody whose next step is as low; the price is then that step.
    """
    load = loads_of(graph, flow)
    low, high = load // graph.size, -(-load // graph.size)
    gives = np.flatnonzero(flow)
    takes = np.arange(len(flow))
    highest_before = -_least_along(graph, gives, takes, -graph.weight * (low + high))
    lowest_after = _least_along(graph, takes, gives, graph.weight * (2 * low + 1))
    return np.minimum(highest_before, lowest_after)


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
