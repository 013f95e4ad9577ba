"""The topics of tested groups under new names, which groups share, so that a client seldom waits for metadata.

A client refreshes its metadata when it leads a group with unknown topics, and may wait before it asks: kafka-python waits
``retry_backoff_ms``, 100 ms by default. So two groups share a topic if it has as many partitions in the same racks. Names
ascend in the order in which they are made. A group takes the first names that are in the order of its own topics.
"""

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from kassay.model import Assignment, Group, Topic, TopicPartition
from kassay.properties.partitions.owners import rename
from kassay.reference.java.strings import string_order

Content: TypeAlias = tuple[int, tuple[tuple[str | None, ...], ...] | None] | None
"""The partitions and the racks of a topic; None if the leader's cluster does not have it."""


@dataclass(frozen=True, slots=True)
class RenamedGroup:
    """A group with its topics renamed for the client."""

    group: Group
    names: Mapping[str, str]
    """The original name of each renamed topic."""

    def restore_names(self, given: Assignment) -> Assignment:
        """Return an assignment with the original names."""
        return {
            member: [TopicPartition(self.names.get(name, name), number) for name, number in some]
            for member, some in given.items()
        }


def list_names(group: Group) -> list[str]:
    """Return the names of the topics that a group has, reads or owns, in Java's order."""
    read = {name for member in group.members for name in member.topics}
    owned = {name for member in group.members for name, _ in member.owned}
    return sorted({topic.name for topic in group.topics} | read | owned, key=string_order)


def rename_group(group: Group, renamed: Mapping[str, str]) -> RenamedGroup:
    """Return a group in which every topic has another name."""
    return RenamedGroup(rename(group, {"t": renamed}), {new: name for name, new in renamed.items()})


class TopicPool:
    """The topics that a client receives in Metadata responses."""

    def __init__(self) -> None:
        self._places: dict[Content, list[int]] = {}
        self.number = 0
        """The number of names."""
        self._shown = 0
        """The number of names that were announced to the client."""
        self.topics: list[Topic] = []
        """The topics of all names that exist."""
        self.partitions = 0

    def rename(self, group: Group, *, fresh: bool = False) -> RenamedGroup:
        """Return a group with names of the pool, to which missing ones are added; a `fresh` group shares no names."""
        read = {name for member in group.members for name in member.topics}
        contents: dict[str, Content] = {
            topic.name: (topic.partitions, topic.racks) for topic in group.topics if topic.name in read
        }
        at, renamed = 0, {}
        for name in list_names(group):
            at = self._find(contents.get(name), self.number if fresh else at)
            renamed[name] = _write_name(at)
        return rename_group(group, renamed)

    def _find(self, content: Content, after: int) -> int:
        """Return the first number above `after` of a topic with this content, a new one if there is none."""
        places = self._places.setdefault(content, [])
        place = bisect_right(places, after)
        if place < len(places):
            return places[place]
        self.number += 1
        places.append(self.number)
        if content is not None:
            partitions, racks = content
            self.topics.append(Topic(_write_name(self.number), partitions, racks))
            self.partitions += partitions
        return self.number

    def is_shown(self, group: Group) -> bool:
        """Return True if all topics of a renamed group were announced."""
        last = max((topic.name for topic in group.topics), default="")
        return last <= _write_name(self._shown)

    def note_shown(self) -> None:
        """Note that all topics are announced."""
        self._shown = self.number

    def clear(self) -> None:
        """Forget all topics; their names are not used again."""
        self._places.clear()
        self.topics.clear()
        self.partitions = 0


def _write_name(number: int) -> str:
    return f"k{number:07}"
