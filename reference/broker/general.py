"""The uniform assignment of Kafka 3.7 to 3.9 for different subscriptions: sticky, then one partition at a time.

It records the movements of a call, so that a partition moves back instead of another one that moves in the same direction.
MemberAssignmentBalancer, the walk over the least and the most loaded subscribers, is also used for releases from 4.0 on.

Source: GeneralUniformAssignmentBuilder of Kafka 3.7, UniformHeterogeneousAssignmentBuilder of 3.8 and 3.9, with PartitionMovements;
MemberAssignmentBalancer of UniformHeterogeneousAssignmentBuilder, Kafka 4.0 to 4.4.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

from kassay.model import Assignment, AssignorError, TopicPartition
from kassay.reference.broker.group_spec import GroupSpec, RackInfo, compute_copy_capacity, unknown
from kassay.reference.java.hash_map import HashTable, hash_order
from kassay.reference.java.strings import string_order


class MemberAssignmentBalancer:
    """Two walks through the subscribers of a topic, sorted by load: from the least loaded up and from the most loaded down.

    Each walk has a range of members at one level. After a round over them, it raises (or lowers) the level by one, and
    adds the members that were at that level from the beginning. Loads are read only when a range grows.
    Subscribers are in ascending order; `least_loaded` yields the next member to give a partition to, without end.
    """

    def __init__(self, sizes: Sequence[int], subscribers: Sequence[int]) -> None:
        self._sizes = sizes
        self._members = sorted(subscribers, key=sizes.__getitem__)
        self._least_level = sizes[self._members[0]] - 1
        self._most_start = self._most_end = len(self._members)
        self._most_level = sizes[self._members[-1]] + 1
        self._next_most = len(self._members) - 1
        self.least_loaded = self._upwards()
        self.imbalance = sizes[self._members[-1]] - sizes[self._members[0]]

    def is_balanced(self) -> bool:
        """Return True if the levels of both ranges differ by at most one."""
        return self._most_level - self._least_level <= 1

    def _upwards(self) -> Iterator[int]:
        end = 0
        while True:
            self._least_level += 1
            while end < len(self._members) and self._count_at(end) == self._least_level:
                end += 1
            for at in range(max(end, 1)):
                yield self._members[at]

    def find_next_most_loaded(self) -> int | None:
        """Return the next member to take a partition from; None if no member is left."""
        if self._next_most < self._most_start:
            if self._most_end <= self._most_start and self._most_start > 0:
                self._most_level = self._count_at(self._most_start - 1)  # all above have nothing of the topic
            else:
                self._most_level -= 1
            while self._most_start > 0 and self._count_at(self._most_start - 1) == self._most_level:
                self._most_start -= 1
            self._next_most = self._most_end - 1
        if self._next_most < 0:
            return None
        self._next_most -= 1
        return self._members[self._next_most + 1]

    def exclude_most_loaded(self) -> None:
        """Take the member that was returned last out of the range: it has no partition of the topic."""
        at, last = self._next_most + 1, self._most_end - 1
        self._members[at], self._members[last] = self._members[last], self._members[at]
        self._most_end -= 1

    def _count_at(self, place: int) -> int:
        return self._sizes[self._members[place]]


TWICE = "Mismatch in partition movement record with respect to partition ownership during a rebalance"


class PartitionMovements:
    """The movements of a call, by topic and pair of members; a partition that would move twice makes Kafka fail."""

    def __init__(self, spec: GroupSpec) -> None:
        self._spec = spec
        self._pairs: dict[TopicPartition, tuple[str, str]] = {}
        self._between: dict[tuple[str, str, str], HashTable[TopicPartition]] = {}

    def has_moved(self, partition: TopicPartition) -> bool:
        """Return True if a partition has moved."""
        return partition in self._pairs

    def actual(self, partition: TopicPartition, owner: str, to: str) -> TopicPartition:
        """Return the partition to move instead: one of the topic that moved the opposite way, if there is one."""
        if partition in self._pairs:
            owner = self._pairs[partition][0]
        reverse = self._between.get((partition.topic, to, owner))
        return next(iter(reverse), partition) if reverse is not None else partition

    def move(self, partition: TopicPartition, owner: str, to: str) -> None:
        """Note a movement; raises AssignorError where the partition has moved before, as Kafka's test of that is inverted."""
        if partition in self._pairs:
            raise AssignorError(f"PartitionAssignorException: {TWICE}")
        self._pairs[partition] = (owner, to)
        self._between.setdefault((partition.topic, owner, to), HashTable(self._spec.partition_hash)).add(
            partition
        )


