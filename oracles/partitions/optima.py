"""The optima of a group's three levels, found and proved once, to hold any number of answers against."""

from dataclasses import dataclass

import numpy as np

from kassay.model import Assignment, Group, TopicPartition
from kassay.oracles.answers import Gap, Optima
from kassay.oracles.assignment.certificates.duals import judged
from kassay.oracles.assignment.certificates.legality import legal
from kassay.oracles.assignment.flow.exact import solve_each
from kassay.oracles.assignment.level import Ints
from kassay.oracles.assignment.values import imbalance, values
from kassay.oracles.failures import UnsolvedError
from kassay.oracles.partitions.encoding import Case, cases
from kassay.oracles.partitions.question import LEVELS, question

ASKED = (question("balance,moves"), question("balance,cross-rack"))


@dataclass(frozen=True, slots=True)
class _Places:
    """A group's case with the numbers of its partitions and members, to find what an assignment is worth."""

    case: Case
    items: dict[TopicPartition, int]
    places: dict[str, int]

    def reached(self, assignment: Assignment) -> tuple[int, ...] | None:
        """Return an assignment's value in each level, None where it is not complete, exclusive and legal."""
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
        return _measured(self.case, column) if legal(self.case.problem, column) else None


def optima(group: Group) -> Optima:
    """Find and prove the optimum of balance, and at the most even loads those of moves and of cross-rack.

    They are in the order of LEVELS and in the units of the measures. Raises UnsolvedError where that fails, TooLargeError beyond 64 bits.
    """
    (case,) = cases(group, question("balance,moves,cross-rack"))
    found = []
    for asked, solution in zip(
        ASKED, solve_each(case.problem, [asked.levels for asked in ASKED]), strict=True
    ):
        best = judged(case.problem, asked.levels, solution.owners, solution.prices)
        if not best.proved:
            raise UnsolvedError(f"{asked}: the prices do not prove the optimum found")
        found.append(_measured(case, best.owners))
    (balance, moves, _), (same, _, cross_rack) = found
    if balance != same:
        raise UnsolvedError(f"balance: two optima differ, {balance} and {same}")
    items = {
        TopicPartition(topic, number): first + number
        for (topic,), first, end in zip(
            case.topics, case.start, (*case.start[1:], case.problem.items), strict=False
        )
        for number in range(end - first)
    }
    known = _Places(case, items, {member: n for n, member in enumerate(case.members)})
    least = dict(zip(LEVELS, (balance, moves, cross_rack), strict=True))

    def gaps(assignment: Assignment) -> tuple[Gap, ...]:
        reached = known.reached(assignment)
        return () if reached is None else tuple(map(Gap, least, reached, least.values()))

    return Optima(least, gaps)


def _measured(case: Case, owners: Ints) -> tuple[int, ...]:
    _, moves, cross_rack = values(case.problem, LEVELS, owners)
    return imbalance(case.problem, owners), moves + case.lost, cross_rack
