"""What the sticky assignor has moved, so that members do not swap partitions of one topic (KIP-54)."""

from collections.abc import Sequence
from typing import TypeAlias

from kassay.model import TopicPartition
from kassay.reference.java.hash_map import HashTable
from kassay.reference.java.strings import topic_partition_hash

Pair: TypeAlias = tuple[str, int, int]
"""A topic, and the first and the present owner of partitions of it."""


class PartitionMovements:
    """The partitions that are no longer with their first owner, by topic, first and present owner."""

    def __init__(self, partitions: Sequence[TopicPartition]) -> None:
        self._partitions = partitions
        self._first_owner: dict[int, int] = {}
        self._moved: dict[Pair, list[int] | HashTable[int]] = {}  # lists until their order matters

    def instead_of(self, partition: int, owner: int, taker: int) -> int:
        """Return the partition that goes to the taker when this one should.

        If partitions of its topic went from the taker to the first owner of this one, then the first of them
        in their HashSet goes back, no matter who owns this one now.
        """
        first_owner = self._first_owner.get(partition, owner)
        pair = self._partitions[partition].topic, taker, first_owner
        moved = self._moved.get(pair)
        if moved is None:
            return partition
        return moved[0] if isinstance(moved, list) and len(moved) == 1 else next(iter(self._table(pair)))

    def record(self, partition: int, owner: int, taker: int) -> None:
        """Record a movement; a partition that comes home has not moved."""
        topic = self._partitions[partition].topic
        first_owner = self._first_owner.pop(partition, None)
        if first_owner is None:
            first_owner = owner
        else:
            pair = topic, first_owner, owner
            if len(self._moved[pair]) == 1:
                del self._moved[pair]  # the next starts with a small table
            else:
                self._table(pair).remove(partition)
        if first_owner != taker:
            self._first_owner[partition] = first_owner
            self._add(partition, (topic, first_owner, taker))

    def _add(self, partition: int, pair: Pair) -> None:
        moved = self._moved.get(pair)
        if moved is None:
            self._moved[pair] = [partition]
        elif isinstance(moved, list):
            moved.append(partition)
        else:
            moved.add(partition)

    def _table(self, pair: Pair) -> HashTable[int]:
        """Return what moved between two members as Kafka's HashSet of it: nothing was taken out of a list before."""
        moved = self._moved[pair]
        if isinstance(moved, list):
            listed, moved = moved, HashTable(self._hash)
            for partition in listed:
                moved.add(partition)
            self._moved[pair] = moved
        return moved

    def state(self) -> tuple[dict[int, int], dict[Pair, list[int]]]:
        """Return all that decides what goes back."""
        return self._first_owner.copy(), {pair: list(self._table(pair)) for pair in self._moved}

    def _hash(self, partition: int) -> int:
        return topic_partition_hash(self._partitions[partition])
