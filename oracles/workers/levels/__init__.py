"""The levels of clusters, in the order in which answers are compared in them, and the questions: a new level is a file and a line."""

from collections.abc import Mapping

from kassay.oracles.levels import over_time_questions
from kassay.oracles.workers.levels.balance import OF_CONNECTORS, OF_TASKS
from kassay.oracles.workers.levels.level import Level
from kassay.oracles.workers.levels.moves import MOVES

LEVELS: Mapping[str, Level] = {
    level.name: level
    for level in (
        OF_CONNECTORS,
        OF_TASKS,
        MOVES,
    )
}
"""Name -> level."""
ORACLES: Mapping[str, str] = {
    "balance": "The most even connectors, and the most even tasks.",
    "balance,moves": "The fewest connectors and tasks moved among the most even assignments.",
    "moves": "The fewest connectors and tasks moved, however uneven: none.",
}
"""Question, in levels of partitions -> what the oracle answers, of connectors and of tasks each by themselves."""
WORST: Mapping[str, str] = {}
"""What the worst can be asked of: nothing yet."""
OVER_TIME = over_time_questions(OF_TASKS.of.name, MOVES.of.name, ())
"""What can be asked of a sequence of rebalances."""
