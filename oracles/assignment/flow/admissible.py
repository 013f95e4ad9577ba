"""Levels before balance: nothing limits what a member takes there, so each item may just go where it is cheapest."""

import numpy as np

from kassay.oracles.assignment.flow.item_classes import item_classes
from kassay.oracles.assignment.level import Ints
from kassay.oracles.assignment.problem import Problem, eligible, restricted
from kassay.oracles.failures import TooLargeError

ENTRIES = 10**8
"""Up to this many pairs of an item class and a member are looked at."""


def admissible(problem: Problem, levels: tuple[str, ...]) -> Problem:
    """Return the problem in which each item may only go where it costs least in these levels, the first before the rest.

    One copy of each item only. Raises TooLargeError where item classes times members pass 10^8.
    """
    if not levels:
        return problem
    classes, class_of = item_classes(problem)
    if classes.items * classes.members > ENTRIES:
        raise TooLargeError(
            f"{classes.items} classes of items times {problem.members} members are too many for levels before balance"
        )
    allowed = eligible(classes)
    for level in levels:
        cost = _costs(classes, level)
        least = np.where(allowed, cost, cost.max(initial=0) + 1).min(axis=1)
        allowed &= cost == least[:, None]
    audiences, audience_of = np.unique(allowed, axis=0, return_inverse=True)
    return restricted(problem, audiences, audience_of.reshape(-1)[class_of])


def _costs(problem: Problem, level: str) -> Ints:
    """Return what each item costs at each member, but for what it costs at every one."""
    cost = problem.table({level: 1})[problem.profile_of][:, problem.rack_of]
    if problem.level(level).gain is not None:
        gain = problem.gains({level: 1})
        for row, number in enumerate(problem.claim_of):
            owners = slice(problem.claim_start[number], problem.claim_start[number + 1])
            cost[row, problem.claim_member[owners]] -= gain[owners]
    return cost
