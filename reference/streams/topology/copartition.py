"""Give repartition topics that are read together with others as many partitions as those, as a join needs.

Where enforced counts differ while another topic of the group has no count, which never happens after the step before, Kafka
fails as it words its error.

Source: CopartitionedTopicsEnforcer of kafka-streams 4.3.
"""

from collections.abc import Collection, Mapping
from dataclasses import replace

from kassay.reference.streams.topology.topics import (
    Counts,
    RepartitionTopic,
    TopologyError,
    UnknownCountError,
)


def enforce(
    group: Collection[str], repartition: Mapping[str, RepartitionTopic], counts: Counts
) -> dict[str, RepartitionTopic]:
    """Return the repartition topics with the counts that a group of topics read together needs; other topics stay as they are."""
    external = {name: _known(name, counts) for name in sorted(group) if name not in repartition}
    own = [repartition[name] for name in sorted(group) if name in repartition]
    if not group:
        return dict(repartition)
    count = _same(external) if external else _agreed(own)
    for topic in own:
        if topic.enforced and topic.partitions != count:
            raise TopologyError(
                f"repartition topic {topic.name!r} is set to {topic.partitions} partitions, but is read with topics of {count}"
            )
    return {**repartition, **{topic.name: replace(topic, partitions=count) for topic in own}}


def _known(topic: str, counts: Counts) -> int:
    if topic not in counts:
        raise UnknownCountError(f"topic {topic!r} is read with others but does not exist")
    return counts[topic]


def _same(counts: Counts) -> int:
    """Return the one count that all topics have."""
    if len(set(counts.values())) > 1:
        raise TopologyError(
            f"topics that are read together have different counts of partitions: {_listed(counts)}"
        )
    return next(iter(counts.values()))


def _agreed(topics: Collection[RepartitionTopic]) -> int:
    """Return the count that enforced topics have in common, or else the largest of any."""
    enforced = {topic.name: topic.partitions for topic in topics if topic.enforced and topic.partitions}
    if enforced:
        return _same(enforced)
    count = max((topic.partitions or 0 for topic in topics), default=0)
    if not count:
        raise UnknownCountError(
            f"none of the repartition topics {', '.join(topic.name for topic in topics)} has a count"
        )
    return count


def _listed(counts: Counts) -> str:
    return ", ".join(f"{topic} {count}" for topic, count in counts.items())
