"""The master problem of column generation: the number of items in each pattern, over some patterns only, solved by HiGHS.

Pricing finds each class's cheapest pattern: in floats to find columns, in integers to compute bounds.

If there are many classes, the master has a row for each *bundle* of classes instead of each class. A bundle's column
gives the pattern of each of its classes. Its convex combinations equal the ones of its classes' columns, so the least
value and the prices are the same, with a hundredth of the rows.
"""

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import highspy
import numpy as np
from numpy.typing import NDArray

from kassay.oracles.assignment.active_standby.problem import BALANCES
from kassay.oracles.assignment.active_standby.program import Columns, Layers, Program, Way
from kassay.oracles.assignment.own_levels import BALANCE, SPREAD, TOTAL_BALANCE
from kassay.oracles.assignment.problem import LARGEST, Ints
from kassay.oracles.errors import TooLargeError, UnsolvedError
from kassay.oracles.solving import WHOLE, create_highs

ENTRIES = 4 * 10**6
"""The number of pairs of a class and a pattern that are computed at once."""
PIECES = 10**5
"""The limit of loads of groups beyond balanced ones."""
MANY = 200
"""The number of classes above which they are bundled."""
BUNDLES = 50
"""The number of bundles (measured: 20 to 100 take the same time, 400 take longer)."""
IMPOSSIBLE = (highspy.HighsModelStatus.kInfeasible, highspy.HighsModelStatus.kUnboundedOrInfeasible)
"""The states of HiGHS if nothing fits the rows; all sums here are bounded."""
Numbers = NDArray[Any]
Floats = NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class GroupPrices:
    """The prices of :class:`kassay.oracles.assignment.active_standby.check.Prices` by group; all integers, or all floats."""

    unit: int | float
    before: Numbers
    active: Numbers
    every: Numbers
    caps: Numbers
    cases: Numbers


def find_cheapest(program: Program, way: Way, prices: GroupPrices, kind: type) -> tuple[Columns, Numbers]:
    """Return the column of each class's cheapest pattern, and its payment: cost plus prices."""
    best: Numbers = np.zeros(program.of.classes, kind)
    pattern = np.zeros(program.of.classes, np.int64)
    for some, total in iterate_payments(program, way, prices, kind):
        pattern[some] = total.argmin(axis=1)
        best[some] = total[np.arange(len(some)), pattern[some]]
    return Columns(np.arange(program.of.classes), pattern), best


