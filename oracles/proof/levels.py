"""The levels of partitions as the checker counts them: by itself, with nothing of what the oracles know of them."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

Near: TypeAlias = tuple[frozenset[str], ...]
"""The racks of the replicas of each partition of an item; none where no rack is known."""


def across(near: Near, home: str | None) -> int:
    """Count the partitions that have no replica in a member's rack, though some of their racks are known."""
    return 0 if home is None else sum(1 for racks in near if racks and home not in racks)


IN_RACK: Mapping[str, Callable[[Near, str | None], int]] = {
    "cross-rack": across,
}
"""Level -> what an item costs with a member in a rack, or in none."""
WEIGHTS = ("weighted-balance", "capacity")
"""What counts bound, where partitions are unequal."""
LEVELS = ("balance", "moves", "topic-spread", *IN_RACK, *WEIGHTS)
"""What can be asked for: the squared loads, what no owner has any more, the squares of each topic at each member, what racks cost, and weights."""
