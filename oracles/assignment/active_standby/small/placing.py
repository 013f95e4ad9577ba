"""A good placement: each copy where it is cheapest at the moment, then exchanges along rings of moves while one gains (cycle canceling).

From groups back to members: copies are dealt round and round, and those of one item that meet are exchanged with others.
"""

import numpy as np

from kassay.oracles.assignment.active_standby.small.batch import BARRED, Grouped
from kassay.oracles.assignment.active_standby.small.exchange import Arcs, State, again, marginal, put, refresh
from kassay.oracles.assignment.problem import Ints
from kassay.oracles.compiled import compiled, inlined

ROUNDS = 200
"""So often rings are looked for at most."""


@compiled
def exchange_all(of: Grouped, state: State, arcs: Arcs, price: Ints) -> bool:
    """Exchange along rings; fill in prices, of actives and then of all copies, and return True where no ring gains any more.

    Prices are distances to the node that takes copies in; where items keep out of their own way, they prove an optimum.
    """
    number = len(of.size)
    nodes = 2 * number + 1
    distance, parent = np.zeros(nodes, np.int64), np.empty(nodes, np.int64)
    seen = np.empty(nodes, np.int64)
    for _ in range(ROUNDS):
        refresh(of, state, arcs)
        if not _ringed(arcs.length, distance, parent, seen):
            for g in range(number):
                price[g] = distance[number + g] - distance[g]
                price[number + g] = distance[2 * number] - distance[number + g]
            return True
        for node in range(nodes):
            if seen[node] == -2:
                _ring(of, state, arcs, node, parent)
    return False


@compiled
def place_all(of: Grouped, state: State) -> None:
    """Place copies one by one where they add least."""
    number, cost, copies = len(of.size), of.cost, state.copies
    place, size, zones, same = state.place, of.size, of.zones, of.same
    adds = np.empty((2, number), np.int64)  # to squared loads, by an active copy more and by a standby more
    for g in range(number):
        adds[1, g] = of.square[1, g]
        adds[0, g] = of.square[0, g] + of.square[1, g]
    for i in range(len(of.standbys)):
        for copy in range(1 + of.standbys[i]):
            role, best, least = min(copy, 1), -1, BARRED
            for g in range(number):
                one = cost[role, i, g] + adds[role, g]
                if one < least and copies[i, g] < size[g]:
                    one += again(zones, same, place, i, copy, g)
                    if one < least:
                        best, least = g, one
            put(state, i, copy, best)
            adds[1, best] = marginal(of.square[1, best], state.every[best], size[best])
            adds[0, best] = adds[1, best] + marginal(of.square[0, best], state.active[best], size[best])


@inlined
def _ringed(length: Ints, distance: Ints, parent: Ints, seen: Ints) -> bool:
    """Shorten distances until none gets shorter, or until paths go round in rings: then one node of each is marked -2 in `seen`."""
    nodes = len(distance)
    parent[:] = -1
    while True:
        changed = False
        for a in range(nodes):
            from_a = distance[a]
            for b in range(nodes):
                to_b = from_a + length[a, b]
                if to_b < distance[b]:
                    distance[b], parent[b] = to_b, a
                    changed = True
        if not changed:
            return False
        seen[:] = -1
        rings = False
        for start in range(nodes):
            node = start
            while node >= 0 and seen[node] == -1:
                seen[node] = start
                node = parent[node]
            if node >= 0 and seen[node] == start:
                seen[node] = -2
                rings = True
        if rings:
            return True


@compiled
def _ring(of: Grouped, state: State, arcs: Arcs, start: int, parent: Ints) -> None:
    """Exchange along a ring where that makes what is placed better; else bar one of its arcs."""
    number, same, zones, place = len(of.size), of.same, of.zones, state.place
    adds, b, done, fits = 0, start, 0, True
    while fits and (b != start or not done):
        a, done = parent[b], done + 1
        if a // number != b // number:  # only loads differ
            adds += arcs.length[a, b]
        else:
            i, copy, g, h = arcs.item[a, b], arcs.copy[a, b], a % number, b % number
            fits = place[i, copy] == g and state.copies[i, h] < of.size[h]
            if fits:
                adds -= of.cost[min(copy, 1), i, g] + again(zones, same, place, i, copy, g)
                put(state, i, copy, h)
                adds += of.cost[min(copy, 1), i, h] + again(zones, same, place, i, copy, h)
            last = a, b
        b = a
    gains, b = fits and adds < 0, start
    for step in range(done):
        a = parent[b]
        if a // number == b // number and (fits or step < done - 1):
            i, copy = arcs.item[a, b], arcs.copy[a, b]
            if gains:
                arcs.stale[a] = True
                for other in range(1 + of.standbys[i]):
                    arcs.stale[place[i, other] + (number if other else 0)] = True
            else:
                put(state, i, copy, a % number)
        b = a
    if not gains:
        arcs.length[last] = BARRED


@compiled
def dealt(standbys: Ints, state: State, group_of: Ints, owners: Ints) -> bool:
    """Fill in the member of each copy, evenly by actives and by all copies; return whether no item is anywhere twice."""
    for g in range(len(state.active)):
        members = np.flatnonzero(group_of == g)
        turn = 0
        for role in range(2):
            for i in range(len(standbys)):
                for copy in range(role, 1 + role * standbys[i] if state.copies[i, g] else 0):
                    if state.place[i, copy] == g:
                        owners[i, copy] = members[turn % len(members)]
                        turn += 1
    for i in range(len(standbys)):
        for copy in range(1, 1 + standbys[i]):
            if not _alone(standbys, group_of, owners, i, copy):
                return False
    return True


@compiled
def _alone(standbys: Ints, group_of: Ints, owners: Ints, item: int, copy: int) -> bool:
    """Exchange a copy, or an earlier one of its item that it meets; return whether it meets none any more."""
    for other in range(copy):
        if owners[item, other] == owners[item, copy] and not (
            _exchanged(standbys, group_of, owners, item, copy)
            or _exchanged(standbys, group_of, owners, item, other)
        ):
            return False
    return True


@compiled
def _exchanged(standbys: Ints, group_of: Ints, owners: Ints, item: int, copy: int) -> bool:
    """Exchange a copy with one of the same role at another member of the group, so that no item of the two is there already."""
    here = owners[item, copy]
    role = min(copy, 1)
    for i in range(len(standbys)):
        if i == item or _has(standbys, owners, i, here):
            continue
        for other in range(role, 1 + role * standbys[i]):
            there = owners[i, other]
            if group_of[there] == group_of[here] and not _has(standbys, owners, item, there):
                owners[item, copy], owners[i, other] = there, here
                return True
    return False


@compiled
def _has(standbys: Ints, owners: Ints, item: int, member: int) -> bool:
    held = False
    for copy in range(1 + standbys[item]):
        held = held or owners[item, copy] == member
    return held
