"""A group as its coordinator passes it to a server-side assignor: topics by id, subscriptions as sets, owned partitions by topic.

Generations are not passed. The module also has the ids of topics, which hash, sort and print as in Java. Partitions are numbers, which
sort faster. The racks of members and partitions are for 3.7, the only release whose uniform assignor reads them.

Source: GroupSpec and SubscribedTopicDescriber of Kafka 3.8 to 4.4; AssignmentSpec of 3.6 and 3.7; org.apache.kafka.common.Uuid;
RackInfo in AbstractUniformAssignmentBuilder of Kafka 3.7.
"""

import functools
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, groupby
from operator import attrgetter
from typing import NamedTuple, NoReturn
from uuid import UUID

from kassay.model import Assignment, AssignorError, Group, Member, Topic, TopicPartition
from kassay.model.partitions import make_numbered
from kassay.reference.consumer.members import subscribers
from kassay.reference.java.hash_map import hash_order
from kassay.reference.java.strings import int32, name_uuid


class TopicId(NamedTuple):
    """The two halves of a Uuid as signed numbers of 64 bits; sorts as Uuid.compareTo does."""

    most: int
    least: int

    def __str__(self) -> str:
        return urlsafe_b64encode(_bytes(self.most) + _bytes(self.least)).decode().rstrip("=")

    def java_hash(self) -> int:
        """Return Uuid.hashCode: all four words of 32 bits, each bit on that is on in one or three."""
        both = self.most ^ self.least
        return int32(both >> 32 ^ both)


def _bytes(half: int) -> bytes:
    return half.to_bytes(8, signed=True)


def make_topic_id(name: str, own: str | None = None) -> TopicId:
    """Return the id of a topic: its own, or else an id derived from its name."""
    return id_of_name(name) if own is None else _read(own)


@functools.lru_cache(maxsize=1 << 16)
def hash_of_id(name: str, own: str | None) -> int:
    """Return the hash of a topic's id."""
    return make_topic_id(name, own).java_hash()


@functools.lru_cache(maxsize=1 << 16)
def _read(printed: str) -> TopicId:
    return _parse_bytes(urlsafe_b64decode(printed + "=="))


@functools.lru_cache(maxsize=1 << 16)
def id_of_name(name: str) -> TopicId:
    """Return the id that a topic without one has: the UUID that Java makes of its name."""
    return _parse_bytes(UUID(name_uuid(name)).bytes)


def _parse_bytes(both: bytes) -> TopicId:
    return TopicId(int.from_bytes(both[:8], signed=True), int.from_bytes(both[8:], signed=True))


class Numbering:
    """Numbers partitions by topic in the order given; behind come those that are owned but gone, as they are met.

    `existing` is how many there are.
    """

    def __init__(self, topics: Collection[Topic]) -> None:
        self.every = [*chain.from_iterable(map(Topic.listed, topics))]
        self.of_topic: dict[str, list[int]] = {}
        numbers, start = list(range(len(self.every))), 0
        for topic in topics:
            end = start + topic.partitions
            self.of_topic[topic.name] = numbers[start:end]
            start = end
        self.existing = len(self.every)
        self._gone: dict[TopicPartition, int] = {}

    def numbers(self, owned: Mapping[str, Sequence[int]]) -> list[int]:
        """Return the numbers of what a member owns of these topics, topic by topic."""
        found: list[int] = []
        try:
            for topic, numbers in owned.items():
                found += map(self.of_topic[topic].__getitem__, numbers)
        except LookupError:
            known = [topic for topic in owned if topic in self.of_topic]
            return [self._number(topic, number) for topic in known for number in owned[topic]]
        return found

    def _number(self, topic: str, number: int) -> int:
        known = self.of_topic[topic]
        if number < len(known):
            return known[number]
        partition = TopicPartition(topic, number)
        if partition not in self._gone:
            self._gone[partition] = len(self.every)
            self.every.append(partition)
        return self._gone[partition]

    def order(self) -> Callable[[int], int] | None:
        """Return the key that sorts numbers by topic and partition: none as long as nothing is gone."""
        if not self._gone:
            return None
        place = {topic: at for at, topic in enumerate(self.of_topic)}
        ranked = sorted((place[topic], number, at) for at, (topic, number) in enumerate(self.every))
        return {at: rank for rank, (_, _, at) in enumerate(ranked)}.__getitem__


