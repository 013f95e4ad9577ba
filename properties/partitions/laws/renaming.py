"""Renaming: the same group under other names that sort alike, so that only their hashes differ."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from kassay.model import Group, TopicPartition
from kassay.properties.partitions.holdings import topic_names
from kassay.properties.renaming import new_names


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
    person, topic = new_names(people, "r"), new_names(topic_names(group), "s")
    return Renaming(
        group=replace(
            group,
            config=group.config.renamed(topic),
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
