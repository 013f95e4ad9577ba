"""Brokers for a group's topics: a group tells the racks of the replicas, a cluster's metadata needs their brokers."""

from collections.abc import Sequence
from dataclasses import dataclass

from kassay.model import Group, Topic

_NOWHERE = (0,)


@dataclass(frozen=True, slots=True)
class Brokers:
    """As few brokers as carry the replicas: `racks` by broker id, `replicas` by topic and partition.

    Broker 0 has no rack and leads the partitions whose racks are not known.
    """

    racks: Sequence[str | None]
    replicas: dict[str, Sequence[tuple[int, ...]]]


def brokers(group: Group) -> Brokers:
    """Place every replica on a broker in its rack, those of one partition on different brokers."""
    ids: dict[tuple[str | None, int], int] = {(None, 0): 0}
    replicas = {topic.name: _replicas(topic, ids) for topic in group.topics}
    return Brokers([rack for rack, _ in ids], replicas)


def _replicas(topic: Topic, ids: dict[tuple[str | None, int], int]) -> Sequence[tuple[int, ...]]:
    if topic.racks is None:
        return [_NOWHERE] * topic.partitions
    places = []
    for racks in topic.racks:
        nth = [racks[:n].count(rack) for n, rack in enumerate(racks)]
        keys = zip(racks, nth, strict=True)
        places.append(tuple(ids.setdefault(key, len(ids)) for key in keys) or _NOWHERE)
    return places
