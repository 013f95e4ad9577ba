"""Which tasks a topology has, and which partitions each of them reads and keeps its state in.

Source: PartitionGrouper and ChangelogTopics of kafka-streams 4.3.
"""

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from kassay.model import TopicPartition
from kassay.model.tasks import TaskId
from kassay.reference.streams.topology.topics import Counts, Subtopology, UnknownCountError

Groups: TypeAlias = dict[TaskId, frozenset[TopicPartition]]
"""Of each task some partitions, tasks in the order of their subtopologies."""


def source_groups(subtopologies: Iterable[Subtopology], counts: Counts) -> Groups:
    """Return what each task reads: the partitions of its number of all sources that have so many."""
    return {
        TaskId(each.number, number): frozenset(
            TopicPartition(topic, number) for topic in each.sources if number < counts[topic]
        )
        for each in subtopologies
        for number in range(task_count(each, counts))
    }


def changelog_groups(subtopologies: Iterable[Subtopology], counts: Counts) -> Groups:
    """Return where each task keeps its state: the partition of its number of every changelog, none of a stateless task."""
    return {
        TaskId(each.number, number): frozenset(TopicPartition(topic, number) for topic in each.changelogs)
        for each in subtopologies
        for number in range(task_count(each, counts))
    }


def task_count(subtopology: Subtopology, counts: Counts) -> int:
    """Return how many tasks a subtopology has: as many as its largest source has partitions."""
    for topic in subtopology.sources:
        if not counts.get(topic):
            raise UnknownCountError(f"topic {topic!r} of subtopology {subtopology.number} has no partitions")
    return max((counts[topic] for topic in subtopology.sources), default=0)


def stateful_tasks(changelogs: Mapping[TaskId, frozenset[TopicPartition]]) -> frozenset[TaskId]:
    """Return the tasks that keep state in any changelog."""
    return frozenset(task for task, partitions in changelogs.items() if partitions)
