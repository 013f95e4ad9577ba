"""Joins: topics that a configuration joins, and the members that can read all of them."""

from dataclasses import dataclass

from kassay.model.partitions import Group, Topic


@dataclass(frozen=True, slots=True)
class Join:
    """Topics that are joined, exist and are subscribed to, in the group's order; and the ids of the members that read all of them."""

    topics: tuple[Topic, ...]
    readers: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The topics' names."""
        return tuple(topic.name for topic in self.topics)

    @property
    def wrong(self) -> str | None:
        """The reason why the topics cannot be co-partitioned, None if they can.

        Source: Kafka Streams' CopartitionedTopicsEnforcer refuses topics with unequal numbers of partitions.
        """
        first, *others = self.topics
        for other in others:
            if other.partitions != first.partitions:
                return f"{first.name} and {other.name} are joined, but have {first.partitions} and {other.partitions} partitions"
        if not self.readers:
            return f"{' and '.join(self.names)} are joined, but no member subscribes to all of them"
        return None


def find_joins(group: Group) -> list[Join]:
    """Return a group's joins, in the order of its configuration; topics without partitions or subscribers are left out."""
    found = []
    subscriptions = {member.id: frozenset(member.topics) for member in group.members}
    read = frozenset().union(*subscriptions.values())
    for names in group.config.joined_topics:
        topics = tuple(t for t in group.topics if t.name in names and t.partitions and t.name in read)
        wanted = {topic.name for topic in topics}
        if wanted:
            found.append(Join(topics, tuple(m for m, own in subscriptions.items() if wanted <= own)))
    return found
