"""The answer to a question about a group: the least values, an assignment that has them, and why none has less."""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kassay.model import Assignment, Group
from kassay.oracles.consumer.flow.exact import Solution, solve
from kassay.oracles.consumer.measuring import measured
from kassay.oracles.consumer.proof.prices import bound
from kassay.oracles.consumer.question import Question, question
from kassay.oracles.consumer.reading import Case, assignment_of, cases
from kassay.oracles.consumer.reasons import reasons
from kassay.oracles.consumer.values import imbalance, values
from kassay.oracles.failures import UnsolvedError

MEASURED = 100_000
"""Up to this many partitions the values found are measured again, on the assignment itself."""


@dataclass(frozen=True, slots=True)
class Level:
    """One level of an answer: what the assignment found is worth, and what no assignment can go below.

    Both are in the unit of the measure of this name: imbalance for balance, else partitions. They differ
    where the time was over before the optimum was proved.
    """

    name: str
    value: int
    least: int

    @property
    def proved(self) -> bool:
        """Whether the value is the optimum."""
        return self.value == self.least


@dataclass(frozen=True, slots=True)
class Certificate:
    """Why nothing is better: in words, and as what each member asks for a slot at every level.

    See :mod:`kassay.oracles.consumer.proof.prices`. `prices` has one entry per independent part of the
    question: the whole, or each co-partitioned set of topics.
    """

    words: tuple[str, ...]
    prices: tuple[dict[str, tuple[int, ...]], ...]


@dataclass(frozen=True, slots=True)
class Optimum:
    """The answer to a question: levels in order, down to the first unproved one; the assignment; its certificate."""

    question: str
    levels: tuple[Level, ...]
    assignment: Assignment
    certificate: Certificate

    @property
    def proved(self) -> bool:
        """Whether every level is proved."""
        return all(level.proved for level in self.levels)

    @property
    def values(self) -> dict[str, int]:
        """The optimum of each level that is proved."""
        return {level.name: level.value for level in self.levels if level.proved}


def optimum(text: str, group: Group, time_limit_s: float | None = None) -> Optimum:
    """Return the exact optimum of a question (see :func:`.question.question`), with its certificate.

    Where the time limit passes, the levels end with an interval; reading the group and writing the assignment
    are not cut short. Raises ImpossibleError where nothing answers the question, TooLargeError where numbers
    leave 64 bits, UnsolvedError where a solver fails.
    """
    asked = question(text)
    deadline = math.inf if time_limit_s is None else time.monotonic() + time_limit_s
    read = cases(group, asked)
    return answer(group, asked, read, [solve(case.problem, asked, deadline) for case in read])


def answer(
    group: Group, asked: Question, read: Sequence[Case], solutions: Sequence[Solution], *, words: bool = True
) -> Optimum:
    """Return the answer that solutions of a group's cases make together, each judged by the bound of its prices.

    Without `words` its certificate has none, which saves time.
    """
    found = assignment_of(group, read, [solution.owners for solution in solutions])
    reached = np.zeros(len(asked.levels), np.int64)
    least = np.zeros(len(asked.levels), np.int64)
    for case, solution in zip(read, solutions, strict=True):
        reached += values(case.problem, asked.levels, solution.owners)
        least += bound(case.problem, asked, solution.prices)
    levels = []
    for level, own, proved in zip(asked.levels, reached.tolist(), least.tolist(), strict=True):
        lost = sum(case.lost for case in read) if level == "moves" else 0
        if level != "balance":
            levels.append(Level(level, own + lost, proved + lost))
        elif not asked.together:
            spread = imbalance(read[0].problem, solutions[0].owners)
            levels.append(Level(level, spread, spread if own == proved else 0))
        if own != proved:
            break
    if sum(case.problem.items for case in read) <= MEASURED:
        value = measured(group, found, asked)
        if any(level.value != value[level.name] for level in levels):
            raise UnsolvedError(f"the optimum found is {levels}, but measured it is {value}")
    told = reasons(read, asked, solutions) if words and all(level.proved for level in levels) else ()
    return Optimum(
        str(asked), tuple(levels), found, Certificate(told, tuple(map(_by_member, read, solutions)))
    )


def _by_member(case: Case, solution: Solution) -> dict[str, tuple[int, ...]]:
    return {m: tuple(each) for m, each in zip(case.members, solution.prices.rows.T.tolist(), strict=True)}
