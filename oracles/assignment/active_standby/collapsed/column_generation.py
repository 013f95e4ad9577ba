"""Column generation: the linear program over all patterns, of which only those are looked at that prices ask for."""

import math
from dataclasses import dataclass

import numpy as np

from kassay.oracles.assignment.active_standby.collapsed.master import Floats, Master, TimeOverError
from kassay.oracles.assignment.active_standby.collapsed.pricing import GroupPrices, bound, cheapest
from kassay.oracles.assignment.active_standby.collapsed.program import Columns, Program, Way
from kassay.oracles.assignment.active_standby.collapsed.row_aggregation import Bundles
from kassay.oracles.assignment.active_standby.problem import BALANCES
from kassay.oracles.assignment.own_levels import BALANCE, TOTAL_BALANCE
from kassay.oracles.assignment.problem import Ints
from kassay.oracles.errors import UnsolvedError

SLIGHT = 1e-7
"""What a column must save to be added."""
UNITS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 24, 60, 120, 840, 2520, 10**6)
"""Common denominators that prices are tried with."""


@dataclass(frozen=True, slots=True, eq=False)
class Relaxed:
    """What no placement goes below in some cases, as far as prices prove it, times their unit; and the master program.

    Where the unit is 0, nothing is possible. `over` is whether the time was over before the prices were the best.
    """

    prices: GroupPrices
    proved: int
    master: Master
    over: bool = False

    @property
    def least(self) -> int | None:
        """What no placement goes below, None where nothing is possible."""
        return -(-self.proved // int(self.prices.unit)) if self.prices.unit else None


def relaxed(
    program: Program,
    worth: tuple[int, ...],
    way: Way,
    first: Columns,
    number: Ints,
    in_bundles: bool,
    deadline: float = math.inf,
) -> Relaxed:
    """Solve the linear program of the level after those of `worth`, beginning with the columns of a placement.

    Raises UnsolvedError where prices prove less than what HiGHS finds.
    """
    bundles = Bundles(program) if in_bundles else None
    master = Master(program, worth, way, program.of.count if bundles is None else np.ones_like(bundles.size))
    nothing = without_prices(program, worth, way)
    cheap = cheapest(program, way, nothing, np.float64)[0]
    for columns, many in ((first, number), (cheap, program.of.count)):
        if bundles is None:
            master.add(columns)
        elif len(columns):
            bundles.put(master, columns, many, np.arange(len(bundles.size)))
    known = [nothing]
    try:
        for real in (False, True):
            master.aim(real)
            value = _priced(master, bundles, real, deadline, known)
            if not real and value > 1e-6:
                prices, proved = _whole(master, master.prices(False)[0], False, value)
                if proved <= 0:
                    raise UnsolvedError(
                        f"HiGHS finds nothing possible (by {value}), which its prices do not prove"
                    )
                return Relaxed(prices, proved, master)
    except TimeOverError:
        prices, proved = _whole(master, known[-1], True, -math.inf)
        return Relaxed(prices, proved, master, over=True)
    return Relaxed(*_whole(master, known[-1], True, value), master)


def without_prices(program: Program, worth: tuple[int, ...], way: Way = ()) -> GroupPrices:
    """Return prices of 0."""
    none = np.zeros(program.of.groups)
    return GroupPrices(
        1.0, np.zeros(len(worth)), none, none, np.zeros(len(program.of.caps)), np.zeros(len(way))
    )


def even_prices(program: Program, worth: tuple[int, ...]) -> tuple[GroupPrices, int]:
    """Return prices of the balance after the levels of `worth` that are the same for all members, and what they prove."""
    prices = _times(program, worth, (), without_prices(program, worth), 1)
    return prices, bound(program, worth, (), prices)


def _priced(
    master: Master, bundles: Bundles | None, real: bool, deadline: float, known: list[GroupPrices]
) -> float:
    """Add columns until none saves anything, or no artificial one is needed; return the least value, and note prices."""
    while True:
        value = master.solve(deadline)
        if not real and value < 1e-9:
            return value
        prices, paid = master.prices(real)
        if real:
            known.append(prices)
        found, best = cheapest(master.program, master.way, prices, np.float64)
        if bundles is None:
            saving = np.flatnonzero(best < paid - SLIGHT)
            added = master.add(Columns(found.class_[saving], found.pattern[saving]))
        else:
            saving = np.flatnonzero(bundles.sums(best) < paid - SLIGHT * bundles.size)
            bundles.put(master, found, bundles.count, saving)
            added = len(saving)
        if not added:
            return value


def _whole(master: Master, prices: GroupPrices, real: bool, value: float) -> tuple[GroupPrices, int]:
    """Return prices in whole numbers, over a common denominator, and what they prove, times their unit."""
    best = None
    for unit in UNITS:
        if not _fits(prices, unit) and unit != UNITS[-1]:
            continue
        some = _times(master.program, master.worth, master.way, prices, unit)
        proved = bound(master.program, master.worth, master.way, some)
        if best is None or proved * best[0].unit > best[1] * max(int(some.unit), 1):
            best = some, proved
        if -(-proved // unit) >= value - 1e-5 + master.program.constant(master.level) or (
            not real and proved > 0
        ):
            return some, proved
    assert best is not None
    return best


def _fits(prices: GroupPrices, unit: int) -> bool:
    columns: tuple[Floats, ...] = (prices.before, prices.active, prices.every, prices.caps, prices.cases)
    return all(np.abs(unit * column - np.rint(unit * column)).max(initial=0) < 1e-4 for column in columns)


def _times(
    program: Program, worth: tuple[int, ...], way: Way, prices: GroupPrices, times: int
) -> GroupPrices:
    """Return prices times a number, rounded, with what the program left out of the balances' layers put back."""
    unit, before, level = times * int(prices.unit), program.levels[: len(worth)], program.levels[len(worth)]

    def rounded(column: Floats) -> Ints:
        whole: Ints = np.rint(times * column).astype(np.int64)
        return whole

    factors, asked = (
        rounded(prices.before),
        {BALANCE: rounded(prices.active), TOTAL_BALANCE: rounded(prices.every)},
    )
    for balance in BALANCES:
        price, layers = asked[balance], program.layers[balance]
        if balance in before and layers.fixed is None:
            place = before.index(balance)
            if worth[place] == layers.constant:
                factors[place] = -(-int(np.abs(price).max(initial=0)) // layers.step)
        if layers.fixed is None:
            factor = unit * program.squares[level][balance]
            factor += sum(
                n * program.squares[name][balance] for name, n in zip(before, factors.tolist(), strict=True)
            )
            asked[balance] = price + factor * layers.price
    cases = rounded(prices.cases)
    sides = np.array([more for _, more in way], np.bool_)
    cases = np.where(sides, np.minimum(cases, 0), np.maximum(cases, 0))
    return GroupPrices(unit, factors, asked[BALANCE], asked[TOTAL_BALANCE], rounded(prices.caps), cases)
