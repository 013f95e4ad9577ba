"""Branch and bound: the optimum of a level on classes and groups; a tree of cases with prices at its leaves is its proof.

Prices come from column generation (see :mod:`.master`), and are made integers. At prices that prove an optimum,
classes that have become interchangeable are merged, and an integer solution is searched.

The reason is this. Let prices prove a lower bound, and let a placement exceed it by at most the *slack*. Then it has
no item in a pattern that costs more than the slack above its class's cheapest pattern. Classes with the same
remaining patterns, at the same costs up to a constant, are interchangeable. The program asks for the number of items
in each pattern over all of them, and deals these to the classes in any way.
"""

import math
import time
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from kassay.oracles.assignment.active_standby.master import (
    MANY,
    Bundles,
    Floats,
    GroupPrices,
    Master,
    TimeOverError,
    compute_bound,
    find_cheapest,
    iterate_payments,
)
from kassay.oracles.assignment.active_standby.problem import BALANCES
from kassay.oracles.assignment.active_standby.program import ClassCase, Columns, Program, Way
from kassay.oracles.assignment.own_levels import BALANCE, SPREAD, TOTAL_BALANCE
from kassay.oracles.assignment.problem import LARGEST, Ints
from kassay.oracles.errors import UnsolvedError
from kassay.oracles.solving import WHOLE

NONE = np.empty(0, np.int64)
FRACTION = 1e-6
"""The least distance of a sum from an integer to be split."""
SLIGHT = 1e-7
"""The least saving of a column to be added."""
UNITS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 24, 60, 120, 840, 2520, 10**6)
"""Common denominators that are tried for prices."""
COLUMNS = 50_000
"""The limit of columns in the search for integer solutions."""


@dataclass(slots=True)
class _Merged:
    """Sets of classes: the set of each class, one class of each set, its patterns, its base costs, and the cost differences to others."""

    of_class: Ints
    one: list[int] = field(default_factory=list)
    patterns: list[Ints] = field(default_factory=list)
    base: list[Ints] = field(default_factory=list)
    shift: dict[str, int] = field(default_factory=dict)


def find_merged_placement(
    program: Program,
    worth: tuple[int, ...],
    way: Way,
    prices: GroupPrices,
    slack: int,
    deadline: float = math.inf,
) -> tuple[Columns, Ints] | None:
    """Return an optimal placement among those within `slack` of the bound of integer prices.

    None if there is no such placement, or if there are more than COLUMNS columns.
    """
    of, levels = program.of, program.levels[: len(worth) + 1]
    merged = _merge_classes(program, levels, way, prices, slack)
    lengths = [len(each) for each in merged.patterns]
    if sum(lengths) > COLUMNS:
        return None
    one = np.array(merged.one, np.int64)
    count = np.zeros(len(one), np.int64)
    np.add.at(count, merged.of_class, of.count)
    small = replace(
        of, count=count, standbys=of.standbys[one], part=of.part[one], given=of.given[one],
        costs={level: (active[one], standby[one]) for level, (active, standby) in of.costs.items()},
    )  # fmt: skip
    cases = tuple(
        (
            case if case.classes is None else replace(case, classes=np.unique(merged.of_class[case.classes])),
            more,
        )
        for case, more in way
    )
    less = tuple(value - merged.shift.get(level, 0) for level, value in zip(levels, worth, strict=False))
    master = Master(program.replace_classes(small), less, cases, count)
    master.add(Columns(np.repeat(np.arange(len(one)), lengths), np.concatenate(merged.patterns)))
    master.set_objective(True)
    number = master.solve_integers(deadline)
    if number is None:
        return None
    # Deal the numbers in the columns of each set of classes to the classes, one after the other.
    classes = np.argsort(merged.of_class, kind="stable")
    order = np.argsort(master.columns.class_, kind="stable")
    order = order[number[order] > 0]
    of_classes, of_columns = np.cumsum(of.count[classes]), np.cumsum(number[order])
    ends = np.unique(np.concatenate([of_classes, of_columns]))
    start = np.concatenate([[0], ends[:-1]])[: len(ends)]
    class_ = classes[np.searchsorted(of_classes, start, side="right")]
    pattern = master.columns.pattern[order[np.searchsorted(of_columns, start, side="right")]]
    return Columns(class_, pattern), ends - start


