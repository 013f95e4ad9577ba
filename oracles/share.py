"""Questions about share groups that are answered exactly: each partition to one member, or to several."""

from collections.abc import Mapping

ORACLES: Mapping[str, str] = {
    "balance": "The most even loads with each partition at one member.",
    "balance,moves": "The fewest moves among the most even assignments with each partition at one member.",
    "copies=2,balance": "The most even loads with each partition at two members.",
    "redundancy": "Every partition to two members: the most even loads, then the fewest copies moved, then across racks.",
}
"""Question -> what the oracle answers; `copies=N,` may come before any levels."""
WORST: Mapping[str, str] = {"balance": "balance", "moves": "balance,moves"}
"""What the worst can be asked of -> the question whose last level it is."""
