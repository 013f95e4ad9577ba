"""The passes in which the general sticky assignment moves partitions until loads are even.

What the sticky assignor has moved, so that members do not swap partitions of one topic (KIP-54).
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TypeAlias

from kassay.model import AssignorError, TopicPartition
from kassay.reference.consumer.sticky.current_assignment import CurrentAssignment, SortedSubscriptions
from kassay.reference.consumer.sticky.is_balanced import BalanceTest
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


Blocks = Sequence[tuple[int, Sequence[int]]]
"""Partitions by topic."""

MANY_PASSES = 64  # groups that settle do so in about ten
ENDLESS = "no answer: the same movements come back again and again"


class Reassignments:
    """Moves partitions between members other than the `fixed` ones.

    `readers` are the topics' subscribers in the group's order, `previous` the partitions' owners in earlier
    generations, `test` the one of balance before every movement, where it decides anything.
    """

    def __init__(
        self,
        current: CurrentAssignment,
        readers: Sequence[Sequence[int]],
        previous: Mapping[int, int],
        fixed: AbstractSet[int],
        test: BalanceTest | None,
    ) -> None:
        self._current = current
        self._readers = readers
        self._previous = previous
        self._fixed = fixed
        self._with_fixed = {t for t, of_topic in enumerate(readers) if not fixed.isdisjoint(of_topic)}
        self._test = test
        self._owners = [Counter(map(current.owner.__getitem__, span)) for span in current.group.spans]
        self._movements = PartitionMovements(current.group.partitions)

    def perform(self, blocks: Blocks) -> bool:
        """Pass over partitions until nothing moves any more; say whether anything did.

        Raises AssignorError where this never ends, and where Kafka runs into a fixed member.
        """
        passes, before = 0, None
        while self._pass(blocks):
            passes += 1
            if passes >= MANY_PASSES:
                now = (self._current.owner.copy(), self._movements.state())
                if now == before:
                    raise AssignorError(ENDLESS)
                if passes.bit_count() == 1:  # compare with every power of two, so that any cycle is found
                    before = now
        return passes > 0

    def _pass(self, blocks: Blocks) -> bool:
        moved = False
        for topic, partitions in blocks:
            takers = [m for m in self._readers[topic] if m not in self._fixed]
            queue = SortedSubscriptions(self._current, takers)
            for p in self._candidates(topic, partitions, queue):
                if self._test is not None and self._test.is_balanced():
                    return moved
                taker = self._taker(topic, p, queue)
                if taker is not None:
                    self._move(p, taker, queue)
                    moved = True
        return moved

    def _candidates(self, topic: int, partitions: Sequence[int], queue: SortedSubscriptions) -> Iterator[int]:
        """Yield the partitions that could move; where a test or a fixed member could stop Kafka, all."""
        if self._test is not None:
            yield from partitions
            return
        rank, owner, previous = self._current.rank, self._current.owner, self._previous
        owners, enough = self._owners[topic], self._enough(queue)
        if all(rank[m] < enough for m in owners):
            return
        if topic in self._with_fixed or not self._fixed.isdisjoint(owners):
            if any(rank[owner[p]] >= enough for p in partitions):
                yield from partitions
            return
        for p in partitions:
            if rank[owner[p]] >= enough or p in previous:
                yield p
                enough = self._enough(queue)

    def _enough(self, queue: SortedSubscriptions) -> int:
        """Return the least rank of an owner that has two more than the taker that has least."""
        return (self._current.load(queue.first()) + 2) * self._current.members

    def _taker(self, topic: int, partition: int, queue: SortedSubscriptions) -> int | None:
        """Return who should have a partition: its previous owner or the subscriber with the least load."""
        load = self._current.load
        owner = self._current.owner[partition]
        self._meet(owner)
        enough = load(owner) - 2
        previous = self._previous.get(partition)
        if previous is not None:
            self._meet(previous)
            if load(previous) <= enough:
                return previous
        if topic in self._with_fixed:
            self._search(topic, partition, enough)
        least = queue.first()
        return least if load(least) <= enough else None

    def _search(self, topic: int, partition: int, enough: int) -> None:
        """Look for a load that is small enough as Kafka does: member by member, near ones first."""
        group, readers = self._current.group, self._readers[topic]
        near: list[int] = []
        if group.racks and group.rack[self._current.owner[partition]] in group.racks[partition]:
            near = [m for m in readers if group.rack[m] in group.racks[partition]]
        for m in (*near, *readers):
            self._meet(m)
            if self._current.load(m) <= enough:
                return

    def _meet(self, member: int) -> None:
        if member in self._fixed:
            raise AssignorError("NullPointerException")

    def _move(self, partition: int, taker: int, queue: SortedSubscriptions) -> None:
        partition = self._movements.instead_of(partition, self._current.owner[partition], taker)
        owner = self._current.owner[partition]
        self._movements.record(partition, owner, taker)
        owners = self._owners[self._current.group.topic_of[partition]]
        owners[owner] -= 1
        if not owners[owner]:
            del owners[owner]
        owners[taker] += 1
        self._current.move(partition, taker)
        queue.update(owner)
        queue.update(taker)
