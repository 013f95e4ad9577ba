"""Levels before balance: nothing limits what a member takes there, so each item may just go where it is cheapest."""

from dataclasses import replace

import numpy as np

from kassay.oracles.assignment.aggregation import numbered
from kassay.oracles.assignment.level import Ints
from kassay.oracles.assignment.problem import Problem, reading, starts
from kassay.oracles.failures import TooLargeError

ENTRIES = 10**8
"""Up to this many pairs of an item class and a member are looked at."""


def admissible(problem: Problem, levels: tuple[str, ...]) -> Problem:
    """Return the problem in which each item may only go where it costs least in these levels, the first before the rest.

    One copy of each item only. Raises TooLargeError where item classes times members pass 10^8.
    """
    if not levels:
        return problem
    shape = problem.shape
    key = np.ravel_multi_index((problem.audience_of, problem.profile_of, problem.claim_of), shape)
    classes, class_of = numbered(key, int(np.prod(shape)))
    if len(classes) * problem.members > ENTRIES:
        raise TooLargeError(
            f"{len(classes)} classes of items times {problem.members} members are too many for levels before balance"
        )
    audience, profile, claim = np.unravel_index(classes, shape)
    allowed = reading(problem)[audience][:, problem.subscription_of]
    for level in levels:
        cost = _costs(problem, level, profile, claim)
        least = np.where(allowed, cost, cost.max(initial=0) + 1).min(axis=1)
        allowed &= cost == least[:, None]
    audiences, audience_of = np.unique(allowed, axis=0, return_inverse=True)
    subscriptions, subscription_of = np.unique(audiences, axis=1, return_inverse=True)
    _, entries = np.nonzero(subscriptions)
    return replace(
        problem,
        subscription_of=subscription_of.reshape(-1),
        audience_start=starts(subscriptions.sum(axis=1)),
        audience_subscription=entries,
        audience_of=audience_of.reshape(-1)[class_of],
    )


def _costs(problem: Problem, level: str, profile: Ints, claim: Ints) -> Ints:
    """Return what an item of each of these profiles and claims costs at each member."""
    cost = problem.table({level: 1})[profile][:, problem.rack_of]
    if problem.level(level).gain is not None:
        gain = problem.gains({level: 1})
        for row, number in enumerate(claim):
            owners = slice(problem.claim_start[number], problem.claim_start[number + 1])
            cost[row, problem.claim_member[owners]] -= gain[owners]
    return cost
