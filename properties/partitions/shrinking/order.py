"""The order in which the minimiser descends: how large a group is, then how far from plain names and their order."""

from kassay.model import Group
from kassay.model.config import UNCONFIGURED
from kassay.properties.partitions.holdings import topic_names
from kassay.properties.partitions.shrinking.canonicalise import disorder
from kassay.properties.partitions.shrinking.repair import oddities


def order_key(group: Group) -> tuple[int, ...]:
    """Return the key by which every step makes a group smaller, so that minimising ends: size, then disorder."""
    return (*size(group), *disorder(group))


def size(group: Group) -> tuple[int, ...]:
    """Return how large a group is: the weightiest first, features before their numbers."""
    members = group.members
    owned = [partition for member in members for partition in member.owned]
    replicas = [near for topic in group.topics for near in topic.racks or ()]
    racks = [rack for near in replicas for rack in near]
    return (
        len(members),
        len(topic_names(group)),
        oddities(group),
        _extras(group),
        bool(racks) or any(member.rack is not None for member in members),
        any(member.instance_id is not None for member in members),
        any(member.generation is not None for member in members),
        sum(topic.partitions for topic in group.topics),
        sum(len(member.topics) for member in members),
        len(owned),
        sum(partition.partition for partition in owned),
        sum(len(member.user_data or b"") for member in members),
        sum(member.generation is not None for member in members),
        sum(member.generation or 0 for member in members),
        sum(member.instance_id is not None for member in members),
        sum(member.rack is not None for member in members),
        sum(topic.racks is not None for topic in group.topics),
        len(racks),
        sum(rack is None for rack in racks),
        len({rack for rack in racks if rack is not None} | {m.rack for m in members if m.rack is not None}),
    )


def _extras(group: Group) -> int:
    """Count what is told beside subscriptions, claims and racks: parts of the configuration, user data, hosts of replicas, ids."""
    config = group.config
    return (
        (config.rack_from_host is not None)
        + (config.other_topics_assignor != UNCONFIGURED.other_topics_assignor)
        + sum(map(len, config.joined_topics))
        + sum(member.user_data is not None for member in group.members)
        + sum(len(near) for topic in group.topics for near in topic.hosts or ())
        + sum((topic.hosts is not None) + (topic.id is not None) for topic in group.topics)
        + sum(len(topic.unassignable) for topic in group.topics)
    )
