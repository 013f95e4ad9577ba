"""Levels before balance: nothing limits what a member takes there, so each item may just go where it is cheapest."""

import numpy as np

from kassay.oracles.assignment.aggregation import numbered
from kassay.oracles.assignment.problem import Ints, Problem, reading, starts
from kassay.oracles.failures import TooLargeError

ENTRIES = 10**8
"""Up to this many pairs of a kind of item and a member are looked at."""


def restricted(problem: Problem, levels: tuple[str, ...]) -> Problem:
    """Return the problem in which each item may only go where it costs least in these levels, the first before the rest.

    One copy of each item only. Raises TooLargeError where kinds of items times members pass 10^8.
    """
    if not levels:
        return problem
    shape = (problem.audiences, len(problem.far), len(problem.claim_cost))
    key = np.ravel_multi_index((problem.audience_of, problem.profile_of, problem.claim_of), shape)
    kinds, kind_of = numbered(key, int(np.prod(shape)))
    if len(kinds) * problem.members > ENTRIES:
        raise TooLargeError(
            f"{len(kinds)} kinds of partitions times {problem.members} members are too many for levels before balance"
        )
    audience, profile, claim = np.unravel_index(kinds, shape)
    allowed = reading(problem)[audience][:, problem.subscription_of]
    for level in levels:
        cost = problem.far[profile][:, problem.rack_of] if level == "cross-rack" else _moves(problem, claim)
        least = np.where(allowed, cost, cost.max(initial=0) + 1).min(axis=1)
        allowed &= cost == least[:, None]
    audiences, audience_of = np.unique(allowed, axis=0, return_inverse=True)
    subscriptions, subscription_of = np.unique(audiences, axis=1, return_inverse=True)
    _, entries = np.nonzero(subscriptions)
    return Problem(
        subscription_of.reshape(-1), problem.rack_of, starts(subscriptions.sum(axis=1)), entries,
        audience_of.reshape(-1)[kind_of], problem.profile_of, problem.claim_of,
        problem.far, problem.claim_start, problem.claim_member, problem.claim_gain, problem.claim_cost, problem.copies,
    )  # fmt: skip


def _moves(problem: Problem, claim: Ints) -> Ints:
    cost = np.repeat(problem.claim_cost[claim][:, None], problem.members, axis=1)
    for row, number in enumerate(claim):
        owners = slice(problem.claim_start[number], problem.claim_start[number + 1])
        cost[row, problem.claim_member[owners]] -= problem.claim_gain[owners]
    return cost
