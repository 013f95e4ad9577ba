"""Which subscribers of a topic are least and most loaded, while partitions move from these to those.

Source: MemberAssignmentBalancer of UniformHeterogeneousAssignmentBuilder, Kafka 4.0 to 4.4.
"""

from collections.abc import Iterator, Sequence


class MemberAssignmentBalancer:
    """Walks through a topic's subscribers, sorted by load: from the least loaded up and from the most loaded down.

    Each walk has a range of members at one level; it ends a round over them by raising (or lowering) the level by one, and
    takes in the members who are at that level from the beginning. Loads are read where a range is widened only.
    Subscribers come in ascending order; `least_loaded` are the members to give partitions to, one after the other, without end.
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
        """Say whether the levels of both ranges differ by one at most."""
        return self._most_level - self._least_level <= 1

    def _upwards(self) -> Iterator[int]:
        end = 0
        while True:
            self._least_level += 1
            while end < len(self._members) and self._size_at(end) == self._least_level:
                end += 1
            for at in range(max(end, 1)):
                yield self._members[at]

    def next_most_loaded(self) -> int | None:
        """Return the next member to take a partition from; None where there is none left."""
        if self._next_most < self._most_start:
            if self._most_end <= self._most_start and self._most_start > 0:
                self._most_level = self._size_at(self._most_start - 1)  # all above have nothing of the topic
            else:
                self._most_level -= 1
            while self._most_start > 0 and self._size_at(self._most_start - 1) == self._most_level:
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

    def _size_at(self, place: int) -> int:
        return self._sizes[self._members[place]]
