"""Situations in which topics, partitions and members meet in some proportion."""

from kassay.model import Group
from kassay.properties.partitions.holdings import able, partition_counts, subscribers

MANY_MEMBERS, MANY_PARTITIONS = 50, 200


def uneven_split(group: Group) -> bool:
    """A topic's partitions do not divide evenly among its subscribers."""
    return _uneven(group) > 0


def uneven_splits(group: Group) -> bool:
    """Two topics' partitions do not divide evenly among their subscribers."""
    return _uneven(group) > 1


def _uneven(group: Group) -> int:
    readers = subscribers(group)
    return sum(bool(readers[t.name]) and t.partitions % len(readers[t.name]) > 0 for t in group.topics)


def idle_members(group: Group) -> bool:
    """More members subscribe to something that exists than there are partitions for them, so that some must idle."""
    read = {name for member in group.members for name in member.topics}
    return len(able(group)) > sum(topic.partitions for topic in group.topics if topic.name in read)


def mixed_subscriptions(group: Group) -> bool:
    """Two members subscribe to different topics."""
    return len({frozenset(member.topics) for member in group.members}) > 1


def no_subscription(group: Group) -> bool:
    """A member subscribes to nothing."""
    return any(not member.topics for member in group.members)


def no_subscription_first(group: Group) -> bool:
    """A member that subscribes to nothing is listed before all that subscribe to something."""
    subscribes = [bool(member.topics) for member in group.members]
    return any(subscribes) and not subscribes[0]


def repeated_topic(group: Group) -> bool:
    """A member lists a topic twice in its subscription."""
    return any(len(set(member.topics)) < len(member.topics) for member in group.members)


def unread_topic(group: Group) -> bool:
    """A topic with partitions has no subscriber."""
    readers = subscribers(group)
    return any(topic.partitions and not readers[topic.name] for topic in group.topics)


def empty_topic(group: Group) -> bool:
    """A topic that somebody subscribes to has no partitions."""
    readers = subscribers(group)
    return any(not topic.partitions and readers[topic.name] for topic in group.topics)


def unknown_topic(group: Group) -> bool:
    """A member subscribes to a topic that does not exist."""
    known = partition_counts(group)
    return any(name not in known for member in group.members for name in member.topics)


def copartitioned_topics(group: Group) -> bool:
    """Two topics have equally many partitions and the same subscribers, at least two (KIP-881)."""
    seen: set[tuple[int, tuple[str, ...]]] = set()
    readers = subscribers(group)
    for topic in group.topics:
        key = (topic.partitions, tuple(readers[topic.name]))
        if topic.partitions and len(key[1]) > 1:
            if key in seen:
                return True
            seen.add(key)
    return False


def permuted_members(group: Group) -> bool:
    """The members are not listed in the order of their ids."""
    ids = [member.id for member in group.members]
    return ids != sorted(ids)


def permuted_topics(group: Group) -> bool:
    """The topics are not listed in the order of their names."""
    names = [topic.name for topic in group.topics]
    return names != sorted(names)


def single_member(group: Group) -> bool:
    """The group has one member."""
    return len(group.members) == 1


def large_group(group: Group) -> bool:
    """The group has 50 members or more."""
    return len(group.members) >= MANY_MEMBERS


def many_partitions(group: Group) -> bool:
    """The group's topics have 200 partitions or more in all."""
    return sum(topic.partitions for topic in group.topics) >= MANY_PARTITIONS
