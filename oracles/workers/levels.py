"""The levels of clusters, in the order of comparison, and the questions. A new level is a record and a line of `LEVELS`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from kassay.model.workers import Cluster, WorkAssignment
from kassay.oracles.levels import LevelWords, list_over_time_questions
from kassay.oracles.partitions.levels import BALANCE, TOPIC_SPREAD
from kassay.oracles.partitions.levels import MOVES as PARTITION_MOVES
from kassay.oracles.partitions.levels import Level as PartitionLevel
from kassay.properties.workers.measures import connector_excess, connector_imbalance, moves, task_imbalance

Measure: TypeAlias = Callable[[Cluster, WorkAssignment], int]
CONNECTORS, TASKS = KINDS = ("connectors", "tasks")
"""The two kinds of work, which are divided among workers separately."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """One level of clusters: a level of partitions, as the oracles take connectors and tasks for partitions."""

    words: LevelWords
    of: PartitionLevel
    measure: Measure
    """The value of any answer, also of a wrong one."""
    kind: str | None = None
    """The kind that it counts; None: both, added up."""

    @property
    def name(self) -> str:
        """The name in answers."""
        return self.words.name

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds that are added up in it."""
        return KINDS if self.kind is None else (self.kind,)

    def value(self, found: Mapping[str, Mapping[str, int]]) -> int:
        """Return its value, given the value of each level of partitions for each kind."""
        return sum(found[kind][self.of.name] for kind in self.kinds)


OF_CONNECTORS = Level(
    words=replace(
        BALANCE.words, name="connector-balance", short="connectors", whose="connectors", asked="connectors even",
        missed="connectors not as even as possible", heading="connectors\nuneven", worse="has connectors less even",
        measure="connector_imbalance", judged=None, told_as=f"{CONNECTORS}: {BALANCE.name}",
    ),
    of=BALANCE,
    measure=connector_imbalance,
    kind=CONNECTORS,
)  # fmt: skip
OF_TASKS = Level(
    words=replace(
        BALANCE.words, name="task-balance", short="tasks", whose="tasks", evens=1, asked="tasks even",
        missed="tasks not as even as possible", column="uneven tasks", heading="tasks\nuneven", worse="has tasks less even",
        measure="task_imbalance", judged=None, told_as=f"{TASKS}: {BALANCE.name}",
    ),
    of=BALANCE,
    measure=task_imbalance,
    kind=TASKS,
)  # fmt: skip
MOVES = Level(words=replace(PARTITION_MOVES.words, judged=None), of=PARTITION_MOVES, measure=moves)
CONNECTOR_SPREAD = Level(
    words=replace(
        TOPIC_SPREAD.words, name="connector-spread", asked="spread connectors", missed="connectors less spread than possible",
        heading="connectors less spread\nthan possible", worse="spreads connectors less", each=("connector", "connectors"),
        measure="connector_excess", judged=None, told_as=f"{TASKS}: connector-spread",
    ),
    of=TOPIC_SPREAD,
    measure=connector_excess,
    kind=TASKS,
)  # fmt: skip

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
"""Levels that `kassay worst` can search: none yet."""
OVER_TIME = list_over_time_questions(OF_TASKS.of.name, MOVES.of.name, ())
"""The questions about a sequence of rebalances."""
