"""Any one of the most even assignments, from how many items of each audience go to each subscription."""

import numpy as np

from kassay.oracles.compiled import compiled
from kassay.oracles.consumer.flow.readership import Readership
from kassay.oracles.consumer.problem import Ints, Problem


def seated(problem: Problem, readership: Readership, flow: Ints) -> Ints:
    """Return the owner of each item (items x 1): subscriptions as the flow says, their members evenly and in order."""
    owners = np.empty(problem.items, np.int64)
    by_subscription = np.argsort(problem.subscription_of, kind="stable")
    _seat(readership, flow.copy(), problem.audience_of, by_subscription, owners)
    return owners.reshape(-1, 1)


@compiled
def _seat(readership: Readership, left: Ints, audience_of: Ints, by_subscription: Ints, owners: Ints) -> None:
    pair = readership.start.copy()
    place = np.cumsum(readership.size) - readership.size
    turn = np.zeros(len(readership.size), np.int64)
    for item in range(len(owners)):
        a = audience_of[item]
        while left[pair[a]] == 0:
            pair[a] += 1
        left[pair[a]] -= 1
        s = readership.reader[pair[a]]
        owners[item] = by_subscription[place[s] + turn[s] % readership.size[s]]
        turn[s] += 1
