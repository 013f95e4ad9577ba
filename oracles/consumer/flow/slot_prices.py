"""The prices that prove loads most even, and tell which loads can differ between two most even assignments."""

import numpy as np

from kassay.oracles.compiled import compiled
from kassay.oracles.consumer.flow.readership import Readership, loads_of
from kassay.oracles.consumer.problem import Ints


def slot_prices(readership: Readership, flow: Ints) -> Ints:
    """Return the price of each subscription's slots that proves a flow most even.

    It is 2l where the members hold l in every optimum. Members at l can come to l + 1 exactly where a chain
    of moves leads to them from somebody at l + 1, and members at l + 1 to l where one leads from them to
    somebody at l; the price is then 2l + 1, what the square of l + 1 is more than that of l.
    """
    load = loads_of(readership, flow)
    low, high = load // readership.size, -(-load // readership.size)
    grows = _heaviest_before(readership, flow, high) > low
    shrinks = _lightest_after(readership, flow, low) < high
    return np.where(grows, 2 * low + 1, np.where(shrinks, 2 * high - 1, 2 * low))


@compiled
def _heaviest_before(readership: Readership, flow: Ints, load: Ints) -> Ints:
    """Return the greatest load of those who can hand on to each subscription, itself included."""
    heaviest = np.full(len(load), -1)
    seen = np.zeros(len(readership.items), np.bool_)
    for origin in np.argsort(-load, kind="mergesort"):
        queue = [origin]
        while len(queue) > 0:
            s = queue.pop()
            if heaviest[s] >= 0:
                continue
            heaviest[s] = load[origin]
            for pair in readership.pairs[readership.first[s] : readership.first[s + 1]]:
                a = readership.audience[pair]
                if flow[pair] > 0 and not seen[a]:
                    seen[a] = True
                    queue.extend(readership.reader[readership.start[a] : readership.start[a + 1]])
    return heaviest


@compiled
def _lightest_after(readership: Readership, flow: Ints, load: Ints) -> Ints:
    """Return the least load of those to whom each subscription can hand on, itself included."""
    lightest = np.full(len(load), -1)
    seen = np.zeros(len(readership.items), np.bool_)
    for origin in np.argsort(load, kind="mergesort"):
        queue = [origin]
        while len(queue) > 0:
            s = queue.pop()
            if lightest[s] >= 0:
                continue
            lightest[s] = load[origin]
            for a in readership.audience[readership.pairs[readership.first[s] : readership.first[s + 1]]]:
                if not seen[a]:
                    seen[a] = True
                    from_, to = readership.start[a], readership.start[a + 1]
                    queue.extend(readership.reader[from_:to][flow[from_:to] > 0])
    return lightest
