"""Copies in groups: their total cost, a good placement, and prices of copies with their bound.

Moves of one copy each can shift a surplus of one copy between groups. These moves are arcs of a graph. Group g of G
has two nodes: node g stands for one active copy too many, node G + g for one copy of any role. Between the two an
active copy is counted as a copy, at the cost that it adds to the squared loads of active copies. The last node
absorbs copies and gives them back, at the cost that they add to the squared loads of all copies.

Each copy is placed where it is cheapest at the moment. Then copies are exchanged along cycles of moves while one
gains (cycle canceling). In the end copies are dealt in turn to the members of each group, and copies of one item on
one member are exchanged with others.
"""

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kassay.oracles.assignment.active_standby.small_batch import BARRED, WIDTH, Grouped
from kassay.oracles.assignment.active_standby.small_check import count_met
from kassay.oracles.assignment.problem import Ints
from kassay.oracles.compiled import compile_function, inline_function

Bools: TypeAlias = NDArray[np.bool_]
Numbers: TypeAlias = NDArray[Any]
"""Prices, as floats or integers."""
NEAR = 1e-3
"""The greatest distance of a price from an integer that still counts as one."""
UNITS = 60
"""The greatest common denominator of prices."""
ROUNDS = 200
"""The limit of searches for cycles."""


class State(NamedTuple):
    """The group of each item's copies, its active copy first, or -1; the number of its copies in each group; loads."""

    place: Ints
    copies: Ints
    active: Ints
    every: Ints


class Arcs(NamedTuple):
    """The distances between nodes, the item whose copy moves, which copy; the nodes whose arcs must be computed again."""

    length: Ints
    item: Ints
    copy: Ints
    stale: Bools


@compile_function
def create_state(of: Grouped) -> tuple[State, Arcs]:
    """Return the state in which no copy is placed, and no arcs."""
    _, items, number = of.cost.shape
    nodes = 2 * number + 1
    state = State(
        np.full((items, WIDTH), -1), np.zeros((items, number), np.int64), np.zeros(number, np.int64), np.zeros(number, np.int64)
    )  # fmt: skip
    return state, Arcs(
        np.full((nodes, nodes), BARRED), np.full((nodes, nodes), -1), np.full((nodes, nodes), -1),
        np.ones(nodes, np.bool_),
    )  # fmt: skip


@inline_function
def put(state: State, item: int, copy: int, group: int) -> None:
    """Move a copy to a group, from its group or from none."""
    before = state.place[item, copy]
    if before >= 0:
        state.copies[item, before] -= 1
        state.every[before] -= 1
        if copy == 0:
            state.active[before] -= 1
    state.place[item, copy] = group
    state.copies[item, group] += 1
    state.every[group] += 1
    if copy == 0:
        state.active[group] += 1


@inline_function
def compute_collision_cost(zones: Ints, same: int, place: Ints, item: int, copy: int, group: int) -> int:
    """Return the cost of a copy's collisions in a group, at `same` each, with its item's other copies (-1 for not placed)."""
    total = 0
    for tag in range(len(zones) if same else 0):
        zone = zones[tag, group]
        if zone >= 0:
            for other in range(WIDTH):
                if other != copy and place[item, other] >= 0 and zones[tag, place[item, other]] == zone:
                    total += same
                    break
    return total


@inline_function
def compute_pattern_cost(of: Grouped, item: int, place: Ints, row: int) -> int:
    """Return the cost of an item's copies at the places in a row."""
    total = 0
    for copy in range(1 + of.standbys[item]):
        total += of.cost[min(copy, 1), item, place[row, copy]]
        for tag in range(len(of.zones) if of.same else 0):
            zone = of.zones[tag, place[row, copy]]
            for other in range(copy if zone >= 0 else 0):
                if of.zones[tag, place[row, other]] == zone:
                    total += of.same
                    break
    return total


