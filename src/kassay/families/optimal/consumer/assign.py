"""From a group to its optimal assignment, at once or in two cooperative rounds (KIP-429)."""

import numpy as np
from numpy.typing import NDArray

from kassay.families.optimal.consumer.best_owners import Best, best_owners
from kassay.model import Assignment, Group
from kassay.oracles.assignment.problem import Ints, Problem
from kassay.oracles.partitions.encoding import assignment_of


def assign(group: Group, order: str, *, cooperative: bool) -> Assignment:
    """Return the optimum of an order of levels; where cooperative, without what others have not handed over yet.

    Raises AssignorError where no optimum is proved.
    """
    best = best_owners(group, order)
    owners = (
        np.where(moving(best.case.problem, best.owners), len(group.members), best.owners)
        if cooperative
        else best.owners
    )
    return _named(group, best, owners)


def moving(problem: Problem, owners: Ints) -> NDArray[np.bool_]:
    """Return which items have owners by the claims that stand, but are to go to somebody else.

    It is stricter than CooperativeStickyAssignor, which lets a new owner have what it claims, even if a later generation
    overrules that claim.
    """
    first = problem.claim_start[problem.claim_of]
    number = problem.claim_start[problem.claim_of + 1] - first
    moves = number > 0
    for k in range(int(number.max(initial=0))):
        items = np.flatnonzero(number > k)
        stays = problem.claim_member[first[items] + k] == owners[items]
        moves[items[stays]] = False
    return moves


def _named(group: Group, best: Best, owners: Ints) -> Assignment:
    """Name members and partitions, members in the order of the group as it was given; number beyond the last is nobody."""
    given = assignment_of(best.group, [best.case], [owners.reshape(-1, 1)])
    return {member.id: given[member.id] for member in group.members}
