"""The answer to a question about a group: the least values, an assignment that has them, and why none has less."""

import math
import time
from collections.abc import Sequence

from kassay.model import Group
from kassay.oracles.answers import Answer, Level
from kassay.oracles.assignment.certificates import Judged, judged
from kassay.oracles.assignment.flow.exact import Solution, solve
from kassay.oracles.assignment.own_levels import BALANCE
from kassay.oracles.assignment.values import imbalance
from kassay.oracles.errors import UnsolvedError
from kassay.oracles.partitions.certificate import certificate, part
from kassay.oracles.partitions.encoding import Case, assignment_of, cases, counted
from kassay.oracles.partitions.question import Question, question, remeasure
from kassay.oracles.partitions.reasons import reasons

MEASURED = 100_000
"""Up to this many partitions the values found are measured again, on the assignment itself."""


def optimum(text: str, group: Group, time_limit_s: float | None = None) -> Answer:
    """Return the exact optimum of a question (see :func:`kassay.oracles.partitions.question.question`), with its certificate.

    Where the time limit passes, the levels end with an interval; reading the group and writing the assignment
    are not cut short. Raises ImpossibleError where nothing answers the question, TooLargeError where numbers
    leave 64 bits, UnsolvedError where a solver fails.
    """
    asked = question(text)
    if asked.weighs:
        from kassay.oracles.partitions.weights.optimum import optimum as weighed

        return weighed(group, asked, time_limit_s)
    deadline = math.inf if time_limit_s is None else time.monotonic() + time_limit_s
    read = cases(group, asked)
    best = answer(group, asked, read, [solve(case.problem, asked.levels, deadline) for case in read])
    if time_limit_s is None and not best.proved:
        raise UnsolvedError(f"{asked}: the prices do not prove the optimum found")
    return best


def answer(
    group: Group, asked: Question, read: Sequence[Case], solutions: Sequence[Solution], *, words: bool = True
) -> Answer:
    """Return the answer that solutions of a group's cases make together, each judged by the bound of its prices.

    Without `words` its certificate has none, which saves time. Raises UnsolvedError where a solution is no legal
    assignment or its prices cannot be checked, and what :func:`answered` raises.
    """
    best = [
        judged(case.problem, asked.levels, solution.owners, solution.prices)
        for case, solution in zip(read, solutions, strict=True)
    ]
    return answered(group, asked, read, best, words=words)


def answered(
    group: Group, asked: Question, read: Sequence[Case], best: Sequence[Judged], *, words: bool
) -> Answer:
    """Return the answer that judged assignments of a group's cases make together.

    Raises UnsolvedError where prices do not prove that a contract of even loads is kept.
    """
    found = assignment_of(group, read, [each.owners for each in best])
    reached = map(sum, zip(*(each.value for each in best), strict=True))
    least = map(sum, zip(*(each.least for each in best), strict=True))
    levels: list[Level] = []
    tight = True  # so far the prices prove all; beyond, that nothing is below 0 is all that is known
    for level, own, proved in zip(asked.levels, reached, least, strict=True):
        known = max(proved, 0) if tight else 0
        tight = tight and own == proved
        if level != BALANCE:
            levels.append(Level(level, counted(read, level, own), counted(read, level, known)))
        elif not tight and (asked.together or asked.joined):
            raise UnsolvedError(
                f"{asked}: the loads are not proved to be as even as the contract asks; give more time"
            )
        elif not asked.together:
            spread = imbalance(read[0].problem, best[0].owners)
            levels.append(Level(level, spread, spread if tight else 0))
        if levels and not levels[-1].proved:
            break
    if sum(case.problem.items for case in read) <= MEASURED:
        value = remeasure(group, found, asked)
        if any(level.value != value[level.name] for level in levels):
            raise UnsolvedError(f"the optimum found is {levels}, but measured it is {value}")
    told = reasons(read, asked, best) if words and tight else ()
    parts = [part(case, each) for case, each in zip(read, best, strict=True) if case.problem.items]
    return Answer(str(asked), tuple(levels), found, told, certificate(levels, found, parts))
