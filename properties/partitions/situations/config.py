"""Situations of what a group is configured with, and what its members send beside their subscriptions."""

from kassay.model import Group
from kassay.model.config import UNCONFIGURED
from kassay.model.hosts import located
from kassay.model.joins import joins


def user_data(group: Group) -> bool:
    """Some member sends user data that the group states, whatever its assignor would send."""
    return any(member.user_data is not None for member in group.members)


def racks_by_host(group: Group) -> bool:
    """Host names tell racks that nobody states, by a rule of the configuration."""
    return located(group) != group


def joined_topics(group: Group) -> bool:
    """Topics are joined that somebody subscribes to."""
    return bool(joins(group))


def unjoinable(group: Group) -> bool:
    """Topics are joined that have unequal numbers of partitions, or that nobody subscribes to all of."""
    return any(join.wrong for join in joins(group))


def other_strategy(group: Group) -> bool:
    """Topics that are not joined are to be assigned by another strategy than in turn."""
    return group.config.other_topics_assignor != UNCONFIGURED.other_topics_assignor
