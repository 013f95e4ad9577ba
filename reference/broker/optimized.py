"""The uniform assignment of Kafka 3.7 where all members subscribe to the same topics: by racks first, then in turn.

Source: OptimizedUniformAssignmentBuilder of Kafka 3.7.
"""

from collections import deque

from kassay.model import Assignment, AssignorError, TopicPartition
from kassay.reference.broker.group_spec import GroupSpec, copied_capacity
from kassay.reference.broker.homogeneous import LEFT
from kassay.reference.broker.rack_info import RackInfo
from kassay.reference.java.hash_map import HashTable
from kassay.reference.java.strings import string_hash, string_order


class OptimizedBuilder:
    """Members keep what is in their rack up to the quota; then what is left goes to members near it, then in turn to the unfilled."""

    def __init__(self, spec: GroupSpec) -> None:
        self._spec = spec
        self._subscribed = spec.subscribed[next(iter(spec.members))]
        self._topics = spec.topic_order(self._subscribed, copied_capacity(len(self._subscribed)))
        self._least, self._extras = 0, 0
        self._missing: dict[str, int] = {}  # unfilled member -> how many it misses of the least
        self._table = HashTable(string_hash, order_of=string_order)  # of all that are unfilled
        self._owners: dict[TopicPartition, str] = {}  # of what is in another rack than its owner
        self._given: dict[str, dict[str, set[int]]] = {member: {} for member in spec.members}

    def build(self) -> Assignment:
        """Compute the assignment; raises AssignorError as Kafka's class fails."""
        spec = self._spec
        racks = RackInfo(spec, filter(spec.topics.__contains__, self._topics))
        if not self._topics:
            return {}
        self._least, self._extras = divmod(sum(map(spec.partitions, self._topics)), len(spec.members))
        unassigned = {partition for topic in self._topics for partition in spec.topics[topic]}
        unassigned -= self._keep(racks)
        if racks.used:
            for partition in racks.sorted_by_rack_members(unassigned, spec):
                near = racks.sorted_near(partition, self._sizes())
                if any(member in self._missing and self._give(member, partition) for member in near):
                    unassigned.discard(partition)
        self._assign_in_turn(sorted(unassigned, key=lambda one: (spec.id(one.topic), one.partition)))
        return spec.answer(self._given)

    def _sizes(self) -> dict[str, int]:
        return {member: sum(map(len, of_topic.values())) for member, of_topic in self._given.items()}

    def _keep(self, racks: RackInfo) -> set[TopicPartition]:
        """Let each member keep of what it owns in its rack as much as the quota allows; return that."""
        kept: set[TopicPartition] = set()
        for member, owned in self._spec.owned.items():
            valid: list[TopicPartition] = []
            for partition in (
                TopicPartition(t, n) for t, numbers in owned.items() if t in self._subscribed for n in numbers
            ):
                if racks.used and not racks.matches(member, partition):
                    self._owners[partition] = member
                else:
                    valid.append(partition)
            has_extra = len(valid) > self._least and self._extras > 0
            self._extras -= has_extra
            for partition in valid[: self._least + has_extra]:
                self._given[member].setdefault(partition.topic, set()).add(partition.partition)
                kept.add(partition)
            if len(valid) <= self._least:
                self._missing[member] = self._least - len(valid)
                self._table.add(member)
        return kept

    def _assign_in_turn(self, partitions: list[TopicPartition]) -> None:
        turns = deque(self._table)
        left = False
        for partition in partitions:
            owner, assigned = self._owners.get(partition), False
            if owner is not None and owner in self._missing:
                assigned = self._give(owner, partition)
                if owner not in self._missing:
                    turns.remove(owner)
            turn = 0
            while turn < len(turns) and not assigned:
                member = turns.popleft()
                assigned = member in self._missing and self._give(member, partition)
                if member in self._missing:
                    turns.append(member)
                turn += 1
            left |= not assigned
        if left:
            raise AssignorError(LEFT)

    def _give(self, member: str, partition: TopicPartition) -> bool:
        """Give a partition to an unfilled member that has room; say whether it had."""
        missing = self._missing[member]
        if missing > 0:
            self._missing[member] = missing - 1
            if missing == 1 and self._extras == 0:
                self._fill(member)
        elif self._extras > 0:
            self._extras -= 1
            self._fill(member)
        else:
            return False
        self._given[member].setdefault(partition.topic, set()).add(partition.partition)
        return True

    def _fill(self, member: str) -> None:
        """Count a member as filled."""
        del self._missing[member]
        self._table.remove(member)
