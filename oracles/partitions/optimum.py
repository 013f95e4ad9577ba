"""The answer to a question about a group: the least values, an assignment that has them, and why none has less.

Why nothing is better, as JSON that others can check: prices, and what assignment and prices are worth.

The values of a question's levels, as the measures of the consumer family give them.
"""

import math
import time
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from kassay.model import Assignment, Group
from kassay.oracles.answers import Answer, Level
from kassay.oracles.assignment.certificates import Judged, judged
from kassay.oracles.assignment.flow.exact import Solution, solve
from kassay.oracles.assignment.own_levels import BALANCE
from kassay.oracles.assignment.prices import Prices
from kassay.oracles.assignment.values import imbalance
from kassay.oracles.errors import UnsolvedError
from kassay.oracles.partitions.encoding import Case, assignment_of, cases, counted
from kassay.oracles.partitions.levels import LEVELS
from kassay.oracles.partitions.levels.level import Measure
from kassay.oracles.partitions.question import Question, question
from kassay.oracles.partitions.reasons import reasons


def part(case: Case, best: Judged) -> dict[str, Any]:
    """Return the proof of one case of a group, as JSON: of topics that no other topics depend on.

    `price` and `except` are what each member that reads any of them asks for a slot, one number per level of the
    question, the price that most of them ask but once; `value` is what the assignment costs and `least` what the
    prices prove that none can go below, level by level and to be compared like words in a dictionary. Balance counts
    the squared loads. Where the spread of topics is asked, `spread` has the prices of topics. See :mod:`kassay.oracles.assignment.certificates`.
    """
    some = np.flatnonzero(np.isin(case.problem.subscription_of, case.problem.audience_subscription))
    asked = map(tuple, best.prices.rows[:, some].T.tolist())
    prices = dict(zip(map(case.members.__getitem__, some.tolist()), asked, strict=True))
    ((usual, _),) = Counter(prices.values()).most_common(1)
    topics = {} if best.prices.topics is None else {"spread": of_topics(case, best.prices)}
    return topics | {
        "topics": case.names,
        "value": best.value,
        "least": best.least,
        "price": usual,
        "except": {member: price for member, price in prices.items() if price != usual},
    }


def of_topics(case: Case, prices: Prices) -> dict[str, Any]:
    """Return what a place of each topic costs at members of each rack, and what else it costs at single members that owned some of it."""
    problem = case.problem
    assert prices.topics is not None
    alone = prices.topics.shape[2] == 1
    racks = [""] if alone else [*case.racks, ""]
    read = [
        {0} if alone else {*problem.rack_of[np.isin(problem.subscription_of, reads)].tolist()}
        for reads in np.split(problem.audience_subscription, problem.audience_start[1:-1])
    ]
    rows = prices.topics.tolist()
    return {
        "price": {
            names[0]: {racks[r]: tuple(row[t][r] for row in rows) for r in sorted(read[audience])}
            for t, (names, audience) in enumerate(
                zip(case.topics, problem.topic_audience.tolist(), strict=True)
            )
        },
        "except": [
            (case.topics[topic][0], case.members[member], tuple(row))
            for topic, member, row in zip(
                *(each.tolist() for each in prices.places), prices.place_rows.T.tolist(), strict=True
            )
        ],
    }


def certificate(
    levels: Sequence[Level], assignment: Assignment, parts: Sequence[dict[str, Any]] = ()
) -> dict[str, Any]:
    """Return the proof of an answer as JSON, without the assignment itself and the levels."""
    return {
        "proved": all(level.proved for level in levels) and all(p["value"] == p["least"] for p in parts),
        "loads": {member: len(partitions) for member, partitions in assignment.items()},
        "parts": list(parts),
    }


def remeasure(group: Group, assignment: Assignment, question: Question) -> dict[str, int]:
    """Return what an assignment is worth in each level, in the unit of its measure; under the range contract, which gives the loads, without balance."""
    return {level: measure(question, level)(group, assignment) for level in question.shown}


def measure(question: Question, level: str) -> Measure:
    """Return the function that measures a level of a question."""
    known = LEVELS[level]
    if question.joined and known.beside_joins:
        return known.beside_joins
    return known.of_copies if question.several and known.of_copies else known.measure


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
