"""Situations in what the members claim to own."""

from dataclasses import replace
from itertools import pairwise

from kassay.model import Group, TopicPartition
from kassay.properties.partitions.holdings import partition_counts
from kassay.properties.partitions.owners import NO_GENERATION, generation


def first_generation(group: Group) -> bool:
    """No member claims anything."""
    return not any(member.owned for member in group.members)


def newcomer(group: Group) -> bool:
    """Some members claim partitions, and another one with a subscription claims nothing."""
    return not first_generation(group) and any(member.topics and not member.owned for member in group.members)


def orphaned_partition(group: Group) -> bool:
    """Some members claim partitions, and a partition that a member subscribes to is claimed by nobody."""
    claimed = {partition for member in group.members for partition in member.owned}
    read = {name for member in group.members for name in member.topics}
    return bool(claimed) and any(
        partition not in claimed for topic in group.topics if topic.name in read for partition in topic
    )


def stale_claim(group: Group) -> bool:
    """A member claims partitions of an older generation than another member's, or of none (KAFKA-12984)."""
    generations = {generation(member) for member in group.members if member.owned}
    return len(generations) > 1


def double_claim(group: Group) -> bool:
    """Two members claim one partition with the same generation (KAFKA-7026)."""
    seen: set[tuple[TopicPartition, int]] = set()
    for member in group.members:
        for partition in member.owned:
            claim = (partition, generation(member))
            if claim in seen:
                return True
            seen.add(claim)
    return False


def overruled_claim(group: Group) -> bool:
    """Two members claim one partition with different generations, so that one of them has lost it."""
    seen: dict[TopicPartition, int] = {}
    return any(
        seen.setdefault(partition, generation(member)) != generation(member)
        for member in group.members
        for partition in member.owned
    )


def claim_without_generation(group: Group) -> bool:
    """A member claims partitions without telling a generation, as clients before Kafka 3.4 do."""
    return any(member.owned and member.generation is None for member in group.members)


def unsubscribed_owner(group: Group) -> bool:
    """A member claims an existing partition of a topic to which it does not subscribe."""
    counts = partition_counts(group)
    return any(
        p.topic not in member.topics and p.partition < counts.get(p.topic, 0)
        for member in group.members
        for p in member.owned
    )


def stale_unsubscribed_owner(group: Group) -> bool:
    """A member claims an existing partition of a topic that it does not subscribe to, of an older generation than others."""
    newest = max(map(generation, group.members), default=NO_GENERATION)
    late = tuple(member for member in group.members if generation(member) < newest)
    return unsubscribed_owner(replace(group, members=late))


def vanished_partition(group: Group) -> bool:
    """A member claims a partition that its topic no longer has."""
    counts = partition_counts(group)
    return any(p.topic in counts and p.partition >= counts[p.topic] for m in group.members for p in m.owned)


def withheld_partition(group: Group) -> bool:
    """A member claims a partition that may not be given yet."""
    withheld = {(topic.name, number) for topic in group.topics for number in topic.unassignable}
    return any(partition in withheld for member in group.members for partition in member.owned)


def vanished_topic(group: Group) -> bool:
    """A member claims a partition of a topic that no longer exists."""
    counts = partition_counts(group)
    return any(partition.topic not in counts for member in group.members for partition in member.owned)


def unsorted_claims(group: Group) -> bool:
    """A member lists its claims in another order than by topic and partition (KAFKA-16277)."""
    return any(one > other for member in group.members for one, other in pairwise(member.owned))


def uneven_claims(group: Group) -> bool:
    """One member claims at least two partitions more than another, so that balance forces moves."""
    claims = [len(member.owned) for member in group.members]
    return max(claims, default=0) >= min(claims, default=0) + 2
