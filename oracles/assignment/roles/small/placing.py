"""A good placement: copies come one by one, each by a shortest path (successive shortest paths)."""

import numpy as np

from kassay.oracles.assignment.level import Ints
from kassay.oracles.assignment.roles.small.exchange import Arcs, State, arcs_from, cost, marginal, put, worth
from kassay.oracles.assignment.roles.small.weighing import BARRED, Grouped
from kassay.oracles.compiled import compiled

RINGS = 6


@compiled
def place_all(of: Grouped, state: State, arcs: Arcs) -> None:
    """Let all copies come; where items keep out of their own way by themselves, that is optimal."""
    items, number = of.active.shape
    distance = np.empty(2 * number, np.int64)
    parent = np.empty(2 * number, np.int64)
    path = np.empty(2 * number + 2, np.int64)
    stale = np.zeros(2 * number, np.bool_)
    for i in range(items):
        for copy in range(1 + of.standbys[i]):
            for turn in range(RINGS):
                distance[:] = BARRED
                parent[:] = -1
                for g in range(number):
                    if state.count[i, g] < of.size[g]:
                        distance[g if copy == 0 else number + g] = cost(of, state, i, copy, g)
                if turn < RINGS - 1:
                    _shorten(of, state, arcs.length, distance, parent)
                end, least = -1, BARRED
                for g in range(number):
                    through = 0 if turn < RINGS - 1 or copy else marginal(of.square[0], state.active[g], of.slots[g])
                    node = g if turn == RINGS - 1 and copy == 0 else number + g
                    if distance[node] < BARRED:
                        whole = distance[node] + through + marginal(of.square[1], state.every[g], of.slots[g])
                        if whole < least:
                            end, least = node, whole
                length = _path(end, parent, path)
                if length > 0:
                    _push(of, state, arcs, i, copy, path[:length], stale)
                elif not _ring(of, state, arcs, -length, path, stale):
                    continue
                for node in range(2 * number):
                    if stale[node]:
                        arcs_from(of, state, node, arcs)
                        stale[node] = False
                if length > 0:
                    break


@compiled
def _path(end: int, parent: Ints, path: Ints) -> int:
    """Fill in the nodes from the end of a path to its beginning and return how many; where it is a ring, the ring, and minus that."""
    seen = np.zeros(len(parent), np.bool_)
    length, node = 0, end
    while node >= 0 and not seen[node]:
        seen[node] = True
        path[length] = node
        length += 1
        node = parent[node]
    if node < 0:
        return length
    length, last = 0, node
    while length == 0 or node != last:
        path[length] = node
        length += 1
        node = parent[node]
    path[length] = last
    return -length


@compiled
def _ring(of: Grouped, state: State, arcs: Arcs, length: int, path: Ints, stale: Ints) -> bool:
    """Exchange along a ring where that makes what is placed better; return whether it did."""
    number = len(of.size)
    before = worth(of, state)
    kept = state.place.copy(), state.count.copy(), state.active.copy(), state.every.copy()
    for step in range(length, 0, -1):
        _step(of, state, arcs, path[step], path[step - 1], stale)
    if worth(of, state) < before:
        return True
    state.place[:], state.count[:], state.active[:], state.every[:] = kept
    return False


@compiled
def _shorten(of: Grouped, state: State, length: Ints, distance: Ints, parent: Ints) -> None:
    """Shorten the distances until none gets shorter, or for a while where paths go round in circles."""
    number = len(of.size)
    for _ in range(2 * number + 2):
        changed = False
        for base in (0, number):
            for a in range(base, base + number):
                from_a = distance[a]
                if from_a < BARRED:
                    for b in range(base, base + number):
                        if length[a, b] < BARRED and from_a + length[a, b] < distance[b]:
                            distance[b] = from_a + length[a, b]
                            parent[b] = a
                            changed = True
            if base == 0:
                for g in range(number):
                    if distance[g] < BARRED:
                        through = distance[g] + marginal(of.square[0], state.active[g], of.slots[g])
                        if through < distance[number + g]:
                            distance[number + g] = through
                            parent[number + g] = g
                            changed = True
        for g in range(number):
            if distance[number + g] < BARRED and state.active[g]:
                through = distance[number + g] - marginal(of.square[0], state.active[g] - 1, of.slots[g])
                if through < distance[g]:
                    distance[g] = through
                    parent[g] = number + g
                    changed = True
        if not changed:
            return


@compiled
def _push(of: Grouped, state: State, arcs: Arcs, item: int, copy: int, path: Ints, stale: Ints) -> None:
    """Place a copy where its path begins and move on what the steps of the path say, as long as there is room."""
    put(state, item, copy, path[-1] % len(of.size))
    _mark(of, state, item, stale)
    for step in range(len(path) - 1, 0, -1):
        if not _step(of, state, arcs, path[step], path[step - 1], stale):
            return


@compiled
def _step(of: Grouped, state: State, arcs: Arcs, a: int, b: int, stale: Ints) -> bool:
    """Move what goes from one node to the other, if it still may."""
    number = len(of.size)
    if a // number != b // number:
        return True
    i, copy, h = arcs.item[a, b], arcs.copy[a, b], b % number
    if state.place[i, copy] != a % number or state.count[i, h] >= of.size[h]:
        return False
    put(state, i, copy, h)
    stale[a] = True
    _mark(of, state, i, stale)
    return True


@compiled
def _mark(of: Grouped, state: State, item: int, stale: Ints) -> None:
    """Mark the nodes whose arcs an item's copies make."""
    number = len(of.size)
    for copy in range(1 + of.standbys[item]):
        g = state.place[item, copy]
        if g >= 0:
            stale[g if copy == 0 else number + g] = True
