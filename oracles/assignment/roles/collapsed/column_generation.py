"""Column generation: the linear program over all patterns, of which only those are looked at that prices ask for."""

import math
import time
from dataclasses import dataclass

import numpy as np

from kassay.oracles.assignment.level import Ints
from kassay.oracles.assignment.roles.collapsed.master import Floats, Master
from kassay.oracles.assignment.roles.collapsed.pricing import GroupPrices, bound, cheapest
from kassay.oracles.assignment.roles.collapsed.program import Columns, Program, Way
from kassay.oracles.assignment.roles.problem import BALANCE, BALANCES, TOTAL_BALANCE
from kassay.oracles.failures import UnsolvedError

SLIGHT = 1e-7
"""What a column must save to be added."""
UNITS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 24, 60, 120, 840, 2520, 10**6)
"""Common denominators that prices are tried with."""


@dataclass(frozen=True, slots=True, eq=False)
class Relaxed:
    """The least value of the linear program in some cases, rounded up, with prices that prove it.

    `least` is None where nothing is possible; else `master` has the columns and the last solution.
    """

    least: int | None
    prices: GroupPrices
    master: Master


def relaxed(
    program: Program, worth: tuple[int, ...], way: Way, first: Columns, deadline: float = math.inf
) -> Relaxed:
    """Solve the linear program of the level after those of `worth`, beginning with some columns.

    Raises UnsolvedError where it is not solved before `deadline` (of time.monotonic), or its prices prove too little.
    """
    master = Master(program, worth, way)
    master.add(first)
    master.add(cheapest(program, way, _nothing(master), np.float64)[0])
    for real in (False, True):
        master.aim(real)
        value = _priced(master, real, deadline)
        if not real and value > 1e-6:
            prices, proved = _whole(master, real, value)
            if proved <= 0:
                raise UnsolvedError(
                    f"HiGHS finds nothing possible (by {value}), which its prices do not prove"
                )
            return Relaxed(None, prices, master)
    prices, proved = _whole(master, True, value)
    return Relaxed(-(-proved // int(prices.unit)), prices, master)


def _nothing(master: Master) -> GroupPrices:
    of, none = master.program.of, np.zeros(master.program.of.groups)
    return GroupPrices(
        1.0, np.zeros(len(master.before)), none, none, np.zeros(len(of.caps)), np.zeros(len(master.way))
    )


def _priced(master: Master, real: bool, deadline: float) -> float:
    """Add columns until none saves anything, or no artificial one is needed; return the least value."""
    while True:
        value = master.solve(deadline)
        if not real and value < 1e-9:
            return value
        prices, paid = master.prices(real)
        found, best = cheapest(master.program, master.way, prices, np.float64)
        saving = np.flatnonzero(best < paid - SLIGHT)
        if not master.add(Columns(found.class_[saving], found.pattern[saving])):
            return value
        if time.monotonic() > deadline:
            raise UnsolvedError("the time was over before all columns were looked at")


def _whole(master: Master, real: bool, value: float) -> tuple[GroupPrices, int]:
    """Return prices in whole numbers, over a common denominator, and what they prove, times their unit."""
    prices, _ = master.prices(real)
    best = None
    wanted = math.ceil(value - 1e-5)
    for unit in UNITS:
        if not _fits(prices, unit) and unit != UNITS[-1]:
            continue
        some = _times(master, prices, unit, real)
        proved = bound(master.program, master.worth, master.way, some)
        if best is None or proved * best[0].unit > best[1] * max(int(some.unit), 1):
            best = some, proved
        if -(-proved // unit) >= wanted + _constant(master) or (not real and proved > 0):
            return some, proved
    assert best is not None
    return best


def _constant(master: Master) -> int:
    """Return what the program leaves out of the value of a balance."""
    layers = master.program.layers.get(master.level)
    return layers.constant if layers is not None and layers.fixed is None else 0


def _fits(prices: GroupPrices, unit: int) -> bool:
    columns: tuple[Floats, ...] = (prices.before, prices.active, prices.every, prices.caps, prices.cases)
    return all(np.abs(unit * column - np.rint(unit * column)).max(initial=0) < 1e-4 for column in columns)


def _times(master: Master, prices: GroupPrices, unit: int, real: bool) -> GroupPrices:
    """Return prices times a number, rounded, with what the program left out of the balances' layers put back."""

    def rounded(column: Floats) -> Ints:
        whole: Ints = np.rint(unit * column).astype(np.int64)
        return whole

    before, asked = (
        rounded(prices.before),
        {BALANCE: rounded(prices.active), TOTAL_BALANCE: rounded(prices.every)},
    )
    for level in BALANCES:
        price = asked[level]
        layers = master.program.layers[level]
        factor = unit if real and level == master.level else 0
        if level in master.before:
            place = master.before.index(level)
            if layers.fixed is None and master.worth[place] == layers.constant:
                before[place] = (int(np.abs(price).max(initial=0)) + 1) // 2
            factor = int(before[place])
        if layers.fixed is None:
            asked[level] = price + factor * (2 * layers.even + 1)
    cases = rounded(prices.cases)
    sides = np.array([more for _, more in master.way], np.bool_)
    cases = np.where(sides, np.minimum(cases, 0), np.maximum(cases, 0))
    return GroupPrices(
        unit if real else 0, before, asked[BALANCE], asked[TOTAL_BALANCE], rounded(prices.caps), cases
    )