@inline_function
def compute_step(square: int, load: int, size: int) -> int:
    """Return the cost that one more copy in a group of `size` members adds to their squared loads."""
    return square * (2 * (load // size) + 1)


@compile_function
def compute_value(of: Grouped, state: State) -> int:
    """Return the weighted sum of all levels."""
    total = 0
    for g in range(len(of.size)):
        for role in range(2):
            load, size = state.active[g] if role == 0 else state.every[g], of.size[g]
            each, more = load // size, load % size
            total += of.square[role, g] * (size * each * each + more * (2 * each + 1))
    for i in range(len(state.place)):
        total += compute_pattern_cost(of, i, state.place, i)
    return total


@compile_function
def refresh(of: Grouped, state: State, arcs: Arcs) -> None:
    """Compute the shortest arcs from stale nodes again, and the arcs of loads."""
    number, cost, zones, same, size, standbys = len(of.size), of.cost, of.zones, of.same, of.size, of.standbys
    place, copies, length, stale = state.place, state.copies, arcs.length, arcs.stale
    for node in range(2 * number):
        base = number * (node >= number)
        for h in range(base, base + number if stale[node] else 0):
            length[node, h] = BARRED
    for i in range(len(place)):
        for copy in range(1 + standbys[i]):
            role, g = min(copy, 1), place[i, copy]
            node, base = role * number + g, role * number
            if not stale[node]:
                continue
            here = cost[role, i, g] + compute_collision_cost(zones, same, place, i, copy, g)
            for h in range(number):
                if h != g and copies[i, h] < size[h]:
                    longer = cost[role, i, h] - here + compute_collision_cost(zones, same, place, i, copy, h)
                    if longer < length[node, base + h]:
                        length[node, base + h] = longer
                        arcs.item[node, base + h], arcs.copy[node, base + h] = i, copy
    stale[:] = False
    sink = 2 * number
    for g in range(number):
        active, every, one, all_ = state.active[g], state.every[g], of.square[0, g], of.square[1, g]
        length[g, number + g] = compute_step(one, active, size[g])
        length[number + g, g] = -compute_step(one, active - 1, size[g]) if active else BARRED
        length[number + g, sink] = compute_step(all_, every, size[g])
        length[sink, number + g] = -compute_step(all_, every - 1, size[g]) if every else BARRED


@inline_function
def find_cheapest(of: Grouped, item: int, price: Numbers, place: Ints) -> Any:
    """Return the least payment of an item, cost plus prices, and fill in its places."""
    number, standbys, cost, size = len(of.size), of.standbys[item], of.cost, of.size
    same, zones = of.same, of.zones
    best, floor = price[0] * 0 + BARRED, _find_floor(cost, item, price)
    for g in range(number):
        one = cost[0, item, g] + price[g] + price[number + g]
        if one + standbys * floor >= best:
            continue
        for h in range(number if standbys else 1):
            total = one
            if standbys:
                total += cost[1, item, h] + price[number + h]
                if total + (standbys - 1) * floor >= best or (h == g and size[g] < 2):
                    continue
                total += same * count_met(zones, h, g, g)
            for k in range(h if standbys == 2 else number - 1, number):
                least = total
                if standbys == 2:
                    least += cost[1, item, k] + price[number + k]
                    if least >= best or 1 + (k == g) + (k == h) > size[k]:
                        continue
                    least += same * count_met(zones, k, g, h)
                if least < best:
                    best = least
                    place[0], place[1], place[2] = g, h, k
    return best


@inline_function
def _find_floor(cost: Ints, item: int, price: Numbers) -> Any:
    """Return a lower bound of the payment of each of an item's standbys."""
    number = cost.shape[2]
    least = price[0] * 0 + BARRED
    for h in range(number):
        least = min(least, cost[1, item, h] + price[number + h])
    return least


@inline_function
def compute_payment(of: Grouped, item: int, place: Ints, price: Numbers) -> Any:
    """Return the payment of an item at its places, one row for each item."""
    number = len(of.size)
    total = price[0] * 0 + compute_pattern_cost(of, item, place, item) + price[place[item, 0]]
    for copy in range(1 + of.standbys[item]):
        total += price[number + place[item, copy]]
    return total


@compile_function
def is_optimal(of: Grouped, state: State, price: Ints) -> bool:
    """Return True if every item has its least payment."""
    place = np.empty(WIDTH, np.int64)
    for i in range(len(state.place)):
        if find_cheapest(of, i, price, place) < compute_payment(of, i, state.place, price):
            return False
    return True


@compile_function
def set_whole_prices(exact: NDArray[np.float64], price: Ints) -> int:
    """Fill in prices as integers over a unit, and return the unit; rounded if no unit up to UNITS fits."""
    for unit in range(1, UNITS + 1):
        fits = True
        for n in range(len(exact)):
            over = exact[n] * unit
            fits = fits and abs(over - np.rint(over)) <= NEAR
        if fits or unit == UNITS:
            for n in range(len(exact)):
                price[n] = np.int64(np.rint(exact[n] * unit))
            return unit
    return 0


@compile_function
def compute_bound(of: Grouped, unit: int, price: Ints) -> int:
    """Return the lower bound of the weighted sum, rounded up: the least payments of items plus the least surplus of groups."""
    number = len(of.size)
    scaled = Grouped(
        of.cost * unit, of.standbys, of.size, of.zones, of.same * unit, of.square * unit
    )  # fmt: skip
    total = 0
    place = np.empty(WIDTH, np.int64)
    for i in range(len(of.standbys)):
        total += find_cheapest(scaled, i, price, place)
    copies = len(of.standbys) + of.standbys.sum()
    for n in range(2 * number):
        square, size = scaled.square[n // number, n % number], of.size[n % number]
        if square:
            layers = max(0, (price[n] + square) // (2 * square))
            total += size * (square * layers - price[n]) * layers
        else:
            total += min(0, -price[n] * copies)
    return -(-total // unit)


@compile_function
def exchange_all(of: Grouped, state: State, arcs: Arcs, price: Ints) -> bool:
    """Exchange along cycles; fill in prices, of active copies and then of all copies, and return True if no cycle gains any more.

    Prices are distances to the node that absorbs copies. If items do not interfere with themselves, they prove an
    optimum.
    """
    number = len(of.size)
    nodes = 2 * number + 1
    distance, parent = np.zeros(nodes, np.int64), np.empty(nodes, np.int64)
    seen = np.empty(nodes, np.int64)
    for _ in range(ROUNDS):
        refresh(of, state, arcs)
        if not _find_cycles(arcs.length, distance, parent, seen):
            for g in range(number):
                price[g] = distance[number + g] - distance[g]
                price[number + g] = distance[2 * number] - distance[number + g]
            return True
        for node in range(nodes):
            if seen[node] == -2:
                _exchange_along(of, state, arcs, node, parent)
    return False


@compile_function
def place_all(of: Grouped, state: State) -> None:
    """Place copies one by one where they add least."""
    number, cost, copies = len(of.size), of.cost, state.copies
    place, size, zones, same = state.place, of.size, of.zones, of.same
    adds = np.empty(
        (2, number), np.int64
    )  # the additional squared loads of one more active copy, one more standby
    for g in range(number):
        adds[1, g] = of.square[1, g]
        adds[0, g] = of.square[0, g] + of.square[1, g]
    for i in range(len(of.standbys)):
        for copy in range(1 + of.standbys[i]):
            role, best, least = min(copy, 1), -1, BARRED
            for g in range(number):
                one = cost[role, i, g] + adds[role, g]
                if one < least and copies[i, g] < size[g]:
                    one += compute_collision_cost(zones, same, place, i, copy, g)
                    if one < least:
                        best, least = g, one
            put(state, i, copy, best)
            adds[1, best] = compute_step(of.square[1, best], state.every[best], size[best])
            adds[0, best] = adds[1, best] + compute_step(of.square[0, best], state.active[best], size[best])


@inline_function
def _find_cycles(length: Ints, distance: Ints, parent: Ints, seen: Ints) -> bool:
    """Shorten distances until none gets shorter, or until paths are cycles: then one node of each is marked -2 in `seen`."""
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


@compile_function
def _exchange_along(of: Grouped, state: State, arcs: Arcs, start: int, parent: Ints) -> None:
    """Exchange along a cycle if that improves the placement; else bar one of its arcs."""
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
                adds -= of.cost[min(copy, 1), i, g] + compute_collision_cost(zones, same, place, i, copy, g)
                put(state, i, copy, h)
                adds += of.cost[min(copy, 1), i, h] + compute_collision_cost(zones, same, place, i, copy, h)
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


@compile_function
def deal_copies(standbys: Ints, state: State, group_of: Ints, owners: Ints) -> bool:
    """Fill in the member of each copy, balanced by active copies and by all copies; return True if no item has two copies on one member."""
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
            if not _set_apart(standbys, group_of, owners, i, copy):
                return False
    return True


@compile_function
def _set_apart(standbys: Ints, group_of: Ints, owners: Ints, item: int, copy: int) -> bool:
    """Exchange a copy, or the earlier copy of its item on the same member; return True if they are on different members now."""
    for other in range(copy):
        if owners[item, other] == owners[item, copy] and not (
            _try_exchange(standbys, group_of, owners, item, copy)
            or _try_exchange(standbys, group_of, owners, item, other)
        ):
            return False
    return True


@compile_function
def _try_exchange(standbys: Ints, group_of: Ints, owners: Ints, item: int, copy: int) -> bool:
    """Exchange a copy with one of the same role on another member of the group, if neither item has a copy there already."""
    here = owners[item, copy]
    role = min(copy, 1)
    for i in range(len(standbys)):
        if i == item or _has_copy(standbys, owners, i, here):
            continue
        for other in range(role, 1 + role * standbys[i]):
            there = owners[i, other]
            if group_of[there] == group_of[here] and not _has_copy(standbys, owners, item, there):
                owners[item, copy], owners[i, other] = there, here
                return True
    return False


@compile_function
def _has_copy(standbys: Ints, owners: Ints, item: int, member: int) -> bool:
    held = False
    for copy in range(1 + standbys[item]):
        held = held or owners[item, copy] == member
    return held
