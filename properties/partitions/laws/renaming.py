"""Renaming: the same group under other names that sort alike, so that only their hashes differ."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import count

from kassay.model import Group, TopicPartition
from kassay.properties.partitions.holdings import topic_names
from kassay.reference.java.hash_map import spread
from kassay.reference.java.strings import string_hash, string_order

SLOTS = 64
"""Of a table that holds up to 48 names; in a smaller one fewer bits of the same hash count."""


@dataclass(frozen=True, slots=True)
class Renaming:
    """A group under other names, and the way back; a name that the group does not have stays as it is."""

    group: Group
    members: Mapping[str, str]
    topics: Mapping[str, str]

    def old_member(self, name: str) -> str:
        """Return the member's id in the original group."""
        return self.members.get(name, name)

    def old_topic(self, name: str) -> str:
        """Return the topic's name in the original group."""
        return self.topics.get(name, name)


def renamed(group: Group) -> Renaming:
    """Return the group with new member ids, instance ids and topic names that sort as the old ones do.

    Members and instances are renamed together, so that an assignor may compare one with the other. Names sort alike in
    UTF-16 units (Java) and in code points (Python): where these two orders differ, all names get a common prefix instead.
    In Java's hash maps the new names stand in the opposite of their order, so that who walks through one is found out.
    """
    people = {member.id for member in group.members} | {
        m.instance_id for m in group.members if m.instance_id is not None
    }
    person, topic = _new_names(people, "r"), _new_names(topic_names(group), "s")
    return Renaming(
        group=Group(
            topics=tuple(replace(each, name=topic[each.name]) for each in group.topics),
            members=tuple(
                replace(
                    member,
                    id=person[member.id],
                    topics=tuple(topic[name] for name in member.topics),
                    owned=tuple(TopicPartition(topic[p.topic], p.partition) for p in member.owned),
                    instance_id=None if member.instance_id is None else person[member.instance_id],
                )
                for member in group.members
            ),
        ),
        members={new: old for old, new in person.items()},
        topics={new: old for old, new in topic.items()},
    )


def _new_names(names: Collection[str], prefix: str) -> dict[str, str]:
    ordered = sorted(names)
    if ordered != sorted(names, key=string_order):
        return {name: prefix + name for name in ordered}
    return {name: _against_the_order(prefix, rank) for rank, name in enumerate(ordered)}


@cache
def _against_the_order(prefix: str, rank: int) -> str:
    """Return a name that sorts by its rank, below 100,000, but stands in hash maps the further in front the higher it is."""
    names = (f"{prefix}{rank:05}-{number}" for number in count())
    return next(name for name in names if slot(name) == (SLOTS - 1 - rank) % SLOTS)


def slot(name: str) -> int:
    """Return where in a HashMap of 64 slots a name stands."""
    return spread(string_hash(name)) % SLOTS
