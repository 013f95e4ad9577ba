"""Edits: a group with another member, topic or racks in one place."""

from dataclasses import replace

from kassay.model import Group, Member, Topic


def with_member(group: Group, at: int, member: Member) -> Group:
    """Return the group with another member in this place."""
    return replace(group, members=(*group.members[:at], member, *group.members[at + 1 :]))


def with_topic(group: Group, at: int, topic: Topic) -> Group:
    """Return the group with another topic in this place."""
    return replace(group, topics=(*group.topics[:at], topic, *group.topics[at + 1 :]))
