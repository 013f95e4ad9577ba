"""The exact optimum of small problems, by shortest paths between members.

The members are the nodes. Handing item i from its owner a to b changes the cost by c(i, b) - c(i, a), and the
cheapest such change is the length of the arc a -> b. One more node, the *slack node*, stands for "one item more or
less". The arc from b to it costs the increase of the sum of squared loads by one more item at b (2l + 1). The arc
from it to a saves the decrease by one item less at a (2l - 1). An assignment is optimal if and only if no cycle has
negative length, because the load costs are convex and the rest is a flow. The distances to the members are then
their prices.

Items are added one by one, and each takes a shortest path to the slack node, which moves other items (successive
shortest paths). So the assignment of the added items is always optimal. O(copies * items * members^2 * steps of a path).
"""

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from second_opinions.cost_matrix import BARRED

from kassay.oracles.assignment.problem import Ints
from kassay.oracles.compiled import compile_function

Bools: TypeAlias = NDArray[np.bool_]


class State(NamedTuple):
    """The current assignment: items by members, each member's items in any order, loads; arcs between members, and their items."""

    held: Bools
    bag: Ints
    load: Ints
    arc: Ints
    via: Ints


@compile_function
def successive_shortest_paths(cost: Ints, square: int, copies: int, owners: Ints, prices: Ints) -> None:
    """Fill `owners` (items x copies) with a least ``sum of costs + square * sum of load^2``, `prices` with its proof.

    `cost` is items x members, BARRED where a member may not hold an item; `copies` members or more may hold
    each.
    """
    state = begun(cost)
    place(cost, square, copies, 0, len(cost), state)
    price(square, state, prices)
    seat(state, owners)


@compile_function
def begun(cost: Ints) -> State:
    """Return the state without any assigned item."""
    items, members = cost.shape
    return State(
        np.zeros((items, members), np.bool_),
        np.empty((members, items), np.int64),
        np.zeros(members, np.int64),
        np.full((members + 1, members + 1), BARRED),
        np.full((members, members), -1),
    )


@compile_function
def place(cost: Ints, square: int, copies: int, first: int, last: int, state: State) -> None:
    """Let items `first` to `last` - 1 come in an optimal state; it stays optimal."""
    members = cost.shape[1]
    distance = np.empty(members + 1, np.int64)
    parent = np.empty(members + 1, np.int64)
    stale = np.zeros(members, np.bool_)
    for i in range(first, last):
        for _ in range(copies):
            for m in range(members):
                distance[m] = BARRED if state.held[i, m] else cost[i, m]
            _shorten(state.arc, members, distance, parent)
            end = _end(distance, state.load, square)
            _hand_on(i, end, parent, state.via, state.held, state.bag, state.load, stale)
            for m in range(members):
                if stale[m]:
                    _arcs_from(cost, state.held, state.bag, state.load, m, state.arc, state.via)
                    stale[m] = False


@compile_function
def price(square: int, state: State, prices: Ints) -> None:
    """Fill in the prices that prove an optimal state."""
    members = len(prices)
    distance = np.zeros(members + 1, np.int64)
    join_slack(state.load, square, state.arc)
    _shorten(state.arc, members + 1, distance, np.empty(members + 1, np.int64))
    for m in range(members):
        prices[m] = distance[members] - distance[m]


@compile_function
def seat(state: State, owners: Ints) -> None:
    """Fill in each item's owners."""
    for i in range(len(owners)):
        copy = 0
        for m in range(len(state.load)):
            if state.held[i, m]:
                owners[i, copy] = m
                copy += 1


@compile_function
def _end(distance: Ints, load: Ints, square: int) -> int:
    """Return the member from which the slack node is nearest."""
    end, least = -1, BARRED
    for m in range(len(load)):
        if distance[m] < BARRED and distance[m] + square * (2 * load[m] + 1) < least:
            end, least = m, distance[m] + square * (2 * load[m] + 1)
    return end


@compile_function
def _hand_on(
    item: int, end: int, parent: Ints, via: Ints, held: Bools, bag: Ints, load: Ints, stale: Bools
) -> None:
    """Give the item to the first member of a path, and move on what each step of it says, the last step first.

    Marks as stale all members whose arcs may have changed: the members on the path, and the other owners of the moved
    items.
    """
    taker = end
    while taker >= 0:
        giver = parent[taker]
        moved = item
        if giver >= 0:
            moved = via[giver, taker]
            held[moved, giver] = False
            load[giver] -= 1
            at = 0
            while bag[giver, at] != moved:
                at += 1
            bag[giver, at] = bag[giver, load[giver]]
            stale[giver] = True
        held[moved, taker] = True
        bag[taker, load[taker]] = moved
        load[taker] += 1
        for m in range(len(stale)):
            stale[m] |= held[moved, m]
        taker = giver


@compile_function
def _shorten(arc: Ints, nodes: int, distance: Ints, parent: Ints) -> None:
    """Shorten the distances along the arcs until none gets shorter; there must be no negative cycle."""
    parent[:nodes] = -1
    changed = True
    while changed:
        changed = False
        for a in range(nodes):
            if distance[a] < BARRED:
                for b in range(nodes):
                    if arc[a, b] < BARRED and distance[a] + arc[a, b] < distance[b]:
                        distance[b] = distance[a] + arc[a, b]
                        parent[b] = a
                        changed = True


@compile_function
def _arcs_from(cost: Ints, held: Bools, bag: Ints, load: Ints, a: int, arc: Ints, via: Ints) -> None:
    members = cost.shape[1]
    arc[a, :members] = BARRED
    for at in range(load[a]):
        i = bag[a, at]
        for b in range(members):
            if cost[i, b] < BARRED and not held[i, b] and cost[i, b] - cost[i, a] < arc[a, b]:
                arc[a, b] = cost[i, b] - cost[i, a]
                via[a, b] = i


@compile_function
def join_slack(load: Ints, square: int, arc: Ints) -> None:
    """Set the arcs from and to the slack node."""
    slack = len(load)
    arc[slack, slack] = 0
    for m in range(slack):
        arc[m, slack] = square * (2 * load[m] + 1)
        arc[slack, m] = -square * (2 * load[m] - 1) if load[m] else BARRED


@compile_function
def join_members(cost: Ints, owners: Ints, arc: Ints) -> None:
    """Set the arcs between the members for any legal assignment."""
    items, members = cost.shape
    arc[:members, :members] = BARRED
    for i in range(items):
        for a in owners[i]:
            here = cost[i, a]
            if owners.shape[1] == 1:
                for b in range(members):
                    arc[a, b] = min(arc[a, b], cost[i, b] - here)
            else:
                for b in range(members):
                    if not (owners[i] == b).any():
                        arc[a, b] = min(arc[a, b], cost[i, b] - here)


@compile_function
def distances(arc: Ints, distance: Ints) -> bool:
    """Fill in the distances from a point joined to all nodes at length 0; return whether no cycle is negative."""
    nodes = len(arc)
    distance[:] = 0
    for _ in range(nodes + 1):
        changed = 0
        for a in range(nodes):
            from_a = distance[a]
            for b in range(nodes):
                nearer = min(distance[b], from_a + arc[a, b])
                changed |= nearer ^ distance[b]
                distance[b] = nearer
        if changed == 0:
            return True
    return False
