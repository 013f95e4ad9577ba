"""Situations in names and identities: static members, and names that sort, hash or print awkwardly."""

import re
from collections.abc import Iterable

from kassay.model import Group
from kassay.reference.java.strings import string_hash, string_order

_ORDINARY = re.compile(r"[A-Za-z0-9._-]{1,249}")
_PARTITION = re.compile(r".*-[0-9]+", re.DOTALL)


def static_members(group: Group) -> bool:
    """A member is static: it has a group.instance.id (KIP-345)."""
    return any(member.instance_id is not None for member in group.members)


def mixed_static(group: Group) -> bool:
    """A dynamic member's id sorts before a static member's, though static members come first to Kafka."""
    static = [member.id for member in group.members if member.instance_id is not None]
    return any(member.instance_id is None and member.id < max(static, default="") for member in group.members)


def permuted_instances(group: Group) -> bool:
    """The instance ids of static members sort in another way than their member ids."""
    static = sorted(
        (member.id, member.instance_id) for member in group.members if member.instance_id is not None
    )
    instances = [instance for _, instance in static if instance is not None]
    return instances != sorted(instances)


def hostile_name(group: Group) -> bool:
    """A member id holds something else than letters, digits, dots, underscores and hyphens, or is very long."""
    return any(not _ORDINARY.fullmatch(member.id) for member in group.members)


def hostile_rack(group: Group) -> bool:
    """A member's rack holds something else than letters, digits, dots, underscores and hyphens."""
    return any(member.rack and not _ORDINARY.fullmatch(member.rack) for member in group.members)


def partition_like_topic(group: Group) -> bool:
    """A topic's name looks like another's partition, such as t-1 beside t."""
    names = {topic.name for topic in group.topics}
    return any(_PARTITION.fullmatch(name) and name[: name.rindex("-")] in names for name in names)


def astral_name(group: Group) -> bool:
    """A member id has a character beyond U+FFFF, two units in Java's strings."""
    return any(char > "\uffff" for member in group.members for char in member.id)


def utf16_order(group: Group) -> bool:
    """Two member ids sort in one way by UTF-16 units (Java) and in the other by code points (Python)."""
    ids = [member.id for member in group.members]
    return sorted(ids) != sorted(ids, key=string_order)


def hash_collision(group: Group) -> bool:
    """Two member ids have the same String.hashCode in Java."""
    return _collide(member.id for member in group.members)


def topic_hash_collision(group: Group) -> bool:
    """Two topics have the same String.hashCode in Java."""
    return _collide(topic.name for topic in group.topics)


def _collide(names: Iterable[str]) -> bool:
    hashes = [string_hash(name) for name in names]
    return len(set(hashes)) < len(hashes)
