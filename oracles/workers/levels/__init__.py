"""The levels of clusters, in the order in which answers are compared in them, and the questions: a new level is a file and a line."""

from collections.abc import Mapping

from kassay.oracles.levels import over_time_questions
from kassay.oracles.workers.levels.balance import OF_CONNECTORS, OF_TASKS
from kassay.oracles.workers.levels.connector_spread import CONNECTOR_SPREAD
from kassay.oracles.workers.levels.level import Level
from kassay.oracles.workers.levels.moves import MOVES

LEVELS: Mapping[str, Level] = {
    level.name: level
    for level in (
        OF_CONNECTORS,
        OF_TASKS,
        MOVES,
        CONNECTOR_SPREAD,
    )
}
"""Name -> level."""
ORACLES: Mapping[str, str] = {
    "balance": "The most even connectors, and the most even tasks.",
    "balance,moves": "The fewest connectors and tasks moved among the most even assignments.",
    "balance,connector-spread": "The most even spread of each connector's tasks among the most even assignments.",
    "balance,moves,connector-spread": "The most even spread of each connector's tasks among the most even assignments with the fewest moves.",
    "balance,connector-spread,moves": "The fewest connectors and tasks moved among those that spread each connector most evenly.",
    "moves": "The fewest connectors and tasks moved, however uneven: none.",
    "connector-spread": "The most even spread of each connector's tasks, however uneven workers become.",
}
"""Question -> what the oracle answers, of connectors and of tasks each by themselves; any other order of these levels is answered, too."""
WORST: Mapping[str, str] = {}
"""What the worst can be asked of: nothing yet."""
OVER_TIME = over_time_questions(OF_TASKS.of.name, MOVES.of.name, ())
"""What can be asked of a sequence of rebalances."""