def _merge_classes(
    program: Program, levels: tuple[str, ...], way: Way, prices: GroupPrices, slack: int
) -> _Merged:
    of = program.of
    costs = [level for level in levels if level not in (*BALANCES, SPREAD)]
    merged = _Merged(np.empty(of.classes, np.int64), shift=dict.fromkeys(costs, 0))
    inside = [np.isin(np.arange(of.classes), case.classes) for case, _ in way if case.classes is not None]
    fixed = np.column_stack([of.part if len(of.caps) else np.zeros_like(of.part), of.standbys, *inside])
    numbers: dict[bytes, int] = {}
    for some, total in iterate_payments(program, way, prices, np.int64):
        near = total - total.min(axis=1)[:, None] <= slack
        place, row = near.argmax(axis=1), np.arange(len(some))
        table = program.patterns[int(of.standbys[some[0]])]
        keys, base = [fixed[some], near], np.zeros((len(some), len(costs)), np.int64)
        for n, level in enumerate(costs):
            active, standby = of.costs[level]
            cost = active[some][:, table.active] + standby[some] @ table.standby.T
            base[:, n] = cost[row, place]
            keys.append(np.where(near, cost - base[:, n : n + 1], 0))
        for v, key, mask, own in zip(
            some.tolist(), np.hstack(keys).astype(np.int64), near, base, strict=True
        ):
            number = numbers.setdefault(key.tobytes(), len(numbers))
            if number == len(merged.one):
                merged.one.append(v)
                merged.patterns.append(np.flatnonzero(mask))
                merged.base.append(own)
            merged.of_class[v] = number
            for level, more in zip(costs, (own - merged.base[number]).tolist(), strict=True):
                merged.shift[level] += int(of.count[v]) * more
    return merged


