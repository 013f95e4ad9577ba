"""The balancing of loads in the sticky assignment if subscriptions differ, and before Kafka 2.5.1 always.

1. Each partition that no member keeps goes to the subscriber with the least load.
2. Members that have everything they can get, and nothing that another member could get, are fixed.
3. In repeated passes of the same order, a partition goes to its previous owner. Without a previous owner, it goes to the subscriber
   with the least load, if that is at least two below the load of its owner. The passes end when nothing moves.
4. If a member kept something, and full passes moved something without improving the balance, everything goes back.

Before every movement Kafka tests whether loads are balanced. If they are, the pass ends. In most groups nothing could move then. But if a
previous owner no longer subscribes, or a partition has two owners, the test misses possible movements. Movements are recorded, so that
members do not swap partitions of one topic (KIP-54).
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import chain
from typing import TypeAlias

from kassay.model import AssignorError, TopicPartition
from kassay.reference.consumer.sticky.numbered_group import Given, NumberedGroup, mark_partitions
from kassay.reference.consumer.sticky.owned_partitions import CurrentAssignment, SortedSubscriptions
from kassay.reference.java.hash_map import HashTable
from kassay.reference.java.strings import int32, topic_partition_hash


class BalanceTest:
    """Kafka's test for one group; `readers` are the subscribers of each topic, of which the `fixed` ones do not count.

    `capacities` are the loads at which members have everything they can get, in Kafka's view. `keepers` are members
    that kept a partition which another member also has; of them and its owner, the last one in `hash_order` counts.
    `gap` is the smallest difference between two loads that counts as unbalanced.
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
        """Return True if all loads differ by at most one, or no subscriber lacks a partition whose owner has `gap` more."""
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


Pair: TypeAlias = tuple[str, int, int]
"""A topic, and the first and the present owner of partitions of it."""


