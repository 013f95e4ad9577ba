"""Branch and bound: where prices alone do not prove the optimum of a level, cases do whose leaves prices prove."""

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from kassay.oracles.assignment.level import Ints
from kassay.oracles.assignment.roles.collapsed.column_generation import SLIGHT, Relaxed, relaxed
from kassay.oracles.assignment.roles.collapsed.pricing import GroupPrices, cheap
from kassay.oracles.assignment.roles.collapsed.program import ClassCase, Columns, Program, Way

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

    `least` is below `value` where the time was over. `columns` are None where nothing is possible.
    """

    columns: Columns | None
    number: Ints
    value: int
    least: int
    proof: GroupProof


class UndecidedError(Exception):
    """Patterns are split, but no sum of copies is: the collapse has no case for that."""


def solved(
    program: Program, worth: tuple[int, ...], first: Columns, number: Ints, deadline: float = math.inf
) -> Solved:
    """Return the optimum of the level after those of `worth`; `first` and `number` are a placement worth that."""
    search = _Search(program, worth, deadline)
    if worth:
        search.offer(first, number)
    proof, least = search.proof((), first)
    if search.columns is None:
        return Solved(None, np.empty(0, np.int64), 0, 0, proof)
    assert least is not None
    return Solved(search.columns, search.number, search.value, least, proof)


class _Search:
    def __init__(self, program: Program, worth: tuple[int, ...], deadline: float) -> None:
        self.program, self.worth, self.deadline = program, worth, deadline
        self.columns: Columns | None = None
        self.number = np.empty(0, np.int64)
        self.value = 0

    def offer(self, columns: Columns, number: Ints) -> None:
        """Take a placement where it is better than the best so far."""
        held = number > 0
        columns, number = Columns(columns.class_[held], columns.pattern[held]), number[held]
        *before, value = self.program.values(columns, number)[: len(self.worth) + 1]
        fits = all(each <= most for each, most in zip(before, self.worth, strict=True))
        if fits and (self.columns is None or value < self.value):
            self.columns, self.number, self.value = columns, number, value

    def proof(self, way: Way, first: Columns) -> tuple[GroupProof, int | None]:
        """Return a proof for the cases of a way, and the bound that it proves, None where nothing is possible."""
        found = relaxed(self.program, self.worth, way, first, self.deadline)
        if found.least is None:
            return found.prices, None
        if self.columns is not None and found.least >= self.value:
            return found.prices, found.least
        numbers, columns = found.master.numbers(), found.master.columns
        whole = np.rint(numbers).astype(np.int64)
        if np.abs(numbers - whole).max(initial=0) <= 1e-5:
            self.offer(columns, whole)
        else:
            self._offer_whole(found, way)
        if self.columns is not None and found.least >= self.value:
            return found.prices, found.least
        case = self._case(columns, numbers)
        sides = [self.proof((*way, (case, more)), columns) for more in (False, True)]
        least = min((bound for _, bound in sides if bound is not None), default=None)
        return Tree(case, sides[0][0], sides[1][0]), least

    def _offer_whole(self, found: Relaxed, way: Way) -> None:
        """Look for whole numbers: in all columns that cost nothing more, and in those that what is found leaves room for."""
        master = found.master
        prices, paid = master.prices(True)
        for slack in (SLIGHT, 1.0):
            master.add(cheap(self.program, way, prices, paid + slack))
            number = master.whole(self.deadline)
            if number is not None:
                self.offer(master.columns, number)
            if self.columns is not None and found.least is not None and found.least >= self.value:
                return

    def _case(self, columns: Columns, numbers: NDArray[np.float64]) -> ClassCase:
        """Return a case that splits a sum of copies: of all items, or of a class."""
        program = self.program
        of = program.of
        columns = Columns(columns.class_[: len(numbers)], columns.pattern[: len(numbers)])
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