def iterate_payments(
    program: Program, way: Way, prices: GroupPrices, kind: type
) -> Iterator[tuple[Ints, Numbers]]:
    """Yield classes of items, and the payment of each of them (row) in each pattern (column)."""
    of = program.of
    active, standby, same = _compute_payments(program, way, prices, kind)
    for standbys, each in program.patterns.items():
        classes = np.flatnonzero(of.standbys == standbys)
        step = max(1, ENTRIES // max(len(each.active), 1))
        for first in range(0, len(classes), step):
            some = classes[first : first + step]
            total = active[some][:, each.active] + standby[some] @ each.standby.T + same * each.collisions
            closed = (of.given[some][:, None] >= 0) & (of.given[some][:, None] != each.active)
            total[closed] = LARGEST if kind is np.int64 else np.inf
            yield some, total


def _compute_payments(
    program: Program, way: Way, prices: GroupPrices, kind: type
) -> tuple[Numbers, Numbers, int | float]:
    """Return the payments of the active copy and of a standby of each class in each group, and the cost of a collision."""
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


def compute_bound(program: Program, worth: tuple[int, ...], way: Way, prices: GroupPrices) -> int:
    """Return the lower bound of the level after `worth`, times the unit, without losses.

    It is the bound of :mod:`kassay.oracles.assignment.active_standby.check`. Raises TooLargeError if an item's sum
    could leave 64 bits.
    """
    of, unit = program.of, int(prices.unit)

    def most(column: Numbers) -> int:
        return int(np.abs(column).max(initial=0))

    each = (most(prices.before) + unit) * len(program.levels) * (program.greatest_cost + len(of.zones) + 1)
    each += sum(map(most, (prices.active, prices.every, prices.caps))) + int(np.abs(prices.cases).sum())
    greatest = each * (1 + int(of.standbys.max(initial=0)))
    if greatest >= LARGEST:
        raise TooLargeError(f"prices let an item pay up to {greatest}. At most {LARGEST} is counted")
    _, best = find_cheapest(program, way, prices, np.int64)
    total: int = sum(n * b for n, b in zip(of.count.tolist(), best.tolist(), strict=True))
    total -= sum(m * value for m, value in zip(prices.before.tolist(), worth, strict=True))
    weight = dict(zip(program.levels, (*prices.before.tolist(), unit), strict=False))
    for level, asked in ((BALANCE, prices.active), (TOTAL_BALANCE, prices.every)):
        layers = program.layers[level]
        factor = sum(n * program.squares[name][level] for name, n in weight.items())
        load = _find_cheapest_loads(layers, int(of.count.sum()), asked, factor)
        total += factor * layers.sum_squares(load) - sum(
            p * held for p, held in zip(asked.tolist(), load.tolist(), strict=True)
        )
    for (*_, low, high), price in zip(of.caps.tolist(), prices.caps.tolist(), strict=True):
        total -= price * (high if price > 0 else low)
    for (case, more), price in zip(way, prices.cases.tolist(), strict=True):
        total -= price * (case.most + more)
    return total


def _find_cheapest_loads(layers: Layers, most: int, price: Numbers, unit: int) -> Ints:
    """Return each group's load with the least unit * squares - price * load; each member has at most `most` copies."""
    if layers.fixed is not None:
        return layers.fixed
    if unit:
        square = unit * layers.weight
        return np.asarray(layers.size * np.clip((price + square) // (2 * square), 0, most), np.int64)
    return np.where(price > 0, most * layers.size, 0)


class TimeOverError(UnsolvedError):
    """The time limit was reached before HiGHS ended."""


class Master:
    """A program of one level (the first after `worth`) in the cases of a path, to which columns are added.

    Its first rows count the items in each class, or the share of each bundle of classes; then come the rows of
    :meth:`.program.Program.bounds`.
    """

    def __init__(self, program: Program, worth: tuple[int, ...], way: Way, count: Ints) -> None:
        self.program, self.worth, self.way = program, worth, way
        self.before, self.level = program.levels[: len(worth)], program.levels[len(worth)]
        low, high = program.build_bounds(self.before, worth, way)
        self.first, self.aimed = len(count), False
        self.rows = self.first + len(low)
        self.columns = Columns(np.empty(0, np.int64), np.empty(0, np.int64))
        self.solver = create_highs()
        low = np.concatenate([count, low]).astype(float)
        high = np.concatenate([count, high]).astype(float)
        low[low <= -(2**60)], high[high >= 2**60] = -highspy.kHighsInf, highspy.kHighsInf
        nothing = np.zeros(0, np.int32)
        self.solver.addRows(self.rows, low, high, 0, np.zeros(self.rows, np.int32), nothing, np.zeros(0))
        # At first, artificial columns fill or empty any row except the classes' rows.
        number = self.rows - self.first
        rows, sign = np.repeat(np.arange(self.first, self.rows), 2), np.tile([1.0, -1.0], number)
        most = np.full(2 * number, highspy.kHighsInf)
        self._add(np.ones(2 * number), most, np.arange(2 * number), rows, sign)
        self.layers = self._add_layers()
        self.real = np.zeros(self.solver.getNumCol())
        self.real[2 * (self.rows - self.first) :] = self.layers

    def _add_layers(self) -> list[int]:
        """Add the copies above balanced loads and the missing ones below them; return the cost of each in the level."""
        found: list[int] = []
        of = self.program.of
        for place, level in enumerate(BALANCES):
            layers = self.program.layers[level]
            if layers.fixed is not None or self.program.is_free(level, self.before):
                continue
            if any(
                name == level and value == layers.constant
                for name, value in zip(self.before, self.worth, strict=True)
            ):
                continue  # only a balanced load reaches the earlier level's value
            own = self.program.squares[self.level][level]
            counted = [(n, self.program.squares[name][level]) for n, name in enumerate(self.before)]
            counted = [
                (self.first + 2 * of.groups + len(of.caps) + n, factor) for n, factor in counted if factor
            ]
            pieces = int(np.maximum(-(-layers.total // layers.size), layers.even).sum()) + len(found)
            if pieces > PIECES:
                raise TooLargeError(f"{pieces:,} loads of groups. At most {PIECES:,} are taken")
            for group in range(of.groups):
                for sign, cost in zip((-1.0, 1.0), layers.list_extra_costs(group), strict=True):
                    number = len(cost)
                    if not number:
                        continue
                    load = self.first + place * of.groups + group
                    rows = np.tile([load, *(row for row, _ in counted)], number)
                    entries = np.column_stack(
                        [np.full(number, sign), *(factor * cost for _, factor in counted)]
                    ).reshape(-1)
                    start = np.arange(number) * (1 + len(counted))
                    self._add(
                        np.zeros(number), np.full(number, float(layers.size[group])), start, rows, entries
                    )
                    found += (own * cost).tolist()
        return found

    def _add(self, cost: Floats, most: Floats, start: Ints, rows: NDArray[Any], entries: Floats) -> None:
        self.solver.addCols(
            len(cost), cost, np.zeros(len(cost)), most, len(rows),
            start.astype(np.int32), rows.astype(np.int32), entries.astype(float),
        )  # fmt: skip

    def add(self, columns: Columns) -> int:
        """Add those columns that are new; return their number."""
        width = max((len(each.active) for each in self.program.patterns.values()), default=1)
        key = columns.class_ * width + columns.pattern
        old = self.columns.class_ * width + self.columns.pattern
        key, first = np.unique(key, return_index=True)
        first = first[~np.isin(key, old)]
        new = Columns(columns.class_[first], columns.pattern[first])
        if not len(new):
            return 0
        cost = self.program.compute_costs(self.level, new)
        self.put(new.class_, self.program.build_entries(new, self.before, self.way), cost)
        self.columns = self.columns.join(new)
        return len(new)

    def put(self, first: Ints, entries: Floats, cost: Floats) -> None:
        """Add columns: one item each in these of the first rows, these entries in the other rows, at these costs."""
        column, row = np.nonzero(entries)
        number = np.bincount(column, minlength=len(first)) + 1
        start = np.cumsum(number) - number
        rows, numbers = np.empty(number.sum(), np.int64), np.ones(number.sum())
        rows[start] = first
        rest = np.ones(len(rows), np.bool_)
        rest[start] = False
        rows[rest], numbers[rest] = self.first + row, entries[column, row]
        most = np.full(len(first), highspy.kHighsInf)
        self._add(cost * float(self.aimed), most, start, rows, numbers)
        self.real = np.concatenate([self.real, cost])

    def set_objective(self, real: bool) -> None:
        """Minimize the level, with empty artificial columns; or, if `real` is False, the sum of the artificial columns."""
        self.aimed = real
        number, all_ = 2 * (self.rows - self.first), self.solver.getNumCol()
        cost = self.real if real else np.concatenate([np.ones(number), np.zeros(all_ - number)])
        self.solver.changeColsCost(all_, np.arange(all_, dtype=np.int32), cost.astype(float))
        most = np.full(number, 0.0 if real else highspy.kHighsInf)
        self.solver.changeColsBounds(number, np.arange(number, dtype=np.int32), np.zeros(number), most)

    def solve(self, deadline: float = math.inf) -> float | None:
        """Return the least value over the present columns, None if nothing fits. Raises TimeOverError at the deadline."""
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeOverError("the time was over before HiGHS had its turn")
        if not math.isinf(left):
            self.solver.setOptionValue("time_limit", self.solver.getRunTime() + left)
        self.solver.run()
        status = self.solver.getModelStatus()
        if status in IMPOSSIBLE:
            return None
        if status == highspy.HighsModelStatus.kTimeLimit:
            raise TimeOverError("the time was over before HiGHS ended")
        if status != highspy.HighsModelStatus.kOptimal:
            raise UnsolvedError(f"HiGHS stopped without a proof: {status.name}")
        return float(self.solver.getInfo().objective_function_value)

    def read_numbers(self) -> Floats:
        """Return the number of items in each column."""
        return np.array(self.solver.getSolution().col_value[len(self.real) - len(self.columns) :])

    def read_prices(self, real: bool) -> tuple[GroupPrices, Floats]:
        """Return the prices of the last solution, in floats, and the payment of an item of each of the first rows."""
        dual = np.array(self.solver.getSolution().row_dual)
        rest = -dual[self.first :]
        groups, caps, before = self.program.of.groups, len(self.program.of.caps), len(self.before)
        ends = np.cumsum([groups, groups, caps, before])
        active, every, cap, levels, cases = np.split(rest, ends)
        found = GroupPrices(1.0 if real else 0.0, np.maximum(levels, 0), active, every, cap, cases)
        return found, dual[: self.first]

    def solve_integers(self, deadline: float) -> Ints | None:
        """Return the integer numbers of items in the columns with the least level; None if none fit.

        The linear program's solution has fractions in few classes. The other classes stay fixed if that costs
        nothing; else more of them are freed, and finally all.
        """
        value = self.solve(deadline)
        if value is None:
            return None
        least = math.ceil(value - WHOLE)
        numbers = self.read_numbers()
        split = np.zeros(self.first, np.bool_)
        split[self.columns.class_[np.abs(numbers - np.rint(numbers)) > WHOLE]] = True
        more = split.copy()  # and about as many other classes, at equal distances
        more[:: max(1, len(split) // (4 * int(split.sum()) + 4))] = True
        best = None
        for free in (split, more, np.ones_like(split)):
            value, found = self._solve_integers_with(np.rint(numbers), ~free[self.columns.class_], deadline)
            if found is not None and (best is None or value < best[0]):
                best = value, found
            if best is not None and best[0] <= least + WHOLE:
                break
        return None if best is None else best[1]

    def _solve_integers_with(
        self, numbers: Floats, fixed: NDArray[np.bool_], deadline: float
    ) -> tuple[float, Ints | None]:
        """Return the least value with integers, some of them fixed, and these integers."""
        all_, own = self.solver.getNumCol(), len(self.columns)
        mine, kinds = np.arange(all_ - own, all_, dtype=np.int32), highspy.HighsVarType
        low = np.where(fixed, numbers, 0.0)
        high = np.where(fixed, numbers, highspy.kHighsInf)
        self.solver.changeColsBounds(own, mine, low, high)
        self.solver.changeColsIntegrality(own, mine, np.full(own, int(kinds.kInteger), np.uint8))
        self.solver.setOptionValue("presolve", "on")
        try:
            value, found = self.solve(deadline), self.read_numbers()
            if value is None:
                return math.inf, None
        finally:
            self.solver.setOptionValue("presolve", "off")
            self.solver.changeColsIntegrality(own, mine, np.zeros(own, np.uint8))
            self.solver.changeColsBounds(own, mine, np.zeros(own), np.full(own, highspy.kHighsInf))
        whole = np.rint(found).astype(np.int64)
        if np.abs(found - whole).max(initial=0) > WHOLE:
            raise UnsolvedError("HiGHS gives fractions where only whole numbers can be")
        return value, whole


class Bundles:
    """Runs of classes of equal length; a column has a row for its bundle, and its share of the bundle is 0 to 1."""

    def __init__(self, program: Program) -> None:
        of, number = program.of, min(BUNDLES, program.of.classes)
        self.count = of.count
        self.first = np.flatnonzero(np.diff(np.arange(of.classes) * number // of.classes, prepend=-1))
        self.size: Ints = np.add.reduceat(of.count, self.first)

    def sum_bundles(self, each: Floats) -> Floats:
        """Return the sum over each bundle's items of what an item of each class pays."""
        total: Floats = np.add.reduceat(each * self.count, self.first)
        return total

    def put(self, master: Master, columns: Columns, number: Ints, which: Ints) -> None:
        """Add a column for each bundle in `which`, with these numbers of items in these columns of classes."""
        bundle = np.searchsorted(self.first, columns.class_, side="right") - 1
        entries = master.program.build_entries(columns, master.before, master.way) * number[:, None]
        cost = master.program.compute_costs(master.level, columns) * number
        all_entries = np.zeros((len(self.first), entries.shape[1]), np.int64)
        all_cost = np.zeros(len(self.first), np.int64)
        np.add.at(all_entries, bundle, entries)
        np.add.at(all_cost, bundle, cost)
        master.put(which, all_entries[which], all_cost[which])
