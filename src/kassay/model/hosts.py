"""Racks from host names: the rule is in the configuration, the names are in metadata and user data."""

from collections.abc import Iterable
from dataclasses import replace
from functools import cache

from kassay.model.partitions import Group, Member


def locate_racks(group: Group) -> Group:
    """Return the group with the racks that the rule of its configuration finds in host names; the same group without a rule.

    Given racks stay. The rule applies to topics without racks, and to members without a rack: their user data are their
    host name in UTF-8. If a name does not match, or user data are not UTF-8, the rack is unknown.
    """
    if group.config.rack_from_host is None:
        return group
    rack_of = cache(group.config.rack_of)  # A few hosts have many partitions.

    def racks_of(hosts: Iterable[str | None]) -> tuple[str | None, ...]:
        return tuple(None if host is None else rack_of(host) for host in hosts)

    def rack_of_member(member: Member) -> str | None:
        if member.rack or member.user_data is None:
            return member.rack
        try:
            return rack_of(member.user_data.decode())
        except UnicodeDecodeError:  # The user data are not a host name.
            return member.rack

    return replace(
        group,
        topics=tuple(
            topic
            if topic.hosts is None or topic.racks is not None
            else replace(topic, racks=tuple(map(racks_of, topic.hosts)))
            for topic in group.topics
        ),
        members=tuple(replace(member, rack=rack_of_member(member)) for member in group.members),
    )


def without_rule(group: Group) -> Group:
    """Return the group with the racks that its rule finds, and without the rule."""
    return replace(locate_racks(group), config=replace(group.config, rack_from_host=None))
