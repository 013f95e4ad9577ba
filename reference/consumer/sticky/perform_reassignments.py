"""The passes in which the general sticky assignment moves partitions until loads are even."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from kassay.model import AssignorError
from kassay.reference.consumer.sticky.current_assignment import LeastLoaded, Placement
from kassay.reference.consumer.sticky.is_balanced import Balance
from kassay.reference.consumer.sticky.partition_movements import Movements

Blocks = Sequence[tuple[int, Sequence[int]]]
"""Partitions by topic."""

MANY_PASSES = 64  # groups that settle do so in about ten
ENDLESS = "no answer: the same movements come back again and again"


class Reassignment:
    """Moves partitions between members other than the `fixed` ones.

    `readers` are the topics' subscribers in the group's order, `previous` the partitions' owners in earlier
    generations, `balance` the test before every movement, where it decides anything.
    """

    def __init__(
        self,
        placement: Placement,
        readers: Sequence[Sequence[int]],
        previous: Mapping[int, int],
        fixed: AbstractSet[int],
        balance: Balance | None,
    ) -> None:
        self._placement = placement
        self._readers = readers
        self._previous = previous
        self._fixed = fixed
        self._with_fixed = {t for t, of_topic in enumerate(readers) if not fixed.isdisjoint(of_topic)}
        self._balance = balance
        self._owners = [Counter(map(placement.owner.__getitem__, span)) for span in placement.group.spans]
        self._movements = Movements(placement.group.partitions)

    def run(self, blocks: Blocks) -> bool:
        """Pass over partitions until nothing moves any more; say whether anything did.

        Raises AssignorError where this never ends, and where Kafka runs into a fixed member.
        """
        passes, before = 0, None
        while self._pass(blocks):
            passes += 1
            if passes >= MANY_PASSES:
                now = (self._placement.owner.copy(), self._movements.state())
                if now == before:
                    raise AssignorError(ENDLESS)
                if passes.bit_count() == 1:  # compare with every power of two, so that any cycle is found
                    before = now
        return passes > 0

    def _pass(self, blocks: Blocks) -> bool:
        moved = False
        for topic, partitions in blocks:
            takers = [m for m in self._readers[topic] if m not in self._fixed]
            queue = LeastLoaded(self._placement, takers)
            for p in self._candidates(topic, partitions, queue):
                if self._balance is not None and self._balance.holds():
                    return moved
                taker = self._taker(topic, p, queue)
                if taker is not None:
                    self._move(p, taker, queue)
                    moved = True
        return moved

    def _candidates(self, topic: int, partitions: Sequence[int], queue: LeastLoaded) -> Iterator[int]:
        """Yield the partitions that could move; where a test or a fixed member could stop Kafka, all."""
        if self._balance is not None:
            yield from partitions
            return
        rank, owner, previous = self._placement.rank, self._placement.owner, self._previous
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

    def _enough(self, queue: LeastLoaded) -> int:
        """Return the least rank of an owner that has two more than the taker that has least."""
        return (self._placement.load(queue.first()) + 2) * self._placement.members

    def _taker(self, topic: int, partition: int, queue: LeastLoaded) -> int | None:
        """Return who should have a partition: its previous owner or the subscriber with the least load."""
        load = self._placement.load
        owner = self._placement.owner[partition]
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
        group, readers = self._placement.group, self._readers[topic]
        near: list[int] = []
        if group.racks and group.rack[self._placement.owner[partition]] in group.racks[partition]:
            near = [m for m in readers if group.rack[m] in group.racks[partition]]
        for m in (*near, *readers):
            self._meet(m)
            if self._placement.load(m) <= enough:
                return

    def _meet(self, member: int) -> None:
        if member in self._fixed:
            raise AssignorError("NullPointerException")

    def _move(self, partition: int, taker: int, queue: LeastLoaded) -> None:
        partition = self._movements.instead_of(partition, self._placement.owner[partition], taker)
        owner = self._placement.owner[partition]
        self._movements.record(partition, owner, taker)
        owners = self._owners[self._placement.group.topic_of[partition]]
        owners[owner] -= 1
        if not owners[owner]:
            del owners[owner]
        owners[taker] += 1
        self._placement.move(partition, taker)
        queue.update(owner)
        queue.update(taker)
