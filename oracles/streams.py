"""Questions about applications of Kafka Streams that are answered exactly; any order of the levels is a question too."""

from collections.abc import Mapping

from kassay.oracles.tasks.levels import list_questions, list_worst_questions

ORACLES: Mapping[str, str] = {
    **list_questions(),
    "balance,joint": "The least traffic of active tasks and standbys together at the most even loads, which KIP-925 forgoes.",
    "balance,joint,moves": "The most even loads, then the least traffic, then the fewest moves.",
    "balance,spread,joint": "The most even loads, then copies on as many racks or tag values as can be, then the least traffic.",
    "subtopologies,balance,active": "The least traffic where each client has its share of every subtopology (KIP-925, 4.B.II).",
}
"""Question -> what the oracle answers; `subtopologies,` may come before any levels."""
WORST: Mapping[str, str] = {
    **list_worst_questions(),
    "subtopologies": "subtopologies,balance,active",
}
"""Level that `kassay worst` can search -> the question that ends with it."""
