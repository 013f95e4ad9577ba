"""Pricing: each class's cheapest pattern at prices, in floats to find columns, in whole numbers to bound."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kassay.oracles.assignment.active_standby.collapsed.program import Columns, Layers, Program, Way
from kassay.oracles.assignment.active_standby.problem import BALANCES
from kassay.oracles.assignment.own_levels import BALANCE, SPREAD, TOTAL_BALANCE
from kassay.oracles.assignment.problem import LARGEST, Ints
from kassay.oracles.errors import TooLargeError

ENTRIES = 4 * 10**6
"""So many pairs of a class and a pattern are looked at at once."""
Numbers = NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class GroupPrices:
    """What :class:`kassay.oracles.assignment.active_standby.check.Prices` says of members, by group; all whole, or all floats."""

    unit: int | float
    before: Numbers
    active: Numbers
    every: Numbers
    caps: Numbers
    cases: Numbers


def cheapest(program: Program, way: Way, prices: GroupPrices, kind: type) -> tuple[Columns, Numbers]:
    """Return the column of each class's cheapest pattern, and what it pays, cost and prices together."""
    best: Numbers = np.zeros(program.of.classes, kind)
    pattern = np.zeros(program.of.classes, np.int64)
    for some, total in totals(program, way, prices, kind):
        pattern[some] = total.argmin(axis=1)
        best[some] = total[np.arange(len(some)), pattern[some]]
    return Columns(np.arange(program.of.classes), pattern), best


def totals(program: Program, way: Way, prices: GroupPrices, kind: type) -> Iterator[tuple[Ints, Numbers]]:
    """Yield classes of items, and what each of them (row) pays in each pattern (column)."""
    of = program.of
    active, standby, same = _paid(program, way, prices, kind)
    for each, classes in program.by_standbys():
        step = max(1, ENTRIES // max(len(each.active), 1))
        for first in range(0, len(classes), step):
            some = classes[first : first + step]
            total = active[some][:, each.active] + standby[some] @ each.standby.T + same * each.collisions
            closed = (of.given[some][:, None] >= 0) & (of.given[some][:, None] != each.active)
            total[closed] = LARGEST if kind is np.int64 else np.inf
            yield some, total


def _paid(
    program: Program, way: Way, prices: GroupPrices, kind: type
) -> tuple[Numbers, Numbers, int | float]:
    """Return what the active copy, and a standby, of each class pays in each group, and what a collision costs."""
    of = program.of
    weight = dict(zip(program.levels, (*prices.before.tolist(), prices.unit), strict=False))
    standby: Numbers = np.tile(prices.every.astype(kind), (of.classes, 1))
    active = standby + prices.active
    for level, factor in weight.items():
        if level not in (*BALANCES, SPREAD) and factor:
            active += factor * of.costs[level][0]
            standby += factor * of.costs[level][1]
    for (part, group, *_), price in zip(of.caps.tolist(), prices.caps.tolist(), strict=True):
        active[of.part == part, group] += price
    for (case, _), price in zip(way, prices.cases.tolist(), strict=True):
        rows = slice(None) if case.classes is None else case.classes
        groups = slice(None) if case.group < 0 else slice(case.group, case.group + 1)
        active[rows, groups] += price
        if not case.active:
            standby[rows, groups] += price
    return active, standby, weight.get(SPREAD, 0)


def bound(program: Program, worth: tuple[int, ...], way: Way, prices: GroupPrices) -> int:
    """Return what the level after those of `worth`, times the unit, is never below; losses apart; as :mod:`kassay.oracles.assignment.active_standby.check` does.

    Raises TooLargeError where an item's sum could leave 64 bits.
    """
    of, unit = program.of, int(prices.unit)
    _refuse_large(program, prices)
    _, best = cheapest(program, way, prices, np.int64)
    total: int = sum(n * b for n, b in zip(of.count.tolist(), best.tolist(), strict=True))
    total -= sum(m * value for m, value in zip(prices.before.tolist(), worth, strict=True))
    weight = dict(zip(program.levels, (*prices.before.tolist(), unit), strict=False))
    for level, asked in ((BALANCE, prices.active), (TOTAL_BALANCE, prices.every)):
        layers = program.layers[level]
        factor = sum(n * program.squares[name][level] for name, n in weight.items())
        load = _loads(layers, int(of.count.sum()), asked, factor)
        total += factor * layers.squares(load) - sum(
            p * held for p, held in zip(asked.tolist(), load.tolist(), strict=True)
        )
    for (*_, low, high), price in zip(of.caps.tolist(), prices.caps.tolist(), strict=True):
        total -= price * (high if price > 0 else low)
    for (case, more), price in zip(way, prices.cases.tolist(), strict=True):
        total -= price * (case.most + more)
    return total


def _loads(layers: Layers, most: int, price: Numbers, unit: int) -> Ints:
    """Return the load of each group at which unit times squares less price times load is least, members having up to `most`."""
    if layers.fixed is not None:
        return layers.fixed
    if unit:
        square = unit * layers.weight
        return np.asarray(layers.size * np.clip((price + square) // (2 * square), 0, most), np.int64)
    return np.where(price > 0, most * layers.size, 0)


def _refuse_large(program: Program, prices: GroupPrices) -> None:
    factor = (_most(prices.before) + int(prices.unit)) * len(program.levels)
    each = factor * (program.greatest_cost + len(program.of.zones) + 1)
    each += sum(map(_most, (prices.active, prices.every, prices.caps))) + int(np.abs(prices.cases).sum())
    total = each * (1 + int(program.of.standbys.max(initial=0)))
    if total >= LARGEST:
        raise TooLargeError(f"prices let an item pay up to {total}; at most {LARGEST} is counted")


def _most(column: Numbers) -> int:
    return int(np.abs(column).max(initial=0))
