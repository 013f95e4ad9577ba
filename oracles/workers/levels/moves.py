"""The fewest connectors and tasks that leave their workers, added up."""

from dataclasses import replace

from kassay.oracles.partitions.levels.moves import MOVES as OF_PARTITIONS
from kassay.oracles.workers.levels.level import Level
from kassay.properties.workers.measures import moves

MOVES = Level(words=replace(OF_PARTITIONS.words, judged=None), of=OF_PARTITIONS, measure=moves)
