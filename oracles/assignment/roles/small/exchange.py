"""Copies in groups, what they cost together, and by which moves of one copy each there could be one more or one less in a group.

These moves are arcs of a graph. Group g of G has two nodes: at node g there is an active copy too many, at node G + g a copy of
any role. Between the two an active copy is counted as a copy, at what that adds to the squared loads of actives.
"""

from typing import NamedTuple

import numpy as np

from kassay.oracles.assignment.level import Ints
from kassay.oracles.assignment.roles.small.batch import WIDTH
from kassay.oracles.assignment.roles.small.weighing import BARRED, Grouped
from kassay.oracles.compiled import compiled, inlined


class State(NamedTuple):
    """The group of each item's copies, its active first, -1 where none is; how many each group has of an item; loads."""

    place: Ints
    copies: Ints
    active: Ints
    every: Ints


class Arcs(NamedTuple):
    """How long it is from node to node, the item whose copy moves, and which copy."""

    length: Ints
    item: Ints
    copy: Ints


@compiled
def begun(of: Grouped) -> tuple[State, Arcs]:
    """Return the state in which no copy is anywhere, and no arcs."""
    items, number = of.active.shape
    nodes = 2 * number + 1
    state = State(
        np.full((items, WIDTH), -1), np.zeros((items, number), np.int64), np.zeros(number, np.int64), np.zeros(number, np.int64)
    )  # fmt: skip
    return state, Arcs(
        np.full((nodes, nodes), BARRED), np.full((nodes, nodes), -1), np.full((nodes, nodes), -1)
    )


@inlined
def put(state: State, item: int, copy: int, group: int) -> None:
    """Move a copy to a group, from where it is or from nowhere."""
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


@inlined
def again(zones: Ints, same: int, place: Ints, copy: int, group: int) -> int:
    """Return what a copy's collisions cost in a group, at `same` each, with its item's other copies at their places (-1 for nowhere)."""
    total = 0
    for tag in range(len(zones)):
        zone = zones[tag, group]
        if zone >= 0:
            for other in range(len(place)):
                if other != copy and place[other] >= 0 and zones[tag, place[other]] == zone:
                    total += same
                    break
    return total


@compiled
def pattern_cost(of: Grouped, item: int, place: Ints) -> int:
    """Return what an item's copies cost at their places, -1 for nowhere."""
    total = 0
    for copy in range(1 + of.standbys[item]):
        if place[copy] >= 0:
            total += of.active[item, place[copy]] if copy == 0 else of.standby[item, place[copy]]
            if of.same and copy:
                total += again(of.zones, of.same, place[:copy], copy, place[copy])
    return total


@inlined
def marginal(square: int, load: int, slots: int) -> int:
    """Return what a copy more adds to squared loads."""
    return square * (2 * (load // slots) + 1)


@compiled
def worth(of: Grouped, state: State) -> int:
    """Return the weighed sum of all levels."""
    total = 0
    for g in range(len(of.size)):
        for role in range(2):
            load, slots = state.active[g] if role == 0 else state.every[g], of.slots[g]
            each, more = load // slots, load % slots
            total += of.square[role] * (slots * each * each + more * (2 * each + 1))
    for i in range(len(state.place)):
        total += pattern_cost(of, i, state.place[i])
    return total


@compiled
def arcs_from(of: Grouped, state: State, node: int, arcs: Arcs) -> None:
    """Find the shortest arcs from a node."""
    items, number = of.active.shape
    role, g = node // number, node % number
    base = role * number
    arcs.length[node, base : base + number] = BARRED
    _shorten_arcs(
        of.standby if role else of.active, of.zones, of.same, of.standbys, of.size, state.place, state.copies,
        arcs.length[node, base : base + number], arcs.item[node, base : base + number], arcs.copy[node, base : base + number],
        role, g, 0, items,
    )  # fmt: skip


@compiled
def shorten_arcs(of: Grouped, state: State, item: int, copy: int, arcs: Arcs) -> None:
    """Shorten the arcs from the node of an item's copy where the item makes them shorter."""
    number, role, g = len(of.size), min(copy, 1), state.place[item, copy]
    node, base = role * number + g, role * number
    _shorten_arcs(
        of.standby if role else of.active, of.zones, of.same, of.standbys, of.size, state.place, state.copies,
        arcs.length[node, base : base + number], arcs.item[node, base : base + number], arcs.copy[node, base : base + number],
        role, g, item, item + 1,
    )  # fmt: skip


@inlined
def _shorten_arcs(
    cost: Ints, zones: Ints, same: int, standbys: Ints, size: Ints, place: Ints, copies: Ints,
    length: Ints, item: Ints, copy: Ints, role: int, g: int, first: int, last: int,
) -> None:  # fmt: skip
    """Shorten arcs where some items make them shorter. It takes arrays one by one, as tuples of them are slow to hand on."""
    for i in range(first, last):
        for which in range(role, 1 + role * standbys[i] if copies[i, g] else 0):
            if place[i, which] != g:
                continue
            here = cost[i, g] + (again(zones, same, place[i], which, g) if same else 0)
            for h in range(len(size)):
                if h != g and copies[i, h] < size[h]:
                    longer = cost[i, h] - here + (again(zones, same, place[i], which, h) if same else 0)
                    if longer < length[h]:
                        length[h], item[h], copy[h] = longer, i, which


@inlined
def join_roles(length: Ints, active: Ints, slots: Ints, square: int) -> None:
    """Set the arcs between a group's two nodes: an active copy more, or one less."""
    number = len(slots)
    for g in range(number):
        each, more = active[g] // slots[g], active[g] % slots[g]
        length[g, number + g] = square * (2 * each + 1)
        length[number + g, g] = -square * (2 * (each if more else each - 1) + 1) if active[g] else BARRED
