"""Who has which partitions while the general sticky assignment is made, and who has least."""

from collections.abc import Iterable
from heapq import heapify, heappop, heappush, heapreplace

from kassay.reference.consumer.sticky.numbered_group import NumberedGroup


class CurrentAssignment:
    """The partitions of each member in order, and the owner of each partition: the last that got it.

    `rank` sorts members by load, then id: it is the load times the number of members, plus the member's
    number.
    """

    def __init__(self, group: NumberedGroup, kept: Iterable[Iterable[int]]) -> None:
        self.group = group
        self.given = [list(partitions) for partitions in kept]
        self.members = len(self.given)
        self.rank = [len(own) * self.members + m for m, own in enumerate(self.given)]
        self.owner = [-1] * len(group.partitions)
        for m, own in enumerate(self.given):
            for p in own:
                self.owner[p] = m

    def load(self, member: int) -> int:
        """Return how many partitions a member has."""
        return len(self.given[member])

    def give(self, partition: int, member: int) -> None:
        """Give a member a partition."""
        self.given[member].append(partition)
        self.owner[partition] = member
        self.rank[member] += self.members

    def move(self, partition: int, member: int) -> None:
        """Give a member a partition of its owner."""
        owner = self.owner[partition]
        try:
            self.given[owner].remove(partition)
        except ValueError:  # of two that claimed it, the one that does not subscribe counts as owner
            pass
        else:
            self.rank[owner] -= self.members
        self.give(partition, member)

    def hand_out(self, partitions: Iterable[int], takers: Iterable[int]) -> None:
        """Give each partition to the taker that has least by then."""
        queue = [self.rank[m] for m in takers]
        heapify(queue)
        for p in partitions:
            rank = queue[0]
            self.give(p, rank % self.members)
            heapreplace(queue, rank + self.members)

    def hand_out_in_racks(self, partitions: Iterable[int], takers: Iterable[int]) -> list[int]:
        """Give each partition to the taker with least, of those in its racks or without; return the rest."""
        queues: dict[str | None, list[int]] = {}
        for m in takers:
            queues.setdefault(self.group.rack[m], []).append(self.rank[m])
        for queue in queues.values():
            heapify(queue)
        rest = []
        for p in partitions:
            near = [queues[rack] for rack in (None, *self.group.racks[p]) if rack in queues]
            if not near:
                rest.append(p)
                continue
            queue = min(near)  # by their first elements, which are their least and differ
            rank = queue[0]
            self.give(p, rank % self.members)
            heapreplace(queue, rank + self.members)
        return rest


class SortedSubscriptions:
    """Members in the order of their ranks, while partitions move."""

    def __init__(self, current: CurrentAssignment, members: Iterable[int]) -> None:
        self._current = current
        self._members = frozenset(members)
        self._queue = [current.rank[m] for m in self._members]
        heapify(self._queue)

    def first(self) -> int:
        """Return the member of the least rank."""
        while True:
            rank = self._queue[0]
            member = rank % self._current.members
            if rank == self._current.rank[member]:
                return member
            heappop(self._queue)  # its rank when it was put there

    def update(self, member: int) -> None:
        """Note that a member's rank has changed."""
        if member in self._members:
            heappush(self._queue, self._current.rank[member])
