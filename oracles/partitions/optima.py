"""The optima of a group's levels, found and proved once, to hold any number of answers against.

The optima of a group's levels once more, by linear programs, to hold the fast ones against.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from kassay.model import Assignment, Group, TopicPartition
from kassay.oracles.answers import Gap, Optima
from kassay.oracles.assignment.certificates import judged, legal
from kassay.oracles.assignment.flow.exact import Solution, solve, solve_each
from kassay.oracles.assignment.linear_program import solve_collapsed_program, solve_program
from kassay.oracles.assignment.own_levels import BALANCE
from kassay.oracles.assignment.problem import Ints
from kassay.oracles.assignment.values import imbalance, values
from kassay.oracles.errors import ImpossibleError, UnsolvedError
from kassay.oracles.partitions.encoding import Case, assignment_of, cases, counted, owners_in
from kassay.oracles.partitions.levels import LEVELS, compared
from kassay.oracles.partitions.question import Question, question, remeasure


@dataclass(frozen=True, slots=True)
class _Places:
    """A group's case with the numbers of its partitions and members, to find what an assignment is worth."""

    case: Case
    items: dict[TopicPartition, int]
    places: dict[str, int]
    levels: tuple[str, ...]

    def reached(self, assignment: Assignment) -> dict[str, int] | None:
        """Return an assignment's value in each level, None where it is not complete and legal."""
        if not self.case.problem.single:
            held = owners_in(self.case, assignment)
            return None if held is None else _measured(self.case, held, self.levels)
        owners = np.full(len(self.items), -1)
        given = 0
        for member, partitions in assignment.items():
            if partitions:
                try:
                    owners[[self.items[partition] for partition in partitions]] = self.places[member]
                except KeyError:
                    return None
                given += len(partitions)
        # As many as there are, and none is left: so none was given twice.
        if given != len(owners) or owners.min(initial=0) < 0:
            return None
        column = owners.reshape(-1, 1)
        return _measured(self.case, column, self.levels) if legal(self.case.problem, column) else None


def optima(group: Group, contract: str = "") -> Optima:
    """Find and prove the optimum of balance, and at the most even loads that of each other level.

    They are in the order of LEVELS and in the units of the measures. `contract` is nothing or ``shared,``. Raises UnsolvedError
    where that fails, TooLargeError beyond 64 bits.
    """
    every = [question(f"{contract}{BALANCE},{level}") for level in compared(contract)[1:]]
    (case,) = cases(group, every[0])
    solutions = solve_each(case.problem, [asked.levels for asked in every])
    least: dict[str, int] = {}
    for asked, solution in zip(every, solutions, strict=True):
        worth = _proved(case, asked, solution)
        if least.setdefault(BALANCE, worth[BALANCE]) != worth[BALANCE]:
            raise UnsolvedError(
                f"{asked}: two optima of balance differ, {least[BALANCE]} and {worth[BALANCE]}"
            )
        least |= {level: worth[level] for level in asked.levels}
    return _known(case, least)


def in_order(group: Group, asked: Question) -> Optima:
    """Find and prove the optimum of each level of a question, at the optima of those before it.

    They are in the question's order and in the units of the measures. Raises as :func:`optima` does, and ImpossibleError
    for a question with a contract.
    """
    if asked.together or asked.joined or asked.several:
        raise ImpossibleError(f"question: {asked} has a contract; name levels only")
    if asked.weighs:
        raise ImpossibleError(
            f"question: {asked} asks for weights, of which answers are intervals; leave them out"
        )
    (case,) = cases(group, asked)
    least = _proved(case, asked, solve(case.problem, asked.levels))
    return _known(case, {level: least[level] for level in asked.levels})


def _proved(case: Case, asked: Question, solution: Solution) -> dict[str, int]:
    """Return what a solution is worth in each level; raises UnsolvedError where its prices do not prove it best."""
    best = judged(case.problem, asked.levels, solution.owners, solution.prices)
    if not best.proved:
        raise UnsolvedError(f"{asked}: the prices do not prove the optimum found")
    return _measured(case, best.owners, asked.levels)


def _known(case: Case, least: Mapping[str, int]) -> Optima:
    """Make optima, by level, ready to hold answers against."""
    items = {
        TopicPartition(topic, number): first + number
        for (topic,), first, end in zip(
            case.topics, case.start, (*case.start[1:], case.problem.items), strict=False
        )
        for number in range(end - first)
    }
    known = _Places(case, items, {member: n for n, member in enumerate(case.members)}, tuple(least))

    def gaps(assignment: Assignment) -> tuple[Gap, ...]:
        reached = known.reached(assignment)
        if reached is None:
            return ()
        return tuple(Gap(level, reached[level], best, LEVELS[level].words) for level, best in least.items())

    return Optima(least, gaps)


def _measured(case: Case, owners: Ints, levels: tuple[str, ...]) -> dict[str, int]:
    """Return what owners are worth in some levels, and in balance."""
    costs = [level for level in levels if level != BALANCE]
    worth = zip(costs, values(case.problem, tuple(costs), owners), strict=True)
    return {BALANCE: imbalance(case.problem, owners)} | {
        level: counted([case], level, own) for level, own in worth
    }


SMALL = 3000
"""Up to so many pairs of item and member the program is written partition by partition, else on the collapsed network."""


def programmed(group: Group, contract: str = "") -> dict[str, int]:
    """Return the optimum of each level, in the units of the measures; raises what the programs raise."""
    every = [question(f"{contract}{BALANCE},{level}") for level in compared(contract)[1:]]
    (case,) = cases(group, every[0])
    small = not case.problem.single or case.problem.items * case.problem.members <= SMALL
    least: dict[str, int] = {}
    for asked in every:
        solve = solve_program if small else solve_collapsed_program
        owners = solve(case.problem.asked(asked.levels), asked.levels)[0]
        least |= remeasure(group, assignment_of(group, [case], [owners]), asked)
    return least