class PartitionMovements:
    """The partitions that are no longer with their first owner, by topic, first and present owner."""

    def __init__(self, partitions: Sequence[TopicPartition]) -> None:
        self._partitions = partitions
        self._first_owner: dict[int, int] = {}
        self._moved: dict[Pair, list[int] | HashTable[int]] = {}  # lists until their order matters

    def choose_partition(self, partition: int, owner: int, taker: int) -> int:
        """Return the partition to move to the taker: this one, or another of its topic.

        Partitions of its topic may have moved from the taker to the first owner of this one. Then the first of them
        in their HashSet goes back. It may have another owner than `owner`.
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
        self._takers = [frozenset(of_topic) - fixed for of_topic in readers]
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
        rank, members = self._current.rank, self._current.members
        for topic, partitions in blocks:
            takers = self._takers[topic]
            if self._test is None and takers:
                enough = (min(map(rank.__getitem__, takers)) // members + 2) * members
                if max(map(rank.__getitem__, self._owners[topic]), default=0) < enough:
                    continue
            queue = SortedSubscriptions(self._current, takers)
            if self._is_plain(topic):
                moved |= self._move_from_high_loads(partitions, queue)
                continue
            for p in self._candidates(topic, partitions, queue):
                if self._test is not None and self._test.is_balanced():
                    return moved
                taker = self._taker(topic, p, queue)
                if taker is not None:
                    self._move(p, taker, queue)
                    moved = True
        return moved

    def _is_plain(self, topic: int) -> bool:
        """Return True if nothing but the loads decides what moves."""
        return (
            self._test is None
            and not self._previous
            and topic not in self._with_fixed
            and self._fixed.isdisjoint(self._owners[topic])
        )

    def _move_from_high_loads(self, partitions: Sequence[int], queue: SortedSubscriptions) -> bool:
        """Give the subscriber with the least load each partition whose owner has two more; return True if anything moved."""
        rank, owner = self._current.rank, self._current.owner
        enough, moved = self._has_enough(queue), False
        for p in partitions:
            if rank[owner[p]] >= enough:
                self._move(p, queue.first(), queue)
                enough, moved = self._has_enough(queue), True
        return moved

    def _candidates(self, topic: int, partitions: Sequence[int], queue: SortedSubscriptions) -> Iterator[int]:
        """Yield the partitions that could move; where a test or a fixed member could stop Kafka, all."""
        if self._test is not None:
            yield from partitions
            return
        rank, owner, previous = self._current.rank, self._current.owner, self._previous
        enough = self._has_enough(queue)
        if topic in self._with_fixed or not self._fixed.isdisjoint(self._owners[topic]):
            if any(rank[owner[p]] >= enough for p in partitions):
                yield from partitions
            return
        for p in partitions:
            if rank[owner[p]] >= enough or p in previous:
                yield p
                enough = self._has_enough(queue)

    def _has_enough(self, queue: SortedSubscriptions) -> int:
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
        partition = self._movements.choose_partition(partition, self._current.owner[partition], taker)
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


@dataclass(frozen=True, slots=True)
class Start:
    """The state before balancing.

    - `held`: the partitions of each member; `kept`: those that it keeps
    - `order`: all partitions in the order of the passes
    - `loose`: the partitions that Kafka counts as kept by no member, in the same order; some may be kept
    - `loose_first`: True if passes over the loose partitions come first
    - `topics_of`: the topics of each member; `readers`: the members of each topic, repeated if a member lists it twice
    - `capacities`: the loads at which members have everything they can get, in Kafka's view
    - `previous`: the owners of partitions in earlier generations
    - `hash_order`: returns the members, without some, in the order of Kafka's map
    - `gap`: the smallest difference between two loads that counts as unbalanced
    """

    kept: list[list[int]]
    held: Sequence[Sequence[int]]
    order: Blocks
    loose: Blocks
    loose_first: bool
    topics_of: Sequence[Sequence[int]]
    readers: Sequence[Sequence[int]]
    capacities: Sequence[int]
    previous: Mapping[int, int]
    hash_order: Callable[[Collection[int]], list[int]]
    gap: int


def balance(group: NumberedGroup, start: Start) -> Given:
    """Return the partitions of each member; raises AssignorError if Kafka fails or never ends.

    With contradictory claims, a partition can occur twice, or not exist.
    """
    current = CurrentAssignment(group, start.kept)
    is_kept = mark_partitions(group, chain.from_iterable(start.kept))
    shared = {p for p in _find_repeated(group, start.held) if is_kept[p]}
    again = {p for _, block in start.loose for p in block if is_kept[p]}
    keepers = _keepers(start.kept, shared | again)
    for m in start.hash_order(()) if shared else ():
        for p in shared.intersection(start.held[m]):
            current.owner[p] = m
    copies = {p: [m for m in keepers[p] if m != current.owner[p]] for p in shared}
    _hand_out(current, start.loose, start.readers)

    movable = {t for t, of_topic in enumerate(start.readers) if len(of_topic) > 1}
    fixed = {
        m
        for m, own in enumerate(current.given)
        if len(own) >= start.capacities[m] and movable.isdisjoint(group.topic_of[p] for p in own)
    }
    previous = {p: m for p, m in start.previous.items() if p < group.size and group.topic_of[p] in movable}
    copies |= {p: keepers[p] for p in again}
    test = None
    if (
        copies
        or 1 in is_kept[group.size :]
        or any(group.topic_of[p] not in start.topics_of[m] for p, m in previous.items())
    ):
        order = start.hash_order(fixed)
        test = BalanceTest(current, start.readers, fixed, start.capacities, copies, order, start.gap)
    reassignments = Reassignments(current, start.readers, previous, fixed, test)
    before = [own.copy() for own in current.given]
    if start.loose_first:
        reassignments.perform([(t, block) for t, block in start.loose if t in movable])
    moved = reassignments.perform([(t, block) for t, block in start.order if t in movable])
    if moved and 1 in is_kept and _unevenness(current.given, fixed) >= _unevenness(before, fixed):
        return before
    return current.given


def _keepers(kept: Sequence[Sequence[int]], wanted: AbstractSet[int]) -> dict[int, list[int]]:
    """Return who keeps each of some partitions."""
    keepers: dict[int, list[int]] = {}
    for m, own in enumerate(kept) if wanted else ():
        for p in own:
            if p in wanted:
                keepers.setdefault(p, []).append(m)
    return keepers


def _find_repeated(group: NumberedGroup, held: Sequence[Sequence[int]]) -> set[int]:
    """Return the partitions that are held more than once; a member holds each once."""
    if mark_partitions(group, chain.from_iterable(held)).count(1) == sum(map(len, held)):
        return set()
    return {p for p, times in Counter(chain.from_iterable(held)).items() if times > 1}


def _hand_out(current: CurrentAssignment, loose: Blocks, readers: Sequence[Sequence[int]]) -> None:
    if current.group.racks:
        loose = [(t, current.hand_out_in_racks(block, set(readers[t]))) for t, block in loose]
    for t, block in loose:
        current.hand_out(block, set(readers[t]))


def _unevenness(given: Sequence[Sequence[int]], fixed: AbstractSet[int]) -> int:
    """Return the sum of the differences between the loads of all pairs of members, in 32 bits."""
    loads = sorted(len(own) for m, own in enumerate(given) if m not in fixed)
    return int32(sum((2 * n + 1 - len(loads)) * load for n, load in enumerate(loads)))
