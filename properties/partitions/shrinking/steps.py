"""Smaller groups: what the minimiser tries in place of a consumer group, boldest steps first."""

from collections.abc import Iterator

from kassay.model import Group
from kassay.properties.minimise import in_pairs
from kassay.properties.partitions.shrinking.canonicalise import in_order, plain_names, plainness
from kassay.properties.partitions.shrinking.catalogue import smallest
from kassay.properties.partitions.shrinking.drop_features import (
    fewer_claims,
    fewer_generations,
    fewer_instances,
    fewer_racks,
    lower_claims,
    without_feature,
)
from kassay.properties.partitions.shrinking.merge import merged_members, merged_partitions, merged_topics
from kassay.properties.partitions.shrinking.order import size, weight
from kassay.properties.partitions.shrinking.remove import (
    fewer_members,
    fewer_partitions,
    fewer_shares,
    fewer_subscriptions,
    fewer_topics,
)
from kassay.properties.partitions.shrinking.repair import sounder

STEPS = (
    fewer_members,
    fewer_shares,
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
    """Yield groups smaller than this one by :func:`weight`: steps, pairs of steps, then the smallest of all.

    Never one without members.
    """
    yield from in_pairs(group, steps)
    own = weight(group)
    for its, candidate in smallest():
        if its >= own:
            return
        yield candidate


def steps(group: Group) -> Iterator[Group]:
    """Yield the groups that are a step smaller than this one."""
    own = size(group)
    for step in STEPS:
        for candidate in step(group):
            its = size(candidate)
            if its < own or (its == own and plainness(candidate) < plainness(group)):
                yield candidate
