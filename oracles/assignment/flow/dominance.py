"""The search for owners that are no worse than given ones in any level, and better in topic spread."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import permutations

from kassay.oracles.assignment.certificates import verify_solution
from kassay.oracles.assignment.flow.exact import Solver
from kassay.oracles.assignment.own_levels import BALANCE, TOPIC_SPREAD
from kassay.oracles.assignment.problem import Ints, Problem
from kassay.oracles.assignment.values import compute_least_spread, compute_values
from kassay.oracles.errors import TooLargeError, UnsolvedError


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """The topic spread of owners and the least known spread of owners that are no worse.

    `owners` and `levels` are these other owners and their question. Verdicts are as in
    :class:`kassay.oracles.answers.Dominated`.
    """

    squares: int
    least: int
    verdict: bool | None
    owners: Ints | None = None
    levels: tuple[str, ...] = ()


def list_questions(problem: Problem) -> list[tuple[str, ...]]:
    """Return the questions with topic spread after all levels that cost something in this problem, and before them."""
    some = [
        level.name
        for level in problem.levels
        if any(column is not None and column.any() for column in (level.table, level.gain))
    ]
    orders = list(permutations(some))
    behind = [(BALANCE, *order, TOPIC_SPREAD) for order in orders]
    return behind + [(BALANCE, TOPIC_SPREAD, *order) for order in orders if order]


def compare_dominance(solver: Solver) -> Callable[[Ints], Found]:
    """Return a function that says whether owners are dominated in the levels of a solver's problem.

    Owners are dominated if others have equally balanced loads, are no worse in any level of costs, and have less topic
    spread. Better owners are searched among the optima of questions with the loads first and the spread before or
    after the other levels. Better owners are their own proof. If the owners equal one of these optima in every level, no
    better owners exist; otherwise it is unknown.

    Each question is solved once, when it is needed; a question that is too large counts as unknown. Raises UnsolvedError
    if a solver fails, or prices do not prove an optimum.
    """
    problem = solver.problem
    compared = (BALANCE, *(level.name for level in problem.levels), TOPIC_SPREAD)
    asked_of = list_questions(problem)
    floor = compute_least_spread(problem) if problem.items else 0

    @cache
    def find_optimum(levels: tuple[str, ...]) -> Ints | None:
        try:
            found = solver.solve(levels)
        except TooLargeError:
            return None
        best = verify_solution(problem, levels, found.owners, found.prices)
        if not best.proved:
            raise UnsolvedError(f"{','.join(levels)}: the prices do not prove the optimum found")
        return best.owners

    def find_better(owners: Ints) -> Found:
        value = compute_values(problem, compared, owners)
        best, best_of_all = Found(value[-1], value[-1], None), value[-1] == floor
        for levels in asked_of:
            if best.least == floor:
                break  # no assignment has less spread
            other = find_optimum(levels)
            worth = None if other is None else compute_values(problem, compared, other)
            best_of_all = best_of_all or worth == value
            if worth is not None and all(map(int.__le__, worth, value)) and worth[-1] < best.least:
                best = Found(value[-1], worth[-1], True, other, levels)
        return Found(value[-1], value[-1], False) if best.verdict is None and best_of_all else best

    return find_better
