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
def again(of: Grouped, place: Ints, copy: int, group: int) -> int:
    """Return what a copy's collisions cost in a group, with its item's other copies at their places (-1 for nowhere)."""
    total = 0
    if of.same:
        for tag in range(len(of.zones)):
            zone = of.zones[tag, group]
            if zone >= 0:
                for other in range(len(place)):
                    if other != copy and place[other] >= 0 and of.zones[tag, place[other]] == zone:
                        total += of.same
                        break
    return total


@inlined
def cost(of: Grouped, state: State, item: int, copy: int, group: int) -> int:
    """Return what a copy costs in a group, its item's other copies staying where they are."""
    here: int = of.active[item, group] if copy == 0 else of.standby[item, group]
    return here + again(of, state.place[item], copy, group) if of.same else here


@compiled
def pattern_cost(of: Grouped, item: int, place: Ints) -> int:
    """Return what an item's copies cost at their places, -1 for nowhere."""
    total = 0
    for copy in range(1 + of.standbys[item]):
        if place[copy] >= 0:
            total += of.active[item, place[copy]] if copy == 0 else of.standby[item, place[copy]]
            if of.same and copy:
                total += again(of, place[:copy], copy, place[copy])
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
    for h in range(number):
        arcs.length[node, base + h] = BARRED
    for i in range(items):
        if state.copies[i, g]:
            for copy in range(role, 1 + role * of.standbys[i]):
                if state.place[i, copy] == g:
                    shorten_arcs(of, state, i, copy, arcs)


@inlined
def shorten_arcs(of: Grouped, state: State, item: int, copy: int, arcs: Arcs) -> None:
    """Shorten the arcs from a copy's node where this copy makes them shorter."""
    number = len(of.size)
    g, base = state.place[item, copy], 0 if copy == 0 else number
    here = cost(of, state, item, copy, g)
    for h in range(number):
        if h != g and state.copies[item, h] < of.size[h]:
            longer = cost(of, state, item, copy, h) - here
            if longer < arcs.length[base + g, base + h]:
                arcs.length[base + g, base + h] = longer
                arcs.item[base + g, base + h] = item
                arcs.copy[base + g, base + h] = copy


@inlined
def join_roles(of: Grouped, state: State, arcs: Arcs) -> None:
    """Set the arcs between a group's two nodes: an active copy more, or one less."""
    number = len(of.size)
    for g in range(number):
        load, slots = state.active[g], of.slots[g]
        arcs.length[g, number + g] = marginal(of.square[0], load, slots)
        arcs.length[number + g, g] = -marginal(of.square[0], load - 1, slots) if load else BARRED
