"""Maximum flows between subscriptions: what those above a load can hand on to those below, by way of the audiences.

Dinic's algorithm: number the subscriptions by the least steps from those above; push along steps that count
up until no such way is left; repeat while somebody below is reached.
"""

from typing import NamedTuple

import numpy as np

from kassay.oracles.compiled import compiled
from kassay.oracles.consumer.flow.readership import Readership
from kassay.oracles.consumer.problem import Ints


class _Layers(NamedTuple):
    """Steps from those above to each subscription and each audience (-1: none), and the pairs not yet tried from each."""

    of_reader: Ints
    of_audience: Ints
    next_out: Ints
    next_in: Ints


@compiled
def push(
    readership: Readership, flow: Ints, load: Ints, block: Ints, inside: Ints, target: int, phases: int
) -> bool:
    """Push as much as possible inside a block from the members above a target load to those below it.

    Return whether all was pushed in so many phases.
    """
    layers = _Layers(
        np.full(len(load), -1),
        np.full(len(readership.items), -1),
        np.zeros(len(load), np.int64),
        np.zeros(len(readership.items), np.int64),
    )
    way = np.empty((len(inside) + 1, 2), np.int64)
    while _layer(readership, flow, load, block, inside, target, layers):
        if phases == 0:
            return False
        phases -= 1
        for source in inside:
            while layers.of_reader[source] == 0 and load[source] > target * readership.size[source]:
                steps = _way(readership, flow, load, block, source, target, layers, way)
                if steps < 0:
                    break
                sink = readership.reader[way[steps - 1, 1]]
                amount = min(
                    load[source] - target * readership.size[source],
                    target * readership.size[sink] - load[sink],
                )
                for step in range(steps):
                    amount = min(amount, flow[way[step, 0]])
                for step in range(steps):
                    flow[way[step, 0]] -= amount
                    flow[way[step, 1]] += amount
                load[source] -= amount
                load[sink] += amount
    return True


@compiled
def _layer(
    readership: Readership, flow: Ints, load: Ints, block: Ints, inside: Ints, target: int, layers: _Layers
) -> bool:
    """Fill in the layers, from the subscriptions above the target on; return whether one below is reached."""
    _clear(readership, inside, layers)
    queue = np.empty(len(inside), np.int64)
    length, done, found = 0, 0, -1
    for s in inside:
        if load[s] > target * readership.size[s]:
            layers.of_reader[s] = 0
            queue[length] = s
            length += 1
    while done < length:
        s = queue[done]
        done += 1
        if 0 <= found <= layers.of_reader[s]:
            break
        for pair in readership.pairs[readership.first[s] : readership.first[s + 1]]:
            a = readership.audience[pair]
            if flow[pair] > 0 and layers.of_audience[a] < 0:
                layers.of_audience[a] = layers.of_reader[s]
                for taker in readership.reader[readership.start[a] : readership.start[a + 1]]:
                    if block[taker] == block[s] and layers.of_reader[taker] < 0:
                        layers.of_reader[taker] = layers.of_reader[s] + 1
                        queue[length] = taker
                        length += 1
                        if load[taker] < target * readership.size[taker]:
                            found = layers.of_reader[taker]
    return found >= 0


@compiled
def _clear(readership: Readership, inside: Ints, layers: _Layers) -> None:
    for a in range(len(layers.of_audience)):
        layers.of_audience[a] = -1
        layers.next_in[a] = readership.start[a]
    for s in inside:
        layers.of_reader[s] = -1
        layers.next_out[s] = readership.first[s]


@compiled
def _way(
    readership: Readership,
    flow: Ints,
    load: Ints,
    block: Ints,
    source: int,
    target: int,
    layers: _Layers,
    way: Ints,
) -> int:
    """Fill in a way from a source to a subscription below the target; return its steps, -1 where none is left.

    A row for each step: the pair out of a subscription, and the pair into the next one.
    """
    s, steps = source, 0
    while load[s] >= target * readership.size[s]:
        pair = _next(readership, flow, block, s, layers)
        if pair >= 0:
            way[steps, 0] = readership.pairs[layers.next_out[s]]
            way[steps, 1] = pair
            steps += 1
            s = readership.reader[pair]
        else:
            layers.of_reader[s] = -2
            if steps == 0:
                return -1
            steps -= 1
            s = readership.reader[way[steps, 0]]
    return steps


@compiled
def _next(readership: Readership, flow: Ints, block: Ints, s: int, layers: _Layers) -> int:
    """Return a pair into the layer after s, whose audience is that of the next pair out of s; -1 where none is left."""
    while layers.next_out[s] < readership.first[s + 1]:
        pair = readership.pairs[layers.next_out[s]]
        a = readership.audience[pair]
        if flow[pair] > 0 and layers.of_audience[a] == layers.of_reader[s]:
            while layers.next_in[a] < readership.start[a + 1]:
                taker = readership.reader[layers.next_in[a]]
                if block[taker] == block[s] and layers.of_reader[taker] == layers.of_reader[s] + 1:
                    return int(layers.next_in[a])
                layers.next_in[a] += 1
        layers.next_out[s] += 1
    return -1
