"""Questions about Connect's clusters that are answered exactly, of connectors and of tasks each by themselves."""

from collections.abc import Mapping

ORACLES: Mapping[str, str] = {
    "balance": "The most even connectors, and the most even tasks.",
    "balance,moves": "The fewest connectors and tasks moved among the most even assignments.",
    "moves": "The fewest connectors and tasks moved, however uneven: none.",
}
"""Question -> what the oracle answers."""
WORST: Mapping[str, str] = {}
"""What the worst can be asked of: nothing yet."""
