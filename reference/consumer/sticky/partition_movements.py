"""What the sticky assignor has moved, so that members do not swap partitions of one topic (KIP-54)."""

from collections.abc import Sequence

from kassay.model import TopicPartition
from kassay.reference.java.hash_map import HashTable
from kassay.reference.java.strings import topic_partition_hash


class PartitionMovements:
    """The partitions that are no longer with their first owner, by topic, first and present owner."""

    def __init__(self, partitions: Sequence[TopicPartition]) -> None:
        self._partitions = partitions
        self._first_owner: dict[int, int] = {}
        self._moved: dict[tuple[str, int, int], int | HashTable[int]] = {}  # most are one partition

    def instead_of(self, partition: int, owner: int, taker: int) -> int:
        """Return the partition that goes to the taker when this one should.

        If partitions of its topic went from the taker to the first owner of this one, then the first of them
        in their HashSet goes back, no matter who owns this one now.
        """
        first_owner = self._first_owner.get(partition, owner)
        moved = self._moved.get((self._partitions[partition].topic, taker, first_owner))
        if moved is None:
            return partition
        return moved if isinstance(moved, int) else next(iter(moved))

    def record(self, partition: int, owner: int, taker: int) -> None:
        """Record a movement; a partition that comes home has not moved."""
        topic = self._partitions[partition].topic
        first_owner = self._first_owner.pop(partition, None)
        if first_owner is None:
            first_owner = owner
        else:
            moved = self._moved[topic, first_owner, owner]
            if not isinstance(moved, int):
                moved.remove(partition)
            if isinstance(moved, int) or not moved:
                del self._moved[topic, first_owner, owner]  # the next starts with a small table
        if first_owner != taker:
            self._first_owner[partition] = first_owner
            self._add(partition, (topic, first_owner, taker))

    def _add(self, partition: int, pair: tuple[str, int, int]) -> None:
        moved = self._moved.get(pair)
        if moved is None:
            self._moved[pair] = partition
            return
        if isinstance(moved, int):
            first, moved = moved, HashTable(self._hash)
            moved.add(first)
            self._moved[pair] = moved
        moved.add(partition)

    def state(self) -> tuple[dict[int, int], dict[tuple[str, int, int], list[int]]]:
        """Return all that decides what goes back."""
        return self._first_owner.copy(), {
            pair: [moved] if isinstance(moved, int) else list(moved) for pair, moved in self._moved.items()
        }

    def _hash(self, partition: int) -> int:
        return topic_partition_hash(self._partitions[partition])
