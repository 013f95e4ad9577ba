"""Ways in which a group of members and topics doubles."""

from collections.abc import Callable
from dataclasses import replace

from kassay.model import Group, Member, TopicPartition


def _more_partitions(group: Group, times: int) -> Group:
    """Repeat every topic's partitions, with their racks and owners, one run after the other."""
    counts = {topic.name: topic.partitions for topic in group.topics}
    topics = tuple(
        replace(t, partitions=t.partitions * times, racks=t.racks and t.racks * times) for t in group.topics
    )
    members = []
    for member in group.members:
        kept = [p for p in member.owned if p.partition < counts.get(p.topic, 0)]
        owned = [
            TopicPartition(p.topic, p.partition + n * counts[p.topic]) for n in range(times) for p in kept
        ]
        members.append(replace(member, owned=tuple(sorted(owned))))
    return Group(topics, tuple(members))


def _more_topics(group: Group, times: int) -> Group:
    """Repeat every topic with its subscribers and owners, each copy named after the one before."""

    def copies(name: str) -> list[str]:
        return [f"{name}.{n:03}" for n in range(times)]

    topics = tuple(replace(topic, name=name) for topic in group.topics for name in copies(topic.name))
    members = tuple(
        replace(
            m,
            topics=tuple(name for topic in m.topics for name in copies(topic)),
            owned=tuple(
                sorted(TopicPartition(name, p.partition) for p in m.owned for name in copies(p.topic))
            ),
        )
        for m in group.members
    )
    return Group(topics, members)


def _more_members(group: Group, times: int) -> Group:
    """Repeat every member with its subscription and rack; only the first of each owns anything."""
    return Group(group.topics, tuple(clone for member in group.members for clone in _clones(member, times)))


def _more_of_all(group: Group, times: int) -> Group:
    """Repeat members and partitions; clone n owns what the original owned of run n."""
    counts = {topic.name: topic.partitions for topic in group.topics}
    larger = _more_partitions(group, times)
    members = []
    for member in larger.members:
        for n, clone in enumerate(_clones(member, times)):
            owned = tuple(p for p in member.owned if p.partition // counts[p.topic] == n)
            members.append(replace(clone, owned=owned, generation=member.generation))
    return Group(larger.topics, tuple(members))


def _clones(member: Member, times: int) -> list[Member]:
    return [
        replace(member, id=f"{member.id}.{n:03}", owned=() if n else member.owned, instance_id=None)
        for n in range(times)
    ]


WAYS: dict[str, Callable[[Group, int], Group]] = {
    "partitions": _more_partitions,
    "topics": _more_topics,
    "members": _more_members,
    "members and partitions": _more_of_all,
}
"""What doubles -> how."""