@dataclass(frozen=True)
class GroupSpec:
    """A group by topic name and member id."""

    topics: Mapping[str, Topic]
    members: Mapping[str, Member]

    @cached_property
    def subscribed(self) -> Mapping[str, Mapping[str, None]]:
        """Member -> the topics that it subscribes to, each once."""
        found: dict[str, dict[str, None]] = {}
        for topics, members in groupby(self.members.values(), attrgetter("topics")):
            found |= dict.fromkeys((member.id for member in members), dict.fromkeys(topics))
        return found

    @cached_property
    def owned(self) -> Mapping[str, Mapping[str, Sequence[int]]]:
        """Member -> topic -> the owned partitions, in reported order."""
        return {name: member.owned_by_topic for name, member in self.members.items()}

    @cached_property
    def alike(self) -> bool:
        """Return True if all members subscribe to the same topics."""
        different = {topics for topics, _ in groupby(self.members.values(), attrgetter("topics"))}
        return len(set(map(frozenset, different))) <= 1

    @cached_property
    def _hashes(self) -> dict[str, int]:
        """The hashes of the ids of topics that exist."""
        return {name: hash_of_id(name, topic.id) for name, topic in self.topics.items()}

    def partitions(self, topic: str) -> int:
        """Return how many partitions a topic has; raises AssignorError, as assignors do, where it does not exist."""
        found = self.topics.get(topic)
        return unknown(topic) if found is None else found.partitions

    def id(self, topic: str) -> TopicId:
        """Return the id of a topic, whether it exists or not."""
        found = self.topics.get(topic)
        return make_topic_id(topic, None if found is None else found.id)

    def hash(self, topic: str) -> int:
        """Return the hash of a topic's id."""
        found = self._hashes.get(topic)
        return hash_of_id(topic, None) if found is None else found

    def partition_hash(self, partition: TopicPartition) -> int:
        """Return TopicIdPartition.hashCode up to 4.0: Objects.hash of the topic's id and the number."""
        return int32(31 * (31 + self.hash(partition.topic)) + partition.partition)

    def record_hash(self, partition: TopicPartition) -> int:
        """Return TopicIdPartition.hashCode from 4.1 on, in which it is a record."""
        return int32(31 * self.hash(partition.topic) + partition.partition)

    def record_hashes(self, topic: str, partitions: int) -> Iterable[int]:
        """Return :meth:`record_hash` of a topic's first partitions: consecutive numbers, unless they wrap."""
        first = int32(31 * self.hash(topic))
        hashes = range(first, first + partitions)
        return hashes if hashes.stop <= 1 << 31 else map(int32, hashes)

    def readers(self) -> dict[str, list[int]]:
        """Return the numbers of each topic's subscribers; topics of equal ones share the list."""
        number = {name: at for at, name in enumerate(self.members)}
        numbers: dict[int, list[int]] = {}
        readers = subscribers(self.members.values())
        for members in readers.values():
            if id(members) not in numbers:
                numbers[id(members)] = [number[member.id] for member in members]
        return {topic: numbers[id(members)] for topic, members in readers.items()}

    def topic_order(self, topics: Collection[str], capacity: int = 16) -> list[str]:
        """Return topics in the order of a HashSet of their ids that is filled in the order given."""
        known = self._hashes
        hash_of = known.__getitem__ if known.keys() >= set(topics) else self.hash
        return hash_order(topics, hash_of, capacity, self.id)

    def printed(self, partition: TopicPartition) -> str:
        """Return TopicIdPartition.toString up to 4.0."""
        return f"{self.id(partition.topic)}:{partition.partition}"

    def answer(self, given: Mapping[str, Mapping[str, Collection[int]]]) -> Assignment:
        """Make an assignment of sets of partitions: by topic in the group's order, then by number.

        Topics that do not exist come last, in the order in which members subscribe to them or own partitions of them.
        """
        order = dict.fromkeys(self.topics)
        for member, topics in self.subscribed.items():
            order.update(dict.fromkeys((*topics, *self.owned[member])))
        place = {topic: number for number, topic in enumerate(order)}
        return {
            member: [
                partition
                for topic in sorted(of_topic, key=place.__getitem__)
                for partition in make_numbered(TopicPartition, topic, sorted(of_topic[topic]))
            ]
            for member, of_topic in given.items()
        }