@dataclass(frozen=True, slots=True, eq=False)
class Relaxed:
    """The lower bound of all placements in some cases, as far as prices prove it, times their unit; and the master program.

    If the unit is 0, no placement is possible. `over` is True if the time limit was reached before the prices were
    optimal.
    """

    prices: GroupPrices
    proved: int
    master: Master
    over: bool = False

    @property
    def least(self) -> int | None:
        """The lower bound of all placements, None if no placement is possible."""
        return -(-self.proved // int(self.prices.unit)) if self.prices.unit else None


def solve_relaxation(
    program: Program,
    worth: tuple[int, ...],
    way: Way,
    first: Columns,
    number: Ints,
    in_bundles: bool,
    deadline: float = math.inf,
) -> Relaxed:
    """Solve the linear program of the level after `worth`, starting with the columns of a placement.

    Raises UnsolvedError if prices prove less than the value that HiGHS finds.
    """
    bundles = Bundles(program) if in_bundles else None
    master = Master(program, worth, way, program.of.count if bundles is None else np.ones_like(bundles.size))
    nothing = without_prices(program, worth, way)
    cheap = find_cheapest(program, way, nothing, np.float64)[0]
    for columns, many in ((first, number), (cheap, program.of.count)):
        if bundles is None:
            master.add(columns)
        elif len(columns):
            bundles.put(master, columns, many, np.arange(len(bundles.size)))
    known = [nothing]
    try:
        for real in (False, True):
            master.set_objective(real)
            value = _generate_columns(master, bundles, real, deadline, known)
            if not real and value > 1e-6:
                prices, proved = _find_whole_prices(master, master.read_prices(False)[0], False, value)
                if proved <= 0:
                    raise UnsolvedError(
                        f"HiGHS finds nothing possible (by {value}), which its prices do not prove"
                    )
                return Relaxed(prices, proved, master)
    except TimeOverError:
        prices, proved = _find_whole_prices(master, known[-1], True, -math.inf)
        return Relaxed(prices, proved, master, over=True)
    return Relaxed(*_find_whole_prices(master, known[-1], True, value), master)


def without_prices(program: Program, worth: tuple[int, ...], way: Way = ()) -> GroupPrices:
    """Return prices of 0."""
    none = np.zeros(program.of.groups)
    return GroupPrices(
        1.0, np.zeros(len(worth)), none, none, np.zeros(len(program.of.caps)), np.zeros(len(way))
    )


def _generate_columns(
    master: Master, bundles: Bundles | None, real: bool, deadline: float, known: list[GroupPrices]
) -> float:
    """Add columns until none saves anything, or no artificial column is needed; return the least value, and append prices to `known`."""
    while True:
        value = master.solve(deadline)
        if value is None:
            raise UnsolvedError("HiGHS finds nothing possible in the columns of a placement")
        if not real and value < 1e-9:
            return value
        prices, paid = master.read_prices(real)
        if real:
            known.append(prices)
        found, best = find_cheapest(master.program, master.way, prices, np.float64)
        if bundles is None:
            saving = np.flatnonzero(best < paid - SLIGHT)
            added = master.add(Columns(found.class_[saving], found.pattern[saving]))
        else:
            saving = np.flatnonzero(bundles.sum_bundles(best) < paid - SLIGHT * bundles.size)
            bundles.put(master, found, bundles.count, saving)
            added = len(saving)
        if not added:
            return value


def _find_whole_prices(
    master: Master, prices: GroupPrices, real: bool, value: float
) -> tuple[GroupPrices, int]:
    """Return integer prices over a common denominator, and the bound that they prove, times their unit."""
    columns: tuple[Floats, ...] = (prices.before, prices.active, prices.every, prices.caps, prices.cases)
    best = None
    for unit in UNITS:
        fits = all(np.abs(unit * each - np.rint(unit * each)).max(initial=0) < 1e-4 for each in columns)
        if not fits and unit != UNITS[-1]:
            continue
        some = _scale_prices(master.program, master.worth, master.way, prices, unit)
        proved = compute_bound(master.program, master.worth, master.way, some)
        if best is None or proved * best[0].unit > best[1] * max(int(some.unit), 1):
            best = some, proved
        if -(-proved // unit) >= value - 1e-5 + master.program.compute_constant(master.level) or (
            not real and proved > 0
        ):
            return some, proved
    assert best is not None
    return best


def _scale_prices(
    program: Program, worth: tuple[int, ...], way: Way, prices: GroupPrices, times: int
) -> GroupPrices:
    """Return prices times a number, rounded, with the squares that the program left out of the balances' layers."""
    unit, before, level = times * int(prices.unit), program.levels[: len(worth)], program.levels[len(worth)]

    def rounded(column: Floats) -> Ints:
        whole: Ints = np.rint(times * column).astype(np.int64)
        return whole

    factors = rounded(prices.before)
    asked = {BALANCE: rounded(prices.active), TOTAL_BALANCE: rounded(prices.every)}
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


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """A case and the proofs of its sides."""

    case: ClassCase
    fewer: "GroupProof"
    more: "GroupProof"


GroupProof: TypeAlias = GroupPrices | Tree


@dataclass(frozen=True, slots=True, eq=False)
class Solved:
    """The number of items in each column of the best placement found, the level's value, a proof, and its bound.

    `least` is below `value` if the time limit was reached. `columns` are None if no placement is possible; `pool` are
    all columns so far, for the next level.
    """

    columns: Columns | None
    number: Ints
    value: int
    least: int
    proof: GroupProof
    pool: Columns


class UndecidedError(Exception):
    """Patterns are split, but no sum of copies is; the aggregation has no case for this."""


def solve_level(
    program: Program,
    worth: tuple[int, ...],
    first: Columns,
    number: Ints,
    pool: Columns,
    deadline: float = math.inf,
) -> Solved:
    """Return the optimum of the level after `worth`; `first` and `number` are a placement with these values, if known.

    Raises UnsolvedError if `deadline` (of time.monotonic) passes before a placement is found.
    """
    search = _Search(program, worth, pool, deadline)
    of = program.of
    if len(first):
        search.offer(first, number)
    elif of.active_loads is None and of.loads is None and not len(of.caps):
        anywhere, _ = find_cheapest(program, (), without_prices(program, worth), np.float64)
        search.offer(anywhere, of.count)
    proof, least = search.build_proof((), search.columns or first)
    if search.columns is None:
        if least is not None:
            raise TimeOverError("the time was over before a placement was found")
        return Solved(None, NONE, 0, 0, proof, pool)
    if least is None:
        raise UnsolvedError("there is a placement, but prices seem to prove that no placement exists")
    return Solved(search.columns, search.number, search.value, least, proof, search.pool)


def list_even_balances(program: Program) -> list[Solved]:
    """Return for the balances that come first, without the last level, the proof that balanced loads are the lower bound.

    The next level finds out if such loads are possible.
    """
    found: list[Solved] = []
    for level in program.levels[:-1]:
        if level not in BALANCES:
            break
        worth = tuple(each.value for each in found)
        # Equal prices for all members prove the bound.
        prices = _scale_prices(program, worth, (), without_prices(program, worth), 1)
        least = compute_bound(program, worth, (), prices)
        found.append(Solved(None, NONE, least, least, prices, Columns(NONE, NONE)))
    return found


class _Search:
    def __init__(self, program: Program, worth: tuple[int, ...], pool: Columns, deadline: float) -> None:
        self.program, self.worth, self.deadline = program, worth, deadline
        self.columns: Columns | None = None
        self.number = np.empty(0, np.int64)
        self.value, self.pool = 0, pool

    def offer(self, columns: Columns, number: Ints) -> None:
        """Keep a placement if it is better than the best one so far."""
        held = number > 0
        columns, number = Columns(columns.class_[held], columns.pattern[held]), number[held]
        *before, value = self.program.compute_values(columns, number)[: len(self.worth) + 1]
        fits = all(each <= most for each, most in zip(before, self.worth, strict=True))
        if fits and (self.columns is None or value < self.value):
            self.columns, self.number, self.value = columns, number, value

    def is_reached(self, found: Relaxed) -> bool:
        """Return True if no placement in these cases is better than the best one so far."""
        return found.least is None or (self.columns is not None and found.least >= self.value)

    def build_proof(self, way: Way, first: Columns) -> tuple[GroupProof, int | None]:
        """Return a proof for the cases of a path in the tree, and its bound, None if no placement is possible."""
        many = not way and self.program.of.classes > MANY
        number = self.number if first is self.columns else np.zeros(len(first), np.int64)
        start = first if way or many else first.join(self.pool)
        found = solve_relaxation(self.program, self.worth, way, start, number, many, self.deadline)
        if not way and not many:
            self.pool = found.master.columns
        self._look_for_placements(found, way, many)
        if self.is_reached(found) or found.over or time.monotonic() > self.deadline:
            return found.prices, found.least
        if many:
            found = solve_relaxation(
                self.program, self.worth, way, self.columns or first, self.number, False, self.deadline
            )
            if self.is_reached(found) or found.over:
                return found.prices, found.least
        columns = found.master.columns
        case = self._choose_case(columns, found.master.read_numbers())
        sides = [self.build_proof((*way, (case, more)), columns) for more in (False, True)]
        least = min((bound for _, bound in sides if bound is not None), default=None)
        return Tree(case, sides[0][0], sides[1][0]), least

    def _look_for_placements(self, found: Relaxed, way: Way, many: bool) -> None:
        """Search a placement that reaches the bound, then any that is better than the best one so far."""
        if self.is_reached(found) or found.over:
            return
        numbers = found.master.read_numbers()
        if not many and np.abs(numbers - np.rint(numbers)).max(initial=0) <= WHOLE:
            self.offer(found.master.columns, np.rint(numbers).astype(np.int64))
        unit, least = int(found.prices.unit), found.least
        assert least is not None
        for better in (False, True):
            if self.is_reached(found):
                return
            above = LARGEST if self.columns is None else unit * (self.value - 1) - found.proved
            slack = above if better else unit * least - found.proved
            try:
                placement = find_merged_placement(
                    self.program, self.worth, way, found.prices, slack, self.deadline
                )
            except TimeOverError:
                return
            if placement is not None:
                self.offer(*placement)

    def _choose_case(self, columns: Columns, numbers: NDArray[np.float64]) -> ClassCase:
        """Return a case that splits a sum of copies: of all items, or of a class."""
        program = self.program
        of = program.of
        active, standby = program.locate_copies(columns)
        actives = np.zeros((of.classes, of.groups))
        every = np.zeros((of.classes, of.groups))
        np.add.at(actives, (columns.class_, active), numbers)
        np.add.at(every, columns.class_, numbers[:, None] * standby)
        every += actives
        for sums, is_active in ((actives, True), (every, False)):
            group, total = _find_most_split(sums.sum(axis=0))
            if group >= 0:
                return ClassCase(None, group, is_active, math.floor(total))
        for sums, is_active in ((actives, True), (every, False)):
            place, total = _find_most_split(sums.reshape(-1))
            if place >= 0:
                class_, group = divmod(place, of.groups)
                return ClassCase(np.array([class_]), group, is_active, math.floor(total))
        raise UndecidedError


def _find_most_split(sums: NDArray[np.float64]) -> tuple[int, float]:
    """Return the place of the sum that is farthest from integers, -1 if all are integers, and the sum."""
    away = np.abs(sums - np.rint(sums))
    place = int(away.argmax())
    return (place, float(sums[place])) if away[place] > FRACTION else (-1, 0.0)
