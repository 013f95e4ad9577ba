"""Even loads where anybody may hold anything: what the dearest copy pays, and how many copies that leaves each member.

A member whose square weighs w pays w (2 n + 1) for a copy more than n. These payments grow with n, so the cheapest of all
payments, as many as there are copies, make the least sum of weighed squares.
"""

import numpy as np

from kassay.oracles.assignment.level import Ints


def at_price(price: Ints | int, weight: Ints) -> Ints:
    """Return how many copies a member of each weight has that pay no more than a price, one for all or one for each."""
    held: Ints = np.maximum(0, (price + weight) // (2 * weight))
    return held


def even_price(copies: int, weight: Ints, size: Ints) -> int:
    """Return what the dearest of so many copies pays at even loads; there are `size` members of each weight."""
    low, high = 0, 2 * copies * int(weight.max(initial=1))
    while low < high:
        middle = (low + high) // 2
        if (
            sum(n * held for n, held in zip(size.tolist(), at_price(middle, weight).tolist(), strict=True))
            < copies
        ):
            low = middle + 1
        else:
            high = middle
    return low
