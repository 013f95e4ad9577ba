"""Whether an answer is dominated: another has loads as even, as few moves and reads across racks, and spreads topics better.

Then nothing is traded for the worse spread. Better answers are looked for among the optima of questions in which the loads come first
and the spread before or behind the other levels. One that is better is its own proof. That there is none is proved where the answer is as good as one
of these in everything; otherwise it is not known.
"""

from collections.abc import Callable
from functools import cache, partial
from itertools import permutations

from kassay.model import Assignment, Group
from kassay.oracles.answers import Dominated
from kassay.oracles.assignment.certificates import judged
from kassay.oracles.assignment.flow.exact import solve
from kassay.oracles.assignment.own_levels import BALANCE, TOPIC_SPREAD
from kassay.oracles.assignment.problem import Ints, Problem
from kassay.oracles.assignment.values import least_spread, values
from kassay.oracles.errors import TooLargeError, UnsolvedError
from kassay.oracles.partitions.encoding import COSTS, assignment_of, cases, counted, owners_in
from kassay.oracles.partitions.question import Question

COMPARED = (BALANCE, *COSTS, TOPIC_SPREAD)


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


def dominance(group: Group) -> Callable[[Assignment], Dominated | None]:
    """Return what says of an answer to a group whether it is dominated, None where the answer is not complete and legal.

    Questions are asked when they are needed, and once; what is too large to be asked is not known. Raises UnsolvedError where a
    solver fails, or prices do not prove an optimum.
    """
    (case,) = cases(group, Question(COMPARED))
    problem = case.problem
    asked_of = questions(problem)

    optimum, floor = cache(partial(_optimum, problem)), least_spread(problem) if problem.items else 0

    def dominated(assignment: Assignment) -> Dominated | None:
        owners = owners_in(case, assignment)
        if owners is None:
            return None
        value = values(problem, COMPARED, owners)
        shown = counted([case], TOPIC_SPREAD, value[-1]) if problem.items else 0
        if shown == 0:
            return Dominated(TOPIC_SPREAD, shown, shown, False)
        least, better, asked, best_of_all = value[-1], None, COMPARED, False
        for levels in asked_of:
            if least == floor:
                break  # nothing is below that
            other = optimum(levels)
            worth = None if other is None else values(problem, COMPARED, other)
            best_of_all = best_of_all or worth == value
            if worth is not None and all(map(int.__le__, worth, value)) and worth[-1] < least:
                least, better, asked = worth[-1], other, levels
        if better is None:
            return Dominated(TOPIC_SPREAD, shown, shown, False if best_of_all else None)
        given = assignment_of(group, [case], [better])
        return Dominated(
            TOPIC_SPREAD, shown, counted([case], TOPIC_SPREAD, least), True, given, ",".join(asked)
        )

    return dominated


def _optimum(problem: Problem, levels: tuple[str, ...]) -> Ints | None:
    """Return the owners of a proved optimum, None where it is too large to be asked."""
    try:
        found = solve(problem, levels)
    except TooLargeError:
        return None
    best = judged(problem, levels, found.owners, found.prices)
    if not best.proved:
        raise UnsolvedError(f"{','.join(levels)}: the prices do not prove the optimum found")
    return best.owners
