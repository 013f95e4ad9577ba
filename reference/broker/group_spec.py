"""A group as its coordinator hands it to a server-side assignor: topics by id, subscriptions as sets, what members own by topic.

Source: GroupSpec and SubscribedTopicDescriber of Kafka 3.8 to 4.4, AssignmentSpec of 3.6 and 3.7. Generations are not handed over.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from operator import attrgetter
from typing import NoReturn

from kassay.model import Assignment, AssignorError, Group, Member, Topic, TopicPartition
from kassay.model.partitions import numbered
from kassay.reference.broker.topic_ids import TopicId, hash_of_id, topic_id
from kassay.reference.consumer.members import subscribers
from kassay.reference.java.hash_map import hash_order
from kassay.reference.java.strings import int32


@dataclass(frozen=True)
class GroupSpec:
    """A group by topic name and member id."""

    topics: Mapping[str, Topic]
    members: Mapping[str, Member]

    @cached_property
    def subscribed(self) -> Mapping[str, Mapping[str, None]]:
        """What each member subscribes to, each topic once."""
        found: dict[str, dict[str, None]] = {}
        for topics, members in groupby(self.members.values(), attrgetter("topics")):
            found |= dict.fromkeys((member.id for member in members), dict.fromkeys(topics))
        return found

    @cached_property
    def owned(self) -> Mapping[str, Mapping[str, Sequence[int]]]:
        """What each member owns of each topic, in the order in which it is reported."""
        return {name: member.owned_by_topic for name, member in self.members.items()}

    @cached_property
    def alike(self) -> bool:
        """Say whether all subscribe to the same topics."""
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
        return topic_id(topic, None if found is None else found.id)

    def hash(self, topic: str) -> int:
        """Return the hash of a topic's id."""
        found = self._hashes.get(topic)
        return hash_of_id(topic, None) if found is None else found

    def partition_hash(self, partition: TopicPartition) -> int:
        """Return TopicIdPartition.hashCode up to 4.0: Objects.hash of the topic's id and the number."""
        return int32(31 * (31 + self.hash(partition.topic)) + partition.partition)

    def record_hash(self, partition: TopicPartition) -> int:
        """Return TopicIdPartition.hashCode from 4.1 on, as that of a record."""
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
                for partition in numbered(TopicPartition, topic, sorted(of_topic[topic]))
            ]
            for member, of_topic in given.items()
        }


def group_spec(group: Group) -> GroupSpec:
    """Make what an assignor is handed of a group."""
    return GroupSpec(
        {topic.name: topic for topic in group.topics}, {member.id: member for member in group.members}
    )


def copied_capacity(size: int) -> int:
    """Return the capacity with which HashSet's constructor copies a collection of so many elements (JDK 17)."""
    return max(int(size / 0.75) + 1, 16)


def unknown(topic: str) -> NoReturn:
    """Fail as assignors do on a subscription to a topic that does not exist; a coordinator leaves such topics out."""
    words = f"Members are subscribed to topic {topic_id(topic)} which doesn't exist in the topic metadata."
    raise AssignorError(f"PartitionAssignorException: {words}")
