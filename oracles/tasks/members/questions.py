"""Questions about streams groups that are answered exactly; processes are clients with a thread for each member."""

from collections.abc import Mapping

ORACLES: Mapping[str, str] = {
    "balance": "The most even loads of members by active tasks, then by all copies.",
    "moves": "The fewest copies that move from one process to another, whatever the loads become.",
    "restore": "The fewest tasks active on processes that have to restore them first, whatever the loads become.",
    "balance,moves": "The fewest copies that move at the most even loads, of active tasks and standbys together.",
    "balance,restore": "The fewest tasks active where they have to be restored first, at the most even loads.",
    "balance,spread,moves": "The most even loads, then copies on as many values of each tag as can be, then the fewest moves.",
}
"""Question -> what the oracle answers."""
WORST: Mapping[str, str] = {"balance": "balance", "moves": "balance,moves"}
"""What the worst can be asked of -> the question whose last level it is."""
