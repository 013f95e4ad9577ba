"""Repair: groups in which less is amiss, so that what is still amiss in the smallest one matters."""

from collections.abc import Iterator
from dataclasses import replace

from kassay.model import INT32_MAX, Group, Topic
from kassay.properties.partitions.edits import with_member, with_topic
from kassay.properties.partitions.holdings import partition_counts


def oddities(group: Group) -> int:
    """Return how much is amiss: claims to what does not exist or is not subscribed to, subscriptions to nothing.

    Also subscriptions that are empty or name a topic twice.
    """
    counts = partition_counts(group)
    odd = 0
    for member in group.members:
        topics = set(member.topics)
        odd += (len(member.topics) - len(topics)) if topics else 1
        odd += len(topics.difference(counts))
        for partition in member.owned:
            odd += partition.partition >= counts.get(partition.topic, 0)
            odd += partition.topic not in topics
    return odd


def repair(group: Group) -> Iterator[Group]:
    """Let claimed partitions and subscribed topics exist, owners subscribe to what they claim, and all to something."""
    needed: dict[str, int] = {}
    for member in group.members:
        for name in member.topics:
            needed.setdefault(name, 0)
        for partition in member.owned:
            needed[partition.topic] = max(needed.get(partition.topic, 0), partition.partition + 1)
    for name, count in needed.items():
        yield from _with_partitions(group, name, count)
    for at, member in enumerate(group.members):
        missing = dict.fromkeys(p.topic for p in member.owned if p.topic not in member.topics)
        if missing:
            yield with_member(group, at, replace(member, topics=(*member.topics, *missing)))
        if not member.topics:
            others = [other.topics for other in group.members if other.topics]
            for topics in dict.fromkeys([*others, *((topic.name,) for topic in group.topics[:1])]):
                yield with_member(group, at, replace(member, topics=topics))


def _with_partitions(group: Group, name: str, count: int) -> Iterator[Group]:
    """Let a topic have at least this many partitions."""
    for at, topic in enumerate(group.topics):
        if topic.name == name:
            if topic.partitions < count <= INT32_MAX:
                racks = None if topic.racks is None else topic.racks + ((),) * (count - topic.partitions)
                yield with_topic(group, at, Topic(name, count, racks))
            return
    if count <= INT32_MAX:
        yield replace(group, topics=(*group.topics, Topic(name, count)))