def group_spec(group: Group) -> GroupSpec:
    """Make what an assignor is handed of a group."""
    return GroupSpec(
        {topic.name: topic for topic in group.topics}, {member.id: member for member in group.members}
    )


def compute_copy_capacity(size: int) -> int:
    """Return the capacity with which HashSet's constructor copies a collection of `size` elements (JDK 17)."""
    return max(int(size / 0.75) + 1, 16)


def unknown(topic: str) -> NoReturn:
    """Fail as assignors do on a subscription to a topic that does not exist; a coordinator leaves such topics out."""
    words = (
        f"Members are subscribed to topic {make_topic_id(topic)} which doesn't exist in the topic metadata."
    )
    raise AssignorError(f"PartitionAssignorException: {words}")


class RackInfo:
    """The racks of members and partitions; `used` is True if they matter. An empty rack counts as unknown."""

    def __init__(self, spec: GroupSpec, topics: Iterable[str]) -> None:
        by_rack: dict[str, list[str]] = {}
        for member in spec.members.values():
            if member.rack:
                by_rack.setdefault(member.rack, []).append(member.id)
        racks = (
            {partition: there for topic in topics for partition, there in _racks(spec, topic)}
            if by_rack
            else {}
        )
        every = {rack for there in racks.values() for rack in there}
        self.used = not every.isdisjoint(by_rack) and any(every != there.keys() for there in racks.values())
        self._member_racks = {member: rack for rack, members in by_rack.items() for member in members}
        self._partition_racks = racks
        self.near = {
            partition: list(dict.fromkeys(member for rack in there for member in by_rack.get(rack, ())))
            for partition, there in racks.items()
        }
        """The members near each partition; sorted anew, by load, whenever they are asked for."""

    def matches(self, member: str, partition: TopicPartition) -> bool:
        """Return True if a partition has a replica in a member's rack; False for a member without a rack."""
        return self._member_racks.get(member) in self._partition_racks.get(partition, ())

    def sorted_by_rack_members(
        self, partitions: Iterable[TopicPartition], spec: GroupSpec
    ) -> list[TopicPartition]:
        """Return the partitions that are near some member, those near the fewest first."""
        return sorted(
            (partition for partition in partitions if self.near.get(partition)),
            key=lambda partition: (len(self.near[partition]), spec.id(partition.topic), partition.partition),
        )

    def sorted_near(self, partition: TopicPartition, sizes: Mapping[str, int]) -> list[str]:
        """Return the members near a partition, the least loaded first; ties as they were when last asked."""
        near = self.near.get(partition, [])
        near.sort(key=lambda member: sizes[member])
        return near


def _racks(spec: GroupSpec, topic: str) -> Iterable[tuple[TopicPartition, dict[str, None]]]:
    found = spec.topics[topic]
    for partition in found:
        known = found.racks[partition.partition] if found.racks else ()
        yield partition, dict.fromkeys(rack for rack in known if rack is not None)
