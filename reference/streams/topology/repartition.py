"""Find out how many partitions repartition topics get: as many as the largest source of those that write them has.

Kafka takes the largest count that is known when it comes to a topic, so where a subtopology reads repartition topics beside
others, the order decides that Kafka's hash set of subtopologies has. Here it is the order in which they are given.

Source: RepartitionTopics of kafka-streams 4.3.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from kassay.reference.streams.topology.copartition import enforce
from kassay.reference.streams.topology.topics import Counts, RepartitionTopic, Subtopology, UnknownCountError


def setup(
    subtopologies: Sequence[Subtopology], together: Sequence[Collection[str]], counts: Counts
) -> dict[str, int]:
    """Return the counts of all topics, the cluster's and those of repartition topics; `together` are topics read together."""
    missing = missing_sources(subtopologies, counts)
    if missing:
        raise UnknownCountError(
            f"source topics do not exist: {', '.join(sorted(set().union(*missing.values())))}"
        )
    topics = count(subtopologies, counts)
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


def count(subtopologies: Sequence[Subtopology], counts: Counts) -> dict[str, RepartitionTopic]:
    """Return the repartition topics with counts, those without one counted over and over until each has one."""
    topics = {topic.name: topic for each in subtopologies for topic in each.repartition}
    while unknown := [name for name, topic in topics.items() if topic.partitions is None]:
        for name in unknown:
            topics[name] = replace(topics[name], partitions=_count(name, subtopologies, topics, counts))
        if all(topics[name].partitions is None for name in unknown):
            raise UnknownCountError(f"nothing says how many partitions {', '.join(unknown)} should have")
    return topics


def _count(
    topic: str, subtopologies: Sequence[Subtopology], topics: Mapping[str, RepartitionTopic], counts: Counts
) -> int | None:
    """Return the largest count known so far of all that those read who write a topic."""
    known = [
        _known(source, topics, counts)
        for each in subtopologies
        if topic in each.sinks
        for source in each.sources
    ]
    return max((number for number in known if number is not None), default=None)


def _known(topic: str, topics: Mapping[str, RepartitionTopic], counts: Counts) -> int | None:
    if topic in topics:
        return topics[topic].partitions
    if topic not in counts:
        raise UnknownCountError(f"source topic {topic!r} does not exist")
    return counts[topic]
