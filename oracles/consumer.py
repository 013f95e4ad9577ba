"""Questions about consumer groups that are answered exactly; any order of the three levels is a question too."""

from collections.abc import Mapping

from kassay.oracles.partitions.levels import list_questions, list_worst_questions

ORACLES: Mapping[str, str] = {
    **list_questions(),
    "balance,moves,cross-rack": "The most even loads, then the fewest moves, then the fewest partitions read across racks.",
    "balance,cross-rack,moves": "The most even loads, then the fewest partitions read across racks, then the fewest moves.",
    "co-partition": "The fewest partitions read across racks, then moves, where partitions of one number stay together.",
    "joined": "Joined topics number by number, in even shares; of the others the most even loads; then the fewest moves, then across racks.",
    "redundancy": "Every partition to two members: the most even loads, then the fewest copies moved, then across racks.",
}
"""Question -> what the oracle answers; `co-partition,`, `joined,` or `copies=N,` may come before any levels."""
WORST: Mapping[str, str] = {
    **list_worst_questions(),
    "co-partition": "co-partition,cross-rack",
}
"""Level that `kassay worst` can search -> the question that ends with it."""
