"""A good placement: copies come one by one, each by a shortest path (successive shortest paths)."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from kassay.oracles.assignment.level import Ints
from kassay.oracles.assignment.roles.small.exchange import (
    Arcs,
    State,
    again,
    arcs_from,
    join_roles,
    marginal,
    put,
    shorten_arcs,
    worth,
)
from kassay.oracles.assignment.roles.small.weighing import BARRED, Grouped
from kassay.oracles.compiled import compiled, inlined

Bools: TypeAlias = NDArray[np.bool_]
RINGS = 6
"""So often copies are exchanged before one more comes; then it goes where it is cheapest at the moment."""


@compiled
def place_all(of: Grouped, state: State, arcs: Arcs) -> None:
    """Let all copies come; where items keep out of their own way by themselves, that is optimal."""
    nodes = 2 * len(of.size)
    distance, parent, path = (
        np.empty(nodes, np.int64),
        np.empty(nodes, np.int64),
        np.empty(nodes + 1, np.int64),
    )
    stale = np.zeros(nodes, np.bool_)
    for i in range(len(of.standbys)):
        for copy in range(1 + of.standbys[i]):
            for _ in range(RINGS):
                _begin(of, state, i, copy, distance, parent)
                join_roles(arcs.length, state.active, of.slots, of.square[0])
                _shorten(arcs.length, distance, parent)
                length = _path(_end(distance, state.every, of.slots, of.square[1]), parent, path)
                if length > 0:
                    _push(of, state, arcs, i, copy, path[:length], stale)
                elif not _ring(of, state, arcs, -length, path, stale):
                    break
                _refresh(of, state, arcs, stale)
                if length > 0:
                    break
            if state.place[i, copy] < 0:
                _begin(of, state, i, copy, distance, parent)
                for g in range(len(of.size)):
                    if copy == 0:
                        distance[nodes // 2 + g] = distance[g] + marginal(
                            of.square[0], state.active[g], of.slots[g]
                        )
                path[0] = _end(distance, state.every, of.slots, of.square[1])
                _push(of, state, arcs, i, copy, path[:1], stale)
                _refresh(of, state, arcs, stale)


@inlined
def _begin(of: Grouped, state: State, item: int, copy: int, distance: Ints, parent: Ints) -> None:
    """Set the distances to where a copy may come at once."""
    number = len(of.size)
    base, cost = (number, of.standby) if copy else (0, of.active)
    distance[:] = BARRED
    parent[:] = -1
    for g in range(number):
        if state.copies[item, g] < of.size[g]:
            distance[base + g] = cost[item, g]
            if of.same:
                distance[base + g] += again(of.zones, of.same, state.place[item], copy, g)


@inlined
def _end(distance: Ints, every: Ints, slots: Ints, square: int) -> int:
    """Return the node at which one copy more adds least."""
    number, end, least = len(slots), -1, BARRED
    for g in range(number):
        if distance[number + g] < BARRED:
            whole = distance[number + g] + marginal(square, every[g], slots[g])
            if whole < least:
                end, least = number + g, whole
    return end


@inlined
def _refresh(of: Grouped, state: State, arcs: Arcs, stale: Bools) -> None:
    for node in range(len(stale)):
        if stale[node]:
            arcs_from(of, state, node, arcs)
            stale[node] = False


@inlined
def _path(end: int, parent: Ints, path: Ints) -> int:
    """Fill in the nodes from the end of a path to its beginning and return how many; where it is a ring, the ring, and minus that."""
    length, node = 0, end
    while node >= 0 and length < len(path):
        path[length] = node
        length += 1
        node = parent[node]
    if node < 0:
        return length
    length, last = 0, node  # after so many steps this is on the ring
    while length == 0 or node != last:
        path[length] = node
        length += 1
        node = parent[node]
    path[length] = last
    return -length


@compiled
def _ring(of: Grouped, state: State, arcs: Arcs, length: int, path: Ints, stale: Bools) -> bool:
    """Exchange along a ring where that makes what is placed better; return whether it did."""
    before = worth(of, state)
    kept = state.place.copy(), state.copies.copy(), state.active.copy(), state.every.copy()
    for step in range(length, 0, -1):
        _step(of, state, arcs, path[step], path[step - 1], stale)
    if worth(of, state) < before:
        return True
    state.place[:], state.copies[:], state.active[:], state.every[:] = kept
    return False


@inlined
def _shorten(length: Ints, distance: Ints, parent: Ints) -> None:
    """Shorten the distances until none gets shorter, or for a while where paths go round in circles."""
    nodes = len(distance)
    for _ in range(nodes + 2):
        changed = False
        for a in range(nodes):
            from_a = distance[a]
            for b in range(nodes if from_a < BARRED else 0):
                if length[a, b] < BARRED and from_a + length[a, b] < distance[b]:
                    distance[b] = from_a + length[a, b]
                    parent[b] = a
                    changed = True
        if not changed:
            return


@inlined
def _push(of: Grouped, state: State, arcs: Arcs, item: int, copy: int, path: Ints, stale: Bools) -> None:
    """Place a copy where its path begins and move on what the steps of the path say, as long as there is room."""
    number = len(of.size)
    put(state, item, copy, path[-1] % number)
    for other in range(copy):  # arcs of the item's other copies may have been to where there is no room now
        g, base = state.place[item, other], 0 if other == 0 else number
        if of.same or arcs.item[base + g, base + path[-1] % number] == item:
            stale[base + g] = True
    shorten_arcs(of, state, item, copy, arcs)
    for step in range(len(path) - 1, 0, -1):
        if not _step(of, state, arcs, path[step], path[step - 1], stale):
            return


@inlined
def _step(of: Grouped, state: State, arcs: Arcs, a: int, b: int, stale: Bools) -> bool:
    """Move what goes from one node to the other, if it still may."""
    number = len(of.size)
    if a // number != b // number:
        return True
    i, copy, h = arcs.item[a, b], arcs.copy[a, b], b % number
    if state.place[i, copy] != a % number or state.copies[i, h] >= of.size[h]:
        return False
    put(state, i, copy, h)
    stale[a] = True
    _mark(state.place[i], of.standbys[i], stale)
    return True


@inlined
def _mark(place: Ints, standbys: int, stale: Bools) -> None:
    """Mark the nodes whose arcs an item's copies make."""
    for copy in range(1 + standbys):
        if place[copy] >= 0:
            stale[place[copy] if copy == 0 else len(stale) // 2 + place[copy]] = True
