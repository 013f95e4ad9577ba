"""Which topics an application keeps its state in: changelogs that it makes itself, and source topics that serve as such.

Source: ChangelogTopics and InternalTopologyBuilder.TopicsInfo of kafka-streams 4.3.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from kassay.reference.streams.topology.grouping import task_count
from kassay.reference.streams.topology.topics import Counts, Subtopology


@dataclass(frozen=True, slots=True)
class Changelogs:
    """The changelogs that the application makes, with their counts of partitions, and the source topics it restores from."""

    own: Counts
    sources: frozenset[str]


def setup(subtopologies: Iterable[Subtopology], counts: Counts) -> Changelogs:
    """Return the changelogs of all subtopologies that have tasks; one of its own has a partition for each task.

    Raises UnknownCountError where a source topic has no partitions.
    """
    own: dict[str, int] = {}
    sources: set[str] = set()
    for each in subtopologies:
        if tasks := task_count(each, counts):
            sources |= set(each.changelogs) & set(each.sources)
            own |= {topic: tasks for topic in each.changelogs if topic not in each.sources}
    return Changelogs(own, frozenset(sources))
