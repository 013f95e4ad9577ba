"""Smaller groups: what the minimiser tries in place of a consumer group, boldest steps first."""

from collections.abc import Iterator

from kassay.model import Group
from kassay.properties.consumer.barer import (
    fewer_claims,
    fewer_generations,
    fewer_instances,
    fewer_racks,
    lower_claims,
    without_feature,
)
from kassay.properties.consumer.fewer import (
    fewer_members,
    fewer_partitions,
    fewer_subscriptions,
    fewer_topics,
    names,
)
from kassay.properties.consumer.merged import merged_members, merged_partitions, merged_topics
from kassay.properties.consumer.plainer import in_order, plain_names, plainness
from kassay.properties.consumer.sounder import oddities, sounder

STEPS = (
    fewer_members,
    merged_members,
    fewer_topics,
    merged_topics,
    without_feature,
    sounder,
    fewer_partitions,
    merged_partitions,
    fewer_subscriptions,
    fewer_claims,
    lower_claims,
    fewer_generations,
    fewer_instances,
    fewer_racks,
    in_order,
    plain_names,
)
"""The kinds of step, in the order in which they are tried."""


def smaller(group: Group) -> Iterator[Group]:
    """Yield the groups that are a step smaller than this one by :func:`weight`; never one without members."""
    own = size(group)
    for step in STEPS:
        for candidate in step(group):
            its = size(candidate)
            if its < own or (its == own and plainness(candidate) < plainness(group)):
                yield candidate


def weight(group: Group) -> tuple[int, ...]:
    """Return the key by which every step makes a group smaller, so that minimising ends: size, then plainness."""
    return (*size(group), *plainness(group))


def size(group: Group) -> tuple[int, ...]:
    """Return how large a group is: the counts of what it consists of, the weightiest first."""
    members = group.members
    owned = [partition for member in members for partition in member.owned]
    replicas = [near for topic in group.topics for near in topic.racks or ()]
    racks = [rack for near in replicas for rack in near]
    return (
        len(members),
        len(names(group)),
        oddities(group),
        sum(topic.partitions for topic in group.topics),
        sum(len(member.topics) for member in members),
        len(owned),
        sum(partition.partition for partition in owned),
        sum(member.generation is not None for member in members),
        sum(member.generation or 0 for member in members),
        sum(member.instance_id is not None for member in members),
        sum(member.rack is not None for member in members),
        sum(topic.racks is not None for topic in group.topics),
        len(racks),
        sum(rack is None for rack in racks),
        len({rack for rack in racks if rack is not None} | {m.rack for m in members if m.rack is not None}),
    )
