"""What is known of a topology: its subtopologies, the topics that they read and write, and their repartition topics.

Source: InternalTopologyBuilder.TopicsInfo and RepartitionTopicConfig of kafka-streams 4.3.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

Counts: TypeAlias = Mapping[str, int]
"""Of each topic that the cluster has how many partitions it has."""


class TopologyError(ValueError):
    """Topics that are read together do not have as many partitions as one another; Kafka throws TopologyException."""


class UnknownCountError(LookupError):
    """Nothing says how many partitions a topic has, most often because it does not exist."""


@dataclass(frozen=True, slots=True)
class RepartitionTopic:
    """A repartition topic: `enforced` where the application has set its count, which nothing may change then."""

    name: str
    partitions: int | None = None
    enforced: bool = False

    def __post_init__(self) -> None:
        if self.partitions is not None and self.partitions < 1:
            raise ValueError(f"partitions: topic {self.name!r} has {self.partitions}; give 1 or more")
        if self.enforced and self.partitions is None:
            raise ValueError(
                f"enforced: topic {self.name!r} has no count of partitions; give one, or do not enforce it"
            )


@dataclass(frozen=True, slots=True)
class Subtopology:
    """A subtopology: processors that a task runs together.

    `sources` are all topics that it reads, `repartition` those of them that the application itself makes; `sinks` are those
    that it writes, and `changelogs` those of its state stores, which may be sources too.
    """

    number: int
    sources: tuple[str, ...]
    repartition: tuple[RepartitionTopic, ...] = ()
    sinks: tuple[str, ...] = ()
    changelogs: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for topic in self.repartition:
            if topic.name not in self.sources:
                raise ValueError(
                    f"repartition: subtopology {self.number} does not read {topic.name!r}; list it in its sources"
                )
