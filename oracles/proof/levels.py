"""The levels of partitions as the checker counts them, independently of the oracles."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

Near: TypeAlias = tuple[frozenset[str], ...]
"""The racks of the replicas of each partition of an item; empty if no rack is known."""


def across(near: Near, home: str | None) -> int:
    """Count the partitions with known racks that have no replica in the member's rack."""
    return 0 if home is None else sum(1 for racks in near if racks and home not in racks)


IN_RACK: Mapping[str, Callable[[Near, str | None], int]] = {
    "cross-rack": across,
}
"""Level -> what an item costs with a member in a rack, or in none."""
WEIGHTS = ("weighted-balance", "capacity")
"""The levels of unequal partitions, which counts bound."""
LEVELS = ("balance", "moves", "topic-spread", *IN_RACK, *WEIGHTS)
"""The levels that can be asked for."""


def least_square(square: int, price: int, low: int, high: int) -> int:
    """Return the least of square * n^2 - price * n over n from `low` to `high`."""
    # one more than n costs 2 n + 1 squares; those that cost no more than the price are taken
    n = (price + square) // (2 * square) if square else high * (price > 0)
    n = min(max(n, low), high)
    return square * n * n - price * n
