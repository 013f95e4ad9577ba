"""Dominated owners: others have loads as even and all that costs something as cheap, and spread topics better.

Then nothing is traded for the worse spread. Better owners are looked for among the optima of questions in which the loads come first
and the spread before or behind the other levels. What is better is its own proof. That nothing is better is proved if the owners are as
good as one of these in everything; otherwise it is not known.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from itertools import permutations

from kassay.oracles.assignment.certificates import judged
from kassay.oracles.assignment.flow.exact import solve
from kassay.oracles.assignment.own_levels import BALANCE, TOPIC_SPREAD
from kassay.oracles.assignment.problem import Ints, Problem
from kassay.oracles.assignment.values import least_spread, values
from kassay.oracles.errors import TooLargeError, UnsolvedError


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """The squares that owners have, the least known of those that are no worse, who has these and which question they answer; verdicts as in :class:`kassay.oracles.answers.Dominated`."""

    squares: int
    least: int
    verdict: bool | None
    owners: Ints | None = None
    levels: tuple[str, ...] = ()


def questions(problem: Problem) -> list[tuple[str, ...]]:
    """Return the questions that ask for the spread behind all that costs something in this problem, and before it."""
    some = [
        level.name
        for level in problem.levels
        if any(column is not None and column.any() for column in (level.table, level.gain))
    ]
    orders = list(permutations(some))
    behind = [(BALANCE, *order, TOPIC_SPREAD) for order in orders]
    return behind + [(BALANCE, TOPIC_SPREAD, *order) for order in orders if order]


def dominance(problem: Problem) -> Callable[[Ints], Found]:
    """Return what says of owners whether they are dominated in the problem's levels.

    Questions are asked when they are needed, and once; what is too large to be asked is not known. Raises UnsolvedError if a
    solver fails, or prices do not prove an optimum.
    """
    compared = (BALANCE, *(level.name for level in problem.levels), TOPIC_SPREAD)
    asked_of = questions(problem)
    optimum, floor = cache(partial(_find_optimum, problem)), least_spread(problem) if problem.items else 0

    def dominated(owners: Ints) -> Found:
        value = values(problem, compared, owners)
        best, best_of_all = Found(value[-1], value[-1], None), value[-1] == floor
        for levels in asked_of:
            if best.least == floor:
                break  # nothing is below that
            other = optimum(levels)
            worth = None if other is None else values(problem, compared, other)
            best_of_all = best_of_all or worth == value
            if worth is not None and all(map(int.__le__, worth, value)) and worth[-1] < best.least:
                best = Found(value[-1], worth[-1], True, other, levels)
        return Found(value[-1], value[-1], False) if best.verdict is None and best_of_all else best

    return dominated


def _find_optimum(problem: Problem, levels: tuple[str, ...]) -> Ints | None:
    """Return the owners of a proved optimum, None if it is too large to be asked."""
    try:
        found = solve(problem, levels)
    except TooLargeError:
        return None
    best = judged(problem, levels, found.owners, found.prices)
    if not best.proved:
        raise UnsolvedError(f"{','.join(levels)}: the prices do not prove the optimum found")
    return best.owners
