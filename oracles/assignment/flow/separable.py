"""Questions without balance: nothing limits what a member takes, so each item goes where it is cheapest, in linear time."""

import numpy as np

from kassay.oracles.assignment.level import Ints
from kassay.oracles.assignment.problem import LARGEST, Problem, reading
from kassay.oracles.failures import TooLargeError


def cheapest_owners(problem: Problem, levels: tuple[str, ...]) -> Ints:
    """Return for each item (items x 1) a reader at which it costs least, the first level before the others.

    That is one of its owners, or any reader in some rack. One copy only. Raises TooLargeError where costs leave 64 bits.
    """
    base = 2 * problem.greatest_cost + 1
    if base ** (len(levels) + 1) >= LARGEST:
        raise TooLargeError("the costs of the levels leave 64 bits")
    unit = {level: base**n for n, level in enumerate(reversed(levels))}
    far, gain = problem.table(unit), problem.gains(unit)
    owners = np.full(problem.items, -1)
    least = np.full(problem.items, LARGEST)
    for rack, reader in enumerate(_some_reader(problem).T):
        owner, cost = reader[problem.audience_of], far[:, rack][problem.profile_of]
        better = (owner >= 0) & (cost < least)
        owners[better], least[better] = owner[better], cost[better]
    reads = reading(problem)
    first = problem.claim_start[problem.claim_of]
    number = problem.claim_start[problem.claim_of + 1] - first
    for k in range(int(number.max(initial=0))):
        items = np.flatnonzero(number > k)
        claim = first[items] + k
        owner = problem.claim_member[claim]
        cost = far[problem.profile_of[items], problem.rack_of[owner]] - gain[claim]
        better = (cost < least[items]) & reads[problem.audience_of[items], problem.subscription_of[owner]]
        owners[items[better]], least[items[better]] = owner[better], cost[better]
    return owners.reshape(-1, 1)


def _some_reader(problem: Problem) -> Ints:
    """Return a reader of each audience (row) in each rack (column), -1 where there is none."""
    some = np.full((problem.subscriptions, problem.racks), -1)
    some[problem.subscription_of, problem.rack_of] = np.arange(problem.members)
    return np.maximum.reduceat(some[problem.audience_subscription], problem.audience_start[:-1], axis=0)
