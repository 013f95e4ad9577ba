"""Branch and bound: where prices alone do not prove the optimum of a level, cases do whose leaves prices prove."""

import math
import time
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from kassay.oracles.assignment.active_standby.collapsed.column_generation import (
    Relaxed,
    even_prices,
    relaxed,
    without_prices,
)
from kassay.oracles.assignment.active_standby.collapsed.master import WHOLE, TimeOverError
from kassay.oracles.assignment.active_standby.collapsed.merging import merged_placement
from kassay.oracles.assignment.active_standby.collapsed.pricing import GroupPrices, cheapest
from kassay.oracles.assignment.active_standby.collapsed.program import ClassCase, Columns, Program, Way
from kassay.oracles.assignment.active_standby.collapsed.row_aggregation import MANY
from kassay.oracles.assignment.active_standby.problem import BALANCES
from kassay.oracles.assignment.problem import LARGEST, Ints
from kassay.oracles.errors import UnsolvedError

NONE = np.empty(0, np.int64)
FRACTION = 1e-6
"""How far a sum must be from a whole number to be split."""


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """A case and the proofs of its sides."""

    case: ClassCase
    fewer: "GroupProof"
    more: "GroupProof"


GroupProof: TypeAlias = GroupPrices | Tree


@dataclass(frozen=True, slots=True, eq=False)
class Solved:
    """What the best placement found has in each column, the level's value there, a proof, and what it proves.

    `least` is below `value` where the time was over. `columns` are None where nothing is possible; `pool` are columns that were looked
    at, for the next level.
    """

    columns: Columns | None
    number: Ints
    value: int
    least: int
    proof: GroupProof
    pool: Columns


class UndecidedError(Exception):
    """Patterns are split, but no sum of copies is: the collapse has no case for that."""


def solved(
    program: Program,
    worth: tuple[int, ...],
    first: Columns,
    number: Ints,
    pool: Columns,
    deadline: float = math.inf,
) -> Solved:
    """Return the optimum of the level after those of `worth`; `first` and `number` are a placement worth that, if known.

    Raises UnsolvedError where `deadline` (of time.monotonic) passes before a placement is found.
    """
    search = _Search(program, worth, pool, deadline)
    of = program.of
    if len(first):
        search.offer(first, number)
    elif of.active_loads is None and of.loads is None and not len(of.caps):
        anywhere, _ = cheapest(program, (), without_prices(program, worth), np.float64)
        search.offer(anywhere, of.count)
    proof, least = search.proof((), search.columns or first)
    if search.columns is None:
        if least is not None:
            raise TimeOverError("the time was over before a placement was found")
        return Solved(None, NONE, 0, 0, proof, pool)
    if least is None:
        raise UnsolvedError("there is a placement, but prices seem to show that there is none")
    return Solved(search.columns, search.number, search.value, least, proof, search.pool)


def even_balances(program: Program) -> list[Solved]:
    """Return for the balances that come first, but for the last level, that no loads are better than even ones.

    Whether such loads are possible is for the next level to find out.
    """
    found: list[Solved] = []
    for level in program.levels[:-1]:
        if level not in BALANCES:
            break
        worth = tuple(each.value for each in found)
        prices, least = even_prices(program, worth)
        found.append(Solved(None, NONE, least, least, prices, Columns(NONE, NONE)))
    return found


class _Search:
    def __init__(self, program: Program, worth: tuple[int, ...], pool: Columns, deadline: float) -> None:
        self.program, self.worth, self.deadline = program, worth, deadline
        self.columns: Columns | None = None
        self.number = np.empty(0, np.int64)
        self.value, self.pool = 0, pool

    def offer(self, columns: Columns, number: Ints) -> None:
        """Take a placement where it is better than the best so far."""
        held = number > 0
        columns, number = Columns(columns.class_[held], columns.pattern[held]), number[held]
        *before, value = self.program.values(columns, number)[: len(self.worth) + 1]
        fits = all(each <= most for each, most in zip(before, self.worth, strict=True))
        if fits and (self.columns is None or value < self.value):
            self.columns, self.number, self.value = columns, number, value

    def reached(self, found: Relaxed) -> bool:
        """Whether nothing in these cases is better than the best placement so far."""
        return found.least is None or (self.columns is not None and found.least >= self.value)

    def proof(self, way: Way, first: Columns) -> tuple[GroupProof, int | None]:
        """Return a proof for the cases of a way, and what it proves, None where nothing is possible."""
        many = not way and self.program.of.classes > MANY
        number = self.number if first is self.columns else np.zeros(len(first), np.int64)
        start = first if way or many else first.and_(self.pool)
        found = relaxed(self.program, self.worth, way, start, number, many, self.deadline)
        if not way and not many:
            self.pool = found.master.columns
        self._look(found, way, many)
        if self.reached(found) or found.over or time.monotonic() > self.deadline:
            return found.prices, found.least
        if many:
            found = relaxed(
                self.program, self.worth, way, self.columns or first, self.number, False, self.deadline
            )
            if self.reached(found) or found.over:
                return found.prices, found.least
        columns = found.master.columns
        case = self._case(columns, found.master.numbers())
        sides = [self.proof((*way, (case, more)), columns) for more in (False, True)]
        least = min((bound for _, bound in sides if bound is not None), default=None)
        return Tree(case, sides[0][0], sides[1][0]), least

    def _look(self, found: Relaxed, way: Way, many: bool) -> None:
        """Look for a placement as good as the bound, then for any that is better than the best so far."""
        if self.reached(found) or found.over:
            return
        numbers = found.master.numbers()
        if not many and np.abs(numbers - np.rint(numbers)).max(initial=0) <= WHOLE:
            self.offer(found.master.columns, np.rint(numbers).astype(np.int64))
        unit, least = int(found.prices.unit), found.least
        assert least is not None
        for better in (False, True):
            if self.reached(found):
                return
            above = LARGEST if self.columns is None else unit * (self.value - 1) - found.proved
            slack = above if better else unit * least - found.proved
            try:
                placement = merged_placement(
                    self.program, self.worth, way, found.prices, slack, self.deadline
                )
            except TimeOverError:
                return
            if placement is not None:
                self.offer(*placement)

    def _case(self, columns: Columns, numbers: NDArray[np.float64]) -> ClassCase:
        """Return a case that splits a sum of copies: of all items, or of a class."""
        program = self.program
        of = program.of
        active, standby = program.placed(columns)
        actives = np.zeros((of.classes, of.groups))
        every = np.zeros((of.classes, of.groups))
        np.add.at(actives, (columns.class_, active), numbers)
        np.add.at(every, columns.class_, numbers[:, None] * standby)
        every += actives
        for sums, is_active in ((actives, True), (every, False)):
            group, total = _most_split(sums.sum(axis=0))
            if group >= 0:
                return ClassCase(None, group, is_active, math.floor(total))
        for sums, is_active in ((actives, True), (every, False)):
            place, total = _most_split(sums.reshape(-1))
            if place >= 0:
                class_, group = divmod(place, of.groups)
                return ClassCase(np.array([class_]), group, is_active, math.floor(total))
        raise UndecidedError


def _most_split(sums: NDArray[np.float64]) -> tuple[int, float]:
    """Return the place of the sum that is farthest from whole numbers, -1 where all are whole, and the sum."""
    away = np.abs(sums - np.rint(sums))
    place = int(away.argmax())
    return (place, float(sums[place])) if away[place] > FRACTION else (-1, 0.0)
