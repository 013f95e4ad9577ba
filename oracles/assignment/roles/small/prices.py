"""Prices of copies in groups, and what they prove: on what items pay at least, and loads are worth at least, everything rests."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kassay.oracles.assignment.level import Ints
from kassay.oracles.assignment.roles.small.batch import WIDTH
from kassay.oracles.assignment.roles.small.exchange import State, pattern_cost
from kassay.oracles.assignment.roles.small.weighing import BARRED, Grouped
from kassay.oracles.compiled import compiled, inlined

Numbers: TypeAlias = NDArray[Any]
"""Prices, as floating-point numbers or whole ones."""
NEAR = 1e-3
"""A price that is so near to a whole number is it."""
UNITS = 60
"""Prices are whole numbers over a unit up to this."""


@inlined
def cheapest(of: Grouped, item: int, price: Numbers, place: Ints) -> Any:
    """Return the least an item can pay, cost and prices together, and fill in where."""
    number, standbys, cost, size = len(of.size), of.standbys[item], of.cost, of.size
    same, zones = of.same, of.zones
    best, floor = price[0] * 0 + BARRED, _floor(cost, item, price)
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
                total += _met(zones, same, h, g, g)
            for k in range(h if standbys == 2 else number - 1, number):
                least = total
                if standbys == 2:
                    least += cost[1, item, k] + price[number + k]
                    if least >= best or 1 + (k == g) + (k == h) > size[k]:
                        continue
                    least += _met(zones, same, k, g, h)
                if least < best:
                    best = least
                    place[0], place[1], place[2] = g, h, k
    return best


@inlined
def _floor(cost: Ints, item: int, price: Numbers) -> Any:
    """Return what none of an item's standbys pays less than."""
    number = cost.shape[2]
    least = price[0] * 0 + BARRED
    for h in range(number):
        least = min(least, cost[1, item, h] + price[number + h])
    return least


@inlined
def _met(zones: Ints, same: int, group: int, one: int, two: int) -> int:
    """Return what a copy's collisions with copies in two groups cost."""
    total = 0
    for tag in range(len(zones) if same else 0):
        zone = zones[tag, group]
        if zone >= 0 and (zones[tag, one] == zone or zones[tag, two] == zone):
            total += same
    return total


@inlined
def paid(of: Grouped, item: int, place: Ints, price: Numbers) -> Any:
    """Return what an item pays at its places, one row for each item."""
    number = len(of.size)
    total = price[0] * 0 + pattern_cost(of, item, place, item) + price[place[item, 0]]
    for copy in range(1 + of.standbys[item]):
        total += price[number + place[item, copy]]
    return total


@compiled
def nothing_gains(of: Grouped, state: State, price: Ints) -> bool:
    """Return whether every item pays the least it can."""
    place = np.empty(WIDTH, np.int64)
    for i in range(len(state.place)):
        if cheapest(of, i, price, place) < paid(of, i, state.place, price):
            return False
    return True


@compiled
def whole(exact: NDArray[np.float64], price: Ints) -> int:
    """Fill in prices as whole numbers over a unit, and return the unit; rounded where there is none of up to UNITS."""
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


@compiled
def bound(of: Grouped, unit: int, price: Ints) -> int:
    """Return what no placement's weighed sum is below: what items pay at least and what groups have left at least, rounded up."""
    number = len(of.size)
    scaled = Grouped(
        of.cost * unit, of.standbys, of.size, of.zones, of.same * unit, of.square * unit
    )  # fmt: skip
    total = 0
    place = np.empty(WIDTH, np.int64)
    for i in range(len(of.standbys)):
        total += cheapest(scaled, i, price, place)
    copies = len(of.standbys) + of.standbys.sum()
    for n in range(2 * number):
        square, size = scaled.square[n // number, n % number], of.size[n % number]
        if square:
            layers = max(0, (price[n] + square) // (2 * square))
            total += size * (square * layers - price[n]) * layers
        else:
            total += min(0, -price[n] * copies)
    return -(-total // unit)