NO_TOPIC = "NullPointerException"


class GeneralBuilder:
    """Members keep what they subscribe to; the rest goes to the least loaded readers; then single partitions move until loads are even.

    With racks (3.7) members keep only what is in their rack, and partitions first go to members that are near.
    """

    def __init__(
        self, spec: GroupSpec, racks: Callable[[GroupSpec, Iterable[str]], RackInfo] | None = None
    ) -> None:
        self._spec = spec
        self._readers: dict[str, list[str]] = {}
        for member, topics in spec.subscribed.items():
            for topic in topics:
                if topic not in spec.topics:
                    unknown(topic)
                self._readers.setdefault(topic, []).append(member)
        order = spec.topic_order(self._readers)
        self._racks = racks(spec, order) if racks else None
        self._by_racks = self._racks if self._racks and self._racks.used else None
        partitions = [partition for topic in order for partition in spec.topics[topic]]
        in_order = hash_order(partitions, spec.partition_hash)
        capacity = 16 if racks is None else compute_copy_capacity(len(partitions))
        self._every = self._sort(hash_order(in_order, spec.partition_hash, capacity))
        self._sizes = dict.fromkeys(spec.members, 0)
        self._most = {member: sum(map(spec.partitions, topics)) for member, topics in spec.subscribed.items()}
        self._orders = {member: string_order(member) for member in spec.members}
        self._given: dict[str, dict[str, set[int]]] = {member: {} for member in spec.members}
        self._owner: dict[TopicPartition, str] = {}
        self._former: dict[TopicPartition, str] = {}  # owners in another rack
        self._sticky: set[TopicPartition] = set()
        self._movements = PartitionMovements(spec)

    def build(self) -> Assignment:
        """Compute the assignment; raises AssignorError as Kafka's class fails."""
        if not self._readers:
            return {}
        self._keep()
        if self._by_racks:
            self._assign_by_racks(self._by_racks)
        self._assign_remaining()
        if self._racks and not all(self._spec.subscribed.values()):
            raise AssignorError(
                NO_TOPIC
            )  # 3.7 makes no assignment for a member without topics, then reads it
        self._balance()
        return self._spec.answer(self._given)

    def _sort(self, partitions: Iterable[TopicPartition]) -> list[TopicPartition]:
        """Sort partitions as topics are, but for their ids: where these would decide, the order of a hash set does."""

        def key(partition: TopicPartition) -> tuple[float, int, int]:
            readers = len(self._readers[partition.topic])
            return (-self._spec.topics[partition.topic].partitions / readers, readers, partition.partition)

        return sorted(partitions, key=key)

    def _keep(self) -> None:
        for member, owned in self._spec.owned.items():
            for topic, numbers in owned.items():
                if topic not in self._spec.subscribed[member]:
                    continue
                for partition in (TopicPartition(topic, number) for number in numbers):
                    if self._by_racks and not self._by_racks.matches(member, partition):
                        self._former[partition] = member
                    else:
                        self._add(partition, member)
                        self._sticky.add(partition)

    def _assign_by_racks(self, racks: RackInfo) -> None:
        unassigned = [partition for partition in self._every if partition not in self._owner]
        for partition in racks.sorted_by_rack_members(unassigned, self._spec):
            for member in self._find_near(racks, partition):
                if self._try(partition, member):
                    break

    def _find_near(self, racks: RackInfo, partition: TopicPartition) -> list[str]:
        """Return the members near a partition; raises AssignorError where one of several has no topic, as that makes 3.7 fail."""
        near = racks.near.get(partition, [])
        if len(near) > 1 and not all(self._spec.subscribed[member] for member in near):
            raise AssignorError(NO_TOPIC)
        held = {member: sum(map(len, self._given[member].values())) for member in near}
        return racks.sorted_near(partition, held)

    def _assign_remaining(self) -> None:
        for partition in self._every:
            if partition in self._owner:
                continue
            if partition in self._former and self._try(partition, self._former[partition]):
                continue
            takers = [member for member in self._readers[partition.topic] if self._has_room(member)]
            if not takers:
                raise AssignorError("PartitionAssignorException: Some partitions were left unassigned")
            self._add(partition, min(takers, key=self._load))

    def _load(self, member: str) -> tuple[int, str]:
        return (self._sizes[member], self._orders[member])

    def _has_room(self, member: str) -> bool:
        return self._sizes[member] < self._most[member]

    def _try(self, partition: TopicPartition, member: str) -> bool:
        """Give a partition to a member that may take it, and say whether it may."""
        may = partition.topic in self._spec.subscribed[member] and self._has_room(member)
        if may:
            self._add(partition, member)
        return may

    def _add(self, partition: TopicPartition, member: str) -> None:
        self._given[member].setdefault(partition.topic, set()).add(partition.partition)
        self._owner[partition] = member
        self._sizes[member] += 1

    def _balance(self) -> None:
        """Pass over the partitions of topics that have several readers until nothing moves; what moved is passed over only once."""
        shared = [partition for partition in self._every if len(self._readers[partition.topic]) > 1]
        modified = bool(shared)
        while modified:
            modified = moved = False
            for partition in shared:
                if moved and self._is_balanced():
                    return
                moved = self._move(partition)
                modified |= moved
            shared = [partition for partition in shared if not self._movements.has_moved(partition)]

    def _move(self, partition: TopicPartition) -> bool:
        """Move a partition to a member with at least two fewer, if there is one; say whether it, or one in its stead, moved."""
        owner = self._owner[partition]
        racks, limit = self._by_racks, self._sizes[owner] - 1
        if racks and racks.matches(owner, partition):
            for other in self._find_near(racks, partition):
                if self._has_room(other) and racks.matches(other, partition) and self._sizes[other] < limit:
                    return self._reassign(partition, other)
        former = self._former.get(partition)
        if racks and partition not in self._sticky and former is not None and self._sizes[former] < limit:
            return self._reassign(partition, former)
        if any(self._sizes[other] < limit for other in self._readers[partition.topic]):
            takers = [
                m
                for m in self._spec.members
                if self._has_room(m) and partition.topic in self._spec.subscribed[m]
            ]
            if not takers:
                words = f"No suitable new owner was found for the partition{self._spec.printed(partition)}"
                raise AssignorError(f"PartitionAssignorException: {words}")
            return self._reassign(partition, min(takers, key=self._load))
        return False

    def _reassign(self, partition: TopicPartition, to: str) -> bool:
        actual = self._movements.actual(partition, self._owner[partition], to)
        owner = self._owner[actual]
        self._movements.move(actual, owner, to)
        self._given[owner].get(actual.topic, set()).discard(actual.partition)
        self._sizes[owner] = max(0, self._sizes[owner] - 1)
        self._add(actual, to)
        return True

    def _is_balanced(self) -> bool:
        """Return True if loads differ by at most one, or no member can take a partition from a member with two more."""
        waiting = [member for member in self._spec.members if self._has_room(member)]
        if not waiting:
            raise AssignorError("NoSuchElementException")
        sizes = [self._sizes[member] for member in waiting]
        if min(sizes) >= max(sizes) - 1:
            return True
        return not any(
            self._sizes[self._owner[partition]] > self._sizes[member] + 1
            for member in waiting
            for topic in self._spec.subscribed[member]
            for partition in self._spec.topics[topic]
            if partition.partition not in self._given[member].get(topic, ())
        )
