"""The proof by prices for small problems by the million; see :mod:`kassay.oracles.assignment.certificates`."""

import numpy as np

from kassay.oracles.assignment.problem import Ints
from kassay.oracles.compiled import compile_function


@compile_function
def worth(cost: Ints, square: int, owners: Ints) -> int:
    """Return ``sum of costs + square * sum of load^2`` of an assignment."""
    load = np.zeros(cost.shape[1], np.int64)
    total = 0
    for i in range(len(owners)):
        for m in owners[i]:
            total += cost[i, m]
            load[m] += 1
    for m in range(len(load)):
        total += square * load[m] * load[m]
    return total


@compile_function
def least(cost: Ints, square: int, copies: int, prices: Ints) -> int:
    """Return a lower bound of all assignments of `copies` distinct owners to each item; it holds for any prices."""
    items, members = cost.shape
    total = 0
    for i in range(items):
        if copies == 1:
            offer = cost[i, 0] + prices[0]
            for m in range(1, members):
                offer = min(offer, cost[i, m] + prices[m])
            total += offer
        else:
            last, last_member = 0, -1
            for k in range(copies):
                offer, member = 0, -1
                for m in range(members):
                    own = cost[i, m] + prices[m]
                    later = k == 0 or own > last or (own == last and m > last_member)
                    if later and (member < 0 or own < offer):
                        offer, member = own, m
                total += offer
                last, last_member = offer, member
    for m in range(members):
        load = prices[m] // (2 * square) if square else items * (prices[m] > 0)
        low = min(max(load, 0), items)
        high = min(max(load + 1, 0), items) if square else low
        total += min(square * low * low - prices[m] * low, square * high * high - prices[m] * high)
    return total
