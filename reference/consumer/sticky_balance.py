"""Kafka's test whether loads are even, for the groups in which it decides anything.

It is made before every movement and ends the pass. In most groups nothing could move then anyway. But where a
previous owner no longer subscribes, or a partition has two owners, movements are possible that it does not
see.
"""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

from kassay.reference.consumer.sticky_placement import Placement


class Balance:
    """The test for one group; `readers` are the topics' subscribers, of which the `fixed` ones do not count.

    `capacities` are the loads at which Kafka thinks that members have all they can get. `keepers` are members
    that kept a partition which was given to somebody else as well; of the two the one later in `hash_order`
    counts.
    """

    def __init__(
        self,
        placement: Placement,
        readers: Sequence[Sequence[int]],
        fixed: AbstractSet[int],
        capacities: Sequence[int],
        keepers: Mapping[int, int],
        hash_order: Sequence[int],
    ) -> None:
        self._placement = placement
        self._takers = [sorted(set(of_topic) - fixed) for of_topic in readers]
        self._capacities = capacities
        self._keepers = keepers
        self._place = {m: n for n, m in enumerate(hash_order)}
        self._found: tuple[int, int] | None = None
        self._topic = 0  # of what was found last

    def holds(self) -> bool:
        """Say whether no subscriber lacks a partition whose owner has at least two more."""
        if self._found is None or not self._is_uneven(*self._found):
            self._found = self._find()
        return self._found is None

    def _is_uneven(self, taker: int, partition: int) -> bool:
        load = self._placement.load
        return (
            load(taker) != self._capacities[taker]
            and load(taker) + 2 <= load(self._owner(partition))
            and taker not in (self._placement.owner[partition], self._keepers.get(partition))
        )

    def _owner(self, partition: int) -> int:
        owner = self._placement.owner[partition]
        return max(owner, self._keepers.get(partition, owner), key=self._place.__getitem__)

    def _find(self) -> tuple[int, int] | None:
        """Return a subscriber with little and a partition that it lacks."""
        load, rank = self._placement.load, self._placement.rank
        spans = self._placement.group.spans
        for topic in (*range(self._topic, len(spans)), *range(self._topic)):
            takers = [m for m in self._takers[topic] if load(m) != self._capacities[m]]
            takers.sort(key=rank.__getitem__)
            for p in spans[topic] if takers else ():
                if load(self._owner(p)) >= load(takers[0]) + 2:
                    for m in takers:
                        if self._is_uneven(m, p):
                            self._topic = topic
                            return m, p
        return None
