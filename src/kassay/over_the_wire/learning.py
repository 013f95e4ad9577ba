"""How a leader learns which partitions the topics of a group have, and the names under which it is therefore told of them.

A client knows the cluster by the metadata it has; kassay shows it another cluster with every group. What a client does about that is
found out once, by groups whose right answer needs what was not known before.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from kassay.errors import SkippedError
from kassay.model import Assignment, Group, Member, Topic, TopicPartition
from kassay.reference.java.strings import string_order

_LONGEST = 249
"""How many characters the name of a topic has at most; clients refuse longer ones."""


class Learning(Enum):
    """What a leader does to know the topics of its group, in the order in which it is tried."""

    ALWAYS = "it asks about all topics each time it leads"
    NEW = "it asks about topics that it has not heard of, so those of each group get new names"
    OWN = "it asks about the topics that it subscribes to itself, so those of each group get their names"
    AFTERWARDS = "it asks about new topics when it has led, so it leads a group to hear of those that follow"


@dataclass(frozen=True, slots=True)
class Disguised:
    """A group as the client is told of it, and the name in the group of each topic that has another one there."""

    group: Group
    names: Mapping[str, str]

    def back(self, given: Assignment) -> Assignment:
        """Return an assignment with the names that the group has."""
        return {
            member: [TopicPartition(self.names.get(name, name), number) for name, number in some]
            for member, some in given.items()
        }


def disguised(group: Group, learning: Learning, own: Sequence[str], number: int) -> Disguised:
    """Give a group's topics names under which the client learns of them; they keep their order.

    Raises SkippedError where it has more topics than the client subscribes to, and these are all it gives.
    """
    if learning is Learning.ALWAYS:
        return Disguised(group, {})
    names = _names_of(group)
    if learning is not Learning.OWN:
        new = [f"k{number}.{name}" for name in names]
        if max(map(len, new), default=0) > _LONGEST:
            new = [f"k{number}.{at:05}" for at in range(len(names))]
    elif len(names) <= len(own):
        new = [*own[: len(names)]]
    else:
        raise SkippedError(f"it has {len(names)} topics, and the client subscribes to {len(own)}")
    told = _renamed(group, dict(zip(names, new, strict=True)))
    if learning is Learning.OWN:
        told = _subscribed(told, own)
    return Disguised(told, dict(zip(new, names, strict=True)))


def _subscribed(group: Group, own: Sequence[str]) -> Group:
    """Let the leader say that it reads what nobody does, too, as the client does subscribe to it; these topics are not there."""
    read = {name for member in group.members for name in member.topics}
    unread = tuple(name for name in own if name not in read)
    members = (
        replace(member, topics=member.topics + unread * (at == 0)) for at, member in enumerate(group.members)
    )
    return Group(tuple(topic for topic in group.topics if topic.name in read), tuple(members))


PROBES = (1, 7, 1, 7)
"""How many partitions the topic of each probe has; a client that knows them by chance does not four times."""


def probe(partitions: int) -> Group:
    """Return a group of one topic."""
    return Group((Topic("probe", partitions),), (Member("m0", ("probe",)), Member("m1", ("probe",))))


def knew(given: Assignment, partitions: int) -> bool:
    """Say whether who gave this knew of the topic of a probe, and whether that has one partition or several."""
    found = [partition.partition for some in given.values() for partition in some]
    return bool(found) and (max(found) > 0) == (partitions > 1)


def _names_of(group: Group) -> list[str]:
    """Return the names of all topics that are there, read or owned, in their order."""
    read = (name for member in group.members for name in member.topics)
    owned = (name for member in group.members for name, _ in member.owned)
    return sorted({topic.name for topic in group.topics}.union(read, owned), key=string_order)


def _renamed(group: Group, names: Mapping[str, str]) -> Group:
    return Group(
        tuple(replace(topic, name=names[topic.name]) for topic in group.topics),
        tuple(
            replace(
                member,
                topics=tuple(names[name] for name in member.topics),
                owned=tuple(TopicPartition(names[name], number) for name, number in member.owned),
            )
            for member in group.members
        ),
    )
