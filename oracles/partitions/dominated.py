"""Whether an answer is dominated: another has loads as even, as few moves and reads across racks, and spreads topics better.

Then nothing is traded for the worse spread. Better answers are looked for among the optima of questions in which the loads come first
and the spread before or behind the other levels. One that is better is its own proof. That there is none is proved where the answer is the
optimum of a question whose last level is the spread; otherwise it is not known.
"""

from collections.abc import Callable
from itertools import permutations

from kassay.model import Assignment, Group
from kassay.oracles.answers import Dominated
from kassay.oracles.assignment.certificates import judged
from kassay.oracles.assignment.flow.exact import solve
from kassay.oracles.assignment.own_levels import BALANCE, TOPIC_SPREAD
from kassay.oracles.assignment.problem import Ints
from kassay.oracles.assignment.values import values
from kassay.oracles.errors import UnsolvedError
from kassay.oracles.partitions.encoding import COSTS, assignment_of, cases, counted, owners_in
from kassay.oracles.partitions.question import Question

COMPARED = (BALANCE, *COSTS, TOPIC_SPREAD)
LAST = tuple((BALANCE, *order, TOPIC_SPREAD) for order in permutations(COSTS))
FIRST = tuple((BALANCE, TOPIC_SPREAD, *order) for order in permutations(COSTS))


def dominance(group: Group) -> Callable[[Assignment], Dominated | None]:
    """Return what says of an answer to a group whether it is dominated, None where the answer is not complete and legal.

    Questions are asked when they are needed, and once. Raises what :func:`.exact.solve` raises, and UnsolvedError where
    prices do not prove an optimum.
    """
    (case,) = cases(group, Question(COMPARED))
    problem = case.problem
    known: dict[tuple[str, ...], Ints] = {}

    def optimum(levels: tuple[str, ...]) -> Ints:
        if levels not in known:
            found = solve(problem, levels)
            best = judged(problem, levels, found.owners, found.prices)
            if not best.proved:
                raise UnsolvedError(f"{','.join(levels)}: the prices do not prove the optimum found")
            known[levels] = best.owners
        return known[levels]

    def dominated(assignment: Assignment) -> Dominated | None:
        owners = owners_in(case, assignment)
        if owners is None:
            return None
        value = values(problem, COMPARED, owners)
        shown = counted([case], TOPIC_SPREAD, value[-1]) if problem.items else 0
        if shown == 0:
            return Dominated(TOPIC_SPREAD, shown, shown, False)
        better, best_of_all, asked = None, False, COMPARED
        for levels in (*LAST, *FIRST):
            other = values(problem, COMPARED, optimum(levels))
            best_of_all = best_of_all or (levels in LAST and other == value)
            if all(map(int.__le__, other, value)) and other[-1] < (better or value)[-1]:
                better, asked = other, levels
        if better is None:
            return Dominated(TOPIC_SPREAD, shown, shown, False if best_of_all else None)
        least = counted([case], TOPIC_SPREAD, better[-1])
        given = assignment_of(group, [case], [optimum(asked)])
        return Dominated(TOPIC_SPREAD, shown, least, True, given, ",".join(asked))

    return dominated
