"""The steps that the minimiser tries on a group, boldest first."""

from collections.abc import Iterator

from kassay.model import Group
from kassay.properties.minimise import in_pairs
from kassay.properties.partitions.shrinking.canonicalise import canonical_names, canonical_order, disorder
from kassay.properties.partitions.shrinking.catalogue import catalogue
from kassay.properties.partitions.shrinking.drop_extras import drop_extras
from kassay.properties.partitions.shrinking.drop_features import (
    drop_claims,
    drop_feature,
    drop_generations,
    drop_instances,
    drop_racks,
    lower_claims,
)
from kassay.properties.partitions.shrinking.merge import merge_members, merge_partitions, merge_topics
from kassay.properties.partitions.shrinking.order import order_key, size
from kassay.properties.partitions.shrinking.remove import (
    remove_members,
    remove_partitions,
    remove_shares,
    remove_subscriptions,
    remove_topics,
)
from kassay.properties.partitions.shrinking.repair import repair

STEPS = (
    remove_members,
    remove_shares,
    merge_members,
    remove_topics,
    merge_topics,
    drop_feature,
    drop_extras,
    repair,
    remove_partitions,
    merge_partitions,
    remove_subscriptions,
    drop_claims,
    lower_claims,
    drop_generations,
    drop_instances,
    drop_racks,
    canonical_order,
    canonical_names,
)
"""The kinds of step, in the order in which they are tried."""


def smaller(group: Group) -> Iterator[Group]:
    """Yield groups smaller than this one by :func:`order_key`: steps, pairs of steps, then the smallest of all.

    Never one without members.
    """
    yield from in_pairs(group, steps)
    own = order_key(group)
    for its, candidate in catalogue():
        if its >= own:
            return
        yield candidate


def steps(group: Group) -> Iterator[Group]:
    """Yield the groups that are a step smaller than this one."""
    own = size(group)
    for step in STEPS:
        for candidate in step(group):
            its = size(candidate)
            if its < own or (its == own and disorder(candidate) < disorder(group)):
                yield candidate
