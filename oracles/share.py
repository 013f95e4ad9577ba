"""Questions about share groups that are answered exactly: each partition to as many members as it wants, or as are asked."""

from collections.abc import Mapping

ORACLES: Mapping[str, str] = {
    "shared": "Every partition to as many members as there are for each: the most even loads, then the fewest copies moved, then across racks.",
    "shared,balance": "The most even loads with each partition at as many members as there are for each.",
    "shared,balance,moves": "The fewest copies that must leave their members among the most even of these assignments.",
    "shared,moves": "The fewest copies that must leave their members, however uneven the loads become.",
    "shared,balance,cross-rack": "The fewest copies read across racks among the most even of these assignments.",
    "copies=2,balance": "The most even loads with each partition at two members.",
    "balance": "The most even loads with each partition at one member.",
    "balance,moves": "The fewest moves among the most even assignments with each partition at one member.",
}
"""Question -> what the oracle answers; `shared,` or `copies=N,` may come before any levels."""
WORST: Mapping[str, str] = {"balance": "balance", "moves": "balance,moves"}
"""Level that `kassay worst` can search -> the question that ends with it."""
