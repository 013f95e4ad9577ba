"""Kafka's test whether loads are even, for the groups in which it decides anything.

It is made before every movement and ends the pass. In most groups nothing could move then anyway. But where a
previous owner no longer subscribes, or a partition has two owners, movements are possible that it does not
see.
"""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

from kassay.reference.consumer.sticky.current_assignment import CurrentAssignment


class BalanceTest:
    """The test for one group; `readers` are the topics' subscribers, of which the `fixed` ones do not count.

    `capacities` are the loads at which Kafka thinks that members have all they can get. `keepers` are members
    that kept a partition which somebody else has as well; of them and its owner the last in `hash_order` counts.
    `gap` is the least difference between two loads that is uneven.
    """

    def __init__(
        self,
        current: CurrentAssignment,
        readers: Sequence[Sequence[int]],
        fixed: AbstractSet[int],
        capacities: Sequence[int],
        keepers: Mapping[int, Sequence[int]],
        hash_order: Sequence[int],
        gap: int,
    ) -> None:
        self._current = current
        self._takers = [sorted(set(of_topic) - fixed) for of_topic in readers]
        self._capacities = capacities
        self._keepers = keepers
        self._order = hash_order
        self._place = {m: n for n, m in enumerate(hash_order)}
        self._gap = gap
        self._found: tuple[int, int] | None = None
        self._topic = 0  # of what was found last

    def is_balanced(self) -> bool:
        """Say whether no subscriber lacks a partition whose owner has so much more, or all loads are within one."""
        if self._gap < 2:
            loads = list(map(self._current.load, self._order))
            if min(loads) >= max(loads) - 1:
                return True
        if self._found is None or not self._is_uneven(*self._found):
            self._found = self._find()
        return self._found is None

    def _is_uneven(self, taker: int, partition: int) -> bool:
        load = self._current.load
        return (
            load(taker) != self._capacities[taker]
            and load(taker) + self._gap <= load(self._owner(partition))
            and taker not in (self._current.owner[partition], *self._keepers.get(partition, ()))
        )

    def _owner(self, partition: int) -> int:
        """Return who counts as owner: of several the last, of which one may have lost it to a claim that lost as well."""
        owner = self._current.owner[partition]
        keepers = self._keepers.get(partition)
        if keepers is None:
            return owner
        has_it = [owner] if partition in self._current.given[owner] else []
        return max((*keepers, *has_it), key=self._place.__getitem__)

    def _find(self) -> tuple[int, int] | None:
        """Return a subscriber with little and a partition that it lacks."""
        load, rank = self._current.load, self._current.rank
        spans = self._current.group.spans
        for topic in (*range(self._topic, len(spans)), *range(self._topic)):
            takers = [m for m in self._takers[topic] if load(m) != self._capacities[m]]
            takers.sort(key=rank.__getitem__)
            for p in spans[topic] if takers else ():
                if load(self._owner(p)) >= load(takers[0]) + self._gap:
                    for m in takers:
                        if self._is_uneven(m, p):
                            self._topic = topic
                            return m, p
        return None
