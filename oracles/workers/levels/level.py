"""What a level of clusters is made of: a level of partitions, of connectors, of tasks, or of both added up."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from kassay.model.workers import Cluster, WorkAssignment
from kassay.oracles.levels import LevelWords
from kassay.oracles.partitions.levels.level import Level as PartitionLevel

Measure: TypeAlias = Callable[[Cluster, WorkAssignment], int]
CONNECTORS, TASKS = KINDS = ("connectors", "tasks")
"""What is divided among workers, each by itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """All that is known of one level of clusters: what it is of partitions, which connectors and tasks are to their oracles."""

    words: LevelWords
    of: PartitionLevel
    measure: Measure
    """What an answer is worth, however wrong it is."""
    kind: str | None = None
    """The kind that it is of; None: of each, added up."""

    @property
    def name(self) -> str:
        """As answers name it."""
        return self.words.name

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds that are added up in it."""
        return KINDS if self.kind is None else (self.kind,)

    def value(self, found: Mapping[str, Mapping[str, int]]) -> int:
        """Return its value, given that of each level of partitions for each kind."""
        return sum(found[kind][self.of.name] for kind in self.kinds)
