"""The step before an assignment of Kafka Streams: the partition counts of a topology, and the tasks that follow from them.

For a repartition topic, Kafka takes the largest count that is known at that time. If a subtopology reads such topics and
others, the iteration order of Kafka's hash set of subtopologies decides. Here it is the order in which they are given. Kafka also
fails if enforced counts of topics that are read together differ while another one has no count. That never happens after the step before.

Source: InternalTopologyBuilder.TopicsInfo, RepartitionTopicConfig, PartitionGrouper, ChangelogTopics, CopartitionedTopicsEnforcer and RepartitionTopics
of kafka-streams 4.3.

>>> joined = Subtopology(0, sources=("orders", "users"))
>>> groups = source_groups([joined], {"orders": 2, "users": 1})
>>> {str(task): sorted(map(str, partitions)) for task, partitions in groups.items()}
{'0_0': ['orders-0', 'users-0'], '0_1': ['orders-1']}
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from kassay.model import TopicPartition
from kassay.model.tasks import TaskId

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
            raise ValueError(f"partitions: topic {self.name!r} has {self.partitions}. Give 1 or more")
        if self.enforced and self.partitions is None:
            raise ValueError(
                f"enforced: topic {self.name!r} has no count of partitions. Give one, or do not enforce it"
            )


@dataclass(frozen=True, slots=True)
class Subtopology:
    """A subtopology: the processors that a task runs together.

    - `sources`: all topics that it reads; `repartition`: the sources that the application itself creates
    - `sinks`: the topics that it writes
    - `changelogs`: the topics of its state stores, which may be sources too
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
                    f"repartition: subtopology {self.number} does not read {topic.name!r}. List it in its sources"
                )


Groups: TypeAlias = dict[TaskId, frozenset[TopicPartition]]
"""Of each task some partitions, tasks in the order of their subtopologies."""


def source_groups(subtopologies: Iterable[Subtopology], counts: Counts) -> Groups:
    """Return task -> the partitions that it reads: those with its number, of all sources that have enough partitions."""
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


@dataclass(frozen=True, slots=True)
class Changelogs:
    """The changelogs that the application makes, with their counts of partitions, and the source topics it restores from."""

    own: Counts
    sources: frozenset[str]


def map_changelogs(subtopologies: Iterable[Subtopology], counts: Counts) -> Changelogs:
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


def enforce(
    group: Collection[str], repartition: Mapping[str, RepartitionTopic], counts: Counts
) -> dict[str, RepartitionTopic]:
    """Return the repartition topics with the counts that a group of topics read together needs; other topics stay as they are."""
    external = {name: _external(name, counts) for name in sorted(group) if name not in repartition}
    own = [repartition[name] for name in sorted(group) if name in repartition]
    if not group:
        return dict(repartition)
    count = _require_equal(external) if external else _agree_on_count(own)
    for topic in own:
        if topic.enforced and topic.partitions != count:
            raise TopologyError(
                f"repartition topic {topic.name!r} is set to {topic.partitions} partitions, but is read with topics of {count}"
            )
    return {**repartition, **{topic.name: replace(topic, partitions=count) for topic in own}}


def _external(topic: str, counts: Counts) -> int:
    if topic not in counts:
        raise UnknownCountError(f"topic {topic!r} is read with others but does not exist")
    return counts[topic]


def _require_equal(counts: Counts) -> int:
    """Return the one count that all topics have."""
    if len(set(counts.values())) > 1:
        raise TopologyError(
            f"topics that are read together have different counts of partitions: {_write_counts(counts)}"
        )
    return next(iter(counts.values()))


def _agree_on_count(topics: Collection[RepartitionTopic]) -> int:
    """Return the count that enforced topics have in common, or else the largest of any."""
    enforced = {topic.name: topic.partitions for topic in topics if topic.enforced and topic.partitions}
    if enforced:
        return _require_equal(enforced)
    count = max((topic.partitions or 0 for topic in topics), default=0)
    if not count:
        raise UnknownCountError(
            f"none of the repartition topics {', '.join(topic.name for topic in topics)} has a count"
        )
    return count


def _write_counts(counts: Counts) -> str:
    return ", ".join(f"{topic} {count}" for topic, count in counts.items())


def topic_counts(
    subtopologies: Sequence[Subtopology], together: Sequence[Collection[str]], counts: Counts
) -> dict[str, int]:
    """Return the counts of all topics, of the cluster and of repartition topics; `together` are topics read together."""
    missing = missing_sources(subtopologies, counts)
    if missing:
        raise UnknownCountError(
            f"source topics do not exist: {', '.join(sorted(set().union(*missing.values())))}"
        )
    topics = repartition_counts(subtopologies, counts)
    if topics:
        for group in together:
            topics = enforce(group, topics, counts)
    return {**counts, **{name: topic.partitions for name, topic in topics.items() if topic.partitions}}


def missing_sources(subtopologies: Sequence[Subtopology], counts: Counts) -> dict[int, set[str]]:
    """Return by subtopology the sources that the application does not make itself and the cluster does not have."""
    found = {
        each.number: set(each.sources) - {topic.name for topic in each.repartition} - set(counts)
        for each in subtopologies
    }
    return {number: topics for number, topics in found.items() if topics}


def repartition_counts(subtopologies: Sequence[Subtopology], counts: Counts) -> dict[str, RepartitionTopic]:
    """Return the repartition topics with counts, those without one counted over and over until each has one."""
    topics = {topic.name: topic for each in subtopologies for topic in each.repartition}
    while unknown := [name for name, topic in topics.items() if topic.partitions is None]:
        for name in unknown:
            topics[name] = replace(
                topics[name], partitions=_find_largest(name, subtopologies, topics, counts)
            )
        if all(topics[name].partitions is None for name in unknown):
            raise UnknownCountError(f"nothing says how many partitions {', '.join(unknown)} should have")
    return topics


def _find_largest(
    topic: str, subtopologies: Sequence[Subtopology], topics: Mapping[str, RepartitionTopic], counts: Counts
) -> int | None:
    """Return the largest count known so far of all that those read who write a topic."""
    known = [
        _count_of(source, topics, counts)
        for each in subtopologies
        if topic in each.sinks
        for source in each.sources
    ]
    return max((number for number in known if number is not None), default=None)


def _count_of(topic: str, topics: Mapping[str, RepartitionTopic], counts: Counts) -> int | None:
    if topic in topics:
        return topics[topic].partitions
    if topic not in counts:
        raise UnknownCountError(f"source topic {topic!r} does not exist")
    return counts[topic]
