"""Give each topic's partitions to its subscribers in consecutive ranges, by racks where those differ (KIP-881).

For each topic, P partitions go to C subscribers: each gets P div C, and P mod C of them get one more. Without racks these
are the first in order (static members first), and numbers are consecutive. So topics with equal subscribers and
partition counts are co-partitioned. If racks matter, each subscriber first takes partitions with a replica in its rack.
Topics with equal subscribers and partition counts do so together, number by number, and stay co-partitioned. The remaining
partitions go to members below their share, in any rack. Claims are not read.

Known defects, reproduced: the same members get one more partition of each topic, so loads may differ by the number of
topics. If racks matter for one topic, they decide for all topics that are co-partitioned with it.

Source: org.apache.kafka.clients.consumer.RangeAssignor of Kafka 3.5 to 4.4; KIP-881.
"""

from collections import deque
from collections.abc import Collection, Iterable, Mapping
from itertools import islice

from kassay.model import Assignment, Assignor, Group, Member, TopicPartition
from kassay.reference.consumer.members import (
    Racks,
    find_rack,
    is_rack_aware,
    list_racks,
    sort_members,
    subscribers,
    topics_in_map_order,
)
from kassay.reference.java.strings import string_order
from kassay.reference.promises import EVEN, ORDER_FREE, SOUND, STEADY, VALID


def assign(group: Group) -> Assignment:
    """Give each topic's partitions to its subscribers in consecutive ranges, by racks where those differ."""
    readers = subscribers(sort_members(group.members))
    topics = {topic.name: topic for topic in group.topics if topic.partitions and topic.name in readers}
    has_racks = any(map(find_rack, group.members))
    racks = {name: list_racks(topic) for name, topic in topics.items()} if has_racks else {}
    by_racks = {name for name, of_topic in racks.items() if is_rack_aware(readers[name], of_topic)}
    if by_racks:
        owners, names = _owners_by_racks(readers, racks, by_racks), sorted(topics, key=string_order)
    else:
        owners, names = {}, topics_in_map_order(group.members, topics)
    given: dict[str, list[TopicPartition]] = {member.id: [] for member in group.members}
    for name in names:
        members, topic = readers[name], topics[name]
        places = owners.get(name) or _Shares(topic.partitions, len(members)).owners()
        for partition, place in zip(topic, places, strict=True):
            given[members[place].id].append(partition)
    return given


class _Shares:
    """The partitions of one topic, or of co-partitioned ones, while they are given to members by place in order."""

    def __init__(self, partitions: int, members: int) -> None:
        self.least, self.extras = divmod(partitions, members)
        self.read_values = [0] * members
        self.owner: list[int | None] = [None] * partitions

    def room(self, place: int) -> int:
        """Return how many partitions a member may still take."""
        return self.least + (self.extras > 0) - self.read_values[place]

    def give(self, place: int, partitions: Collection[int]) -> None:
        """Give a member no more partitions than it has room for."""
        for partition in partitions:
            self.owner[partition] = place
        self.read_values[place] += len(partitions)
        if partitions and self.read_values[place] > self.least:
            self.extras -= 1

    def owners(self) -> list[int]:
        """Give what is left to members in order, and return the owner of each partition."""
        left = deque(partition for partition, owner in enumerate(self.owner) if owner is None)
        for place in range(len(self.read_values)):
            if not left:
                break
            self.give(place, [left.popleft() for _ in range(self.room(place))])
        return [owner for owner in self.owner if owner is not None]


def _owners_by_racks(
    readers: Mapping[str, list[Member]], racks: Mapping[str, list[Racks]], by_racks: Collection[str]
) -> dict[str, list[int]]:
    """Return the owners' places for topics that are co-partitioned or for which racks matter."""
    alike: dict[tuple[int, tuple[str, ...]], list[str]] = {}
    for name, of_topic in racks.items():
        alike.setdefault((len(of_topic), tuple(member.id for member in readers[name])), []).append(name)
    owners: dict[str, list[int]] = {}
    for names in alike.values():
        members = readers[names[0]]
        shares = _Shares(len(racks[names[0]]), len(members))
        if len(names) > 1:
            shared = [
                there[0].intersection(*there) for there in zip(*(racks[name] for name in names), strict=True)
            ]
            _take_together(members, shared, shares)
        elif names[0] in by_racks:
            _take_each(members, racks[names[0]], shares)
        else:
            continue
        owners |= dict.fromkeys(names, shares.owners())
    return owners


def _take_together(members: Iterable[Member], racks: Iterable[Racks], shares: _Shares) -> None:
    """Give each partition number to the first member with room that matches it in every one of the topics."""
    waiting: dict[str | None, deque[int]] = {}
    for place, member in enumerate(members):
        waiting.setdefault(find_rack(member), deque()).append(place)
    for partition, there in enumerate(racks):
        first: list[int] = []
        for rack in (None, *there):  # a member without rack matches everywhere
            places = waiting.get(rack, deque())
            while places and shares.room(places[0]) <= 0:
                places.popleft()
            first.extend(islice(places, 1))
        if first:
            shares.give(min(first), [partition])


def _take_each(members: Iterable[Member], racks: list[Racks], shares: _Shares) -> None:
    """Let each member take what it has room for of the partitions that match it."""
    left: dict[str | None, deque[int]] = {None: deque(range(len(racks)))}
    for partition, there in enumerate(racks):
        for rack in there:
            left.setdefault(rack, deque()).append(partition)
    for place, member in enumerate(members):
        near = left.get(find_rack(member), deque())
        taken: list[int] = []
        while near and len(taken) < shares.room(place):
            partition = near.popleft()
            if shares.owner[partition] is None:
                taken.append(partition)
        shares.give(place, taken)


RANGE = Assignor(
    "consumer/range",
    assign,
    VALID
    | EVEN
    | ORDER_FREE
    | SOUND
    | STEADY
    | {
        "topic_balanced",
        "two_rounds",
        "static_identity",
        "instance_isolated",
        "co_located",
        "joined_evenly",
        "rack_aware_no_more_reads",
    },
    "RangeAssignor of Kafka 4.4; KIP-881",
    {
        "balanced": frozenset({"mixed_subscriptions", "uneven_splits"}),
        "locally_balanced": frozenset({"mixed_subscriptions", "uneven_splits"}),
        # A near partition is given to the first member that it is near to, though another may have no other that is near; without racks
        # members and partitions without a rack may happen to meet, and so may the same partition of topics that are given out together.
        "rack_aware_no_more_reads": frozenset(
            {"copartitioned_topics+racks_decide", "partial_racks+partition_without_racks"}
        ),
    },
    limits=frozenset({"balanced", "locally_balanced"}),
)
