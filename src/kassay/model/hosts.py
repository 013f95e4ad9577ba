"""Racks that host names tell: the rule is in the configuration, the names come with metadata and user data."""

from collections.abc import Iterable
from dataclasses import replace
from functools import cache

from kassay.model.partitions import Group, Member


def located(group: Group) -> Group:
    """Return the group with the racks that its configuration's rule finds in host names; itself where there is no rule.

    Racks that are stated count as they are: the rule is for members without one, whose user data are then their host's name in
    UTF-8, and for topics without any. Where a name does not match, or user data are no text, the rack is unknown.
    """
    if group.config.rack_from_host is None:
        return group
    rack_of = cache(group.config.rack_of)  # of a few hosts, which hold many partitions

    def racks_of(hosts: Iterable[str | None]) -> tuple[str | None, ...]:
        return tuple(None if host is None else rack_of(host) for host in hosts)

    def home(member: Member) -> str | None:
        host = None if member.rack else _host(member)
        return member.rack if host is None else rack_of(host)

    return replace(
        group,
        topics=tuple(
            topic
            if topic.hosts is None or topic.racks is not None
            else replace(topic, racks=tuple(map(racks_of, topic.hosts)))
            for topic in group.topics
        ),
        members=tuple(replace(member, rack=home(member)) for member in group.members),
    )


def without_rule(group: Group) -> Group:
    """Return the group with the racks that its rule finds, for those who do not know the rule."""
    return replace(located(group), config=replace(group.config, rack_from_host=None))


def _host(member: Member) -> str | None:
    """Return the name that a member's user data are, None where they are no text."""
    try:
        return None if member.user_data is None else member.user_data.decode()
    except UnicodeDecodeError:
        return None
