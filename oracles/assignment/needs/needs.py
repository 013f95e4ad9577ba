"""Needs as columns: what members weigh, how many items they hold, and how many of a class."""

import math
from dataclasses import dataclass

import numpy as np

from kassay.oracles.assignment.certificates.legality import legal as may_hold
from kassay.oracles.assignment.level import BALANCE, Ints
from kassay.oracles.assignment.problem import LARGEST, Problem
from kassay.oracles.assignment.values import loads, values
from kassay.oracles.failures import ImpossibleError, TooLargeError


@dataclass(frozen=True, slots=True, eq=False)
class Needs:
    """What members need; a column that is None demands nothing.

    `weight` is each member's capacity, 1 or more (a client's threads): balance is then the sum of load^2 / weight, times
    the least common multiple of all weights so that it stays a whole number. A member holds `fewest` to `most` copies;
    a fixed count is where both are equal. The items are in classes, ``class_of[item]``; a row (class, member, most) of
    `caps` says how many copies of the class the member holds at most.
    """

    weight: Ints | None = None
    fewest: Ints | None = None
    most: Ints | None = None
    class_of: Ints | None = None
    caps: Ints | None = None

    def unit(self, problem: Problem) -> Ints:
        """Return what a squared load costs at each member."""
        if self.weight is None:
            return np.ones(problem.members, np.int64)
        multiple = math.lcm(*self.weight.tolist())
        if multiple * (problem.items * problem.copies + 1) ** 2 * problem.members >= LARGEST:
            raise TooLargeError("weight: their least common multiple times squared loads leaves 64 bits")
        return multiple // self.weight

    def span(self, problem: Problem) -> tuple[Ints, Ints]:
        """Return how many copies each member holds at least and at most."""
        every = np.full(problem.members, problem.items)  # no member holds two copies of an item
        fewest = np.zeros_like(every) if self.fewest is None else self.fewest
        return fewest, every if self.most is None else np.minimum(self.most, every)

    @property
    def rows(self) -> Ints:
        """The caps, none where there are none."""
        return np.empty((0, 3), np.int64) if self.caps is None else self.caps

    def classes(self, problem: Problem) -> Ints:
        """Return each item's class."""
        return np.zeros(problem.items, np.int64) if self.class_of is None else self.class_of


def refuse_unfit(problem: Problem, needs: Needs) -> None:
    """Raise ImpossibleError where columns do not fit the problem, or counts leave no room."""
    columns = {"weight": needs.weight, "fewest": needs.fewest, "most": needs.most}
    for name, column in columns.items():
        if column is not None and (
            len(column) != problem.members or column.min(initial=1) < (name == "weight")
        ):
            raise ImpossibleError(f"{name}: give a number of {int(name == 'weight')} or more for each member")
    if needs.class_of is not None and len(needs.class_of) != problem.items:
        raise ImpossibleError("class_of: give a class for each item")
    rows = needs.rows
    if len(rows) and not (rows.min() >= 0 and rows[:, 1].max() < problem.members):
        raise ImpossibleError(
            "caps: a row names a class, member or count below 0, or a member that there is not"
        )
    if len(np.unique(rows[:, :2], axis=0)) != len(rows):
        raise ImpossibleError("caps: a class and member are named twice; give one cap for each")
    fewest, most = needs.span(problem)
    copies = problem.items * problem.copies
    if (fewest > most).any() or not fewest.sum() <= copies <= most.sum():
        raise ImpossibleError(
            f"fewest, most: {copies} copies do not fit between {fewest.sum()} and {most.sum()}"
        )


def legal(problem: Problem, needs: Needs, owners: Ints) -> bool:
    """Return whether every item goes to different members that may hold it, and all needs are met."""
    if not may_hold(problem, owners):
        return False
    load = loads(problem, owners)
    fewest, most = needs.span(problem)
    of = needs.classes(problem)
    held = all(
        int((owners[of == number] == member).sum()) <= cap for number, member, cap in needs.rows.tolist()
    )
    return held and bool(((fewest <= load) & (load <= most)).all())


def weighed(problem: Problem, needs: Needs, levels: tuple[str, ...], owners: Ints) -> tuple[int, ...]:
    """Return the value of each level, the squared loads by weight."""
    unit = needs.unit(problem).tolist()
    squares = sum(
        each * load * load for each, load in zip(unit, loads(problem, owners).tolist(), strict=True)
    )
    rest = iter(values(problem, tuple(level for level in levels if level != BALANCE), owners))
    return tuple(squares if level == BALANCE else next(rest) for level in levels)
