"""The two readings of a listing, which does not print subscriptions: members subscribe to all topics, or only to those that they own."""

from dataclasses import replace
from typing import Any

from kassay.files.reading import Read

FAMILIES = {"consumer", "broker", "share"}


def has_other_reading(read: Read) -> bool:
    """Return True if subscriptions were assumed and members own partitions of different topics.

    A member that owns nothing tells nothing: idle members next to one that owns everything are no sign of other subscriptions.
    """
    if read.facts is None or not read.facts.subscriptions_assumed or read.family not in FAMILIES:
        return False
    owned = {frozenset(one.topic for one in member.owned) for member in read.value.members if member.owned}
    return len(owned) > 1


def read_only_owned(group: Any) -> Any:
    """Return the group in which each member subscribes only to the topics that it owns."""
    members = tuple(
        replace(
            member,
            topics=tuple(name for name in member.topics if name in {one.topic for one in member.owned}),
        )
        for member in group.members
    )
    return replace(group, members=members)
