"""Share assignments: each partition goes to a number of members, and each member gets its share of these copies.

The assignor of 4.1 gives each member the partition of its id's hash, and the remaining partitions in turn. Its known defects, reproduced:
members keep partitions up to the even share only if all subscribe to the same topics. Several members may hash to one
partition, so loads may be far from even. Partitions that no longer exist or may not be assigned are kept.

Source: SimpleHomogeneousAssignmentBuilder and TopicAssignmentPartialBuilder of SimpleHeterogeneousAssignmentBuilder, Kafka 4.2 to 4.4;
computeTargetPartitions of SimpleAssignor and its builders, Kafka 4.1 to 4.4;
org.apache.kafka.coordinator.group.assignor.SimpleAssignor of Kafka 4.1.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain, cycle, pairwise
from math import ceil

from kassay.model import Assignment, AssignorError, Group, TopicPartition
from kassay.reference.broker.group_spec import GroupSpec, group_spec
from kassay.reference.java.hash_map import HashTable, computed_order, hash_order
from kassay.reference.java.strings import string_hash, string_order

Given = dict[str, set[TopicPartition]]


def assign(group: Group) -> Assignment:
    """Give each member the partition of its id's hash, and the remaining partitions in turn."""
    spec = group_spec(group)
    if not any(spec.subscribed.values()):
        return {} if spec.alike else spec.answer({member: {} for member in spec.members})
    given = _assign_equal(spec) if spec.alike else _different(spec)
    by_topic: dict[str, dict[str, set[int]]] = {member: {} for member in spec.members}
    for member, partitions in given.items():
        for topic, number in partitions:
            by_topic[member].setdefault(topic, set()).add(number)
    return spec.answer(by_topic)


def _assign_equal(spec: GroupSpec) -> Given:
    topics = next(iter(spec.subscribed.values()))
    targets = target_partitions(spec, topics)
    share = -(-len(targets) // len(spec.members))
    given: Given = {member: set() for member in spec.members}
    hashed = set()
    for member in spec.members:
        hashed |= _hash_to(member, targets, given)
    taken = set(hashed)
    for partition, owners in _current(spec):
        if partition.topic in topics and partition not in hashed:
            for member in owners:
                if len(given[member]) < share:
                    given[member].add(partition)
                    taken.add(partition)
    _assign_in_turn([partition for partition in targets if partition not in taken], given, share)
    return given


def _different(spec: GroupSpec) -> Given:
    targets = {m: target_partitions(spec, topics) for m, topics in spec.subscribed.items() if topics}
    members = hash_order(targets, string_hash, order_of=string_order)
    readers: dict[str, dict[str, None]] = {}
    given: Given = {member: set() for member in spec.members}
    placed = set()
    for member in members:
        placed |= _hash_to(member, targets[member], given)
        for partition in targets[member]:
            readers.setdefault(partition.topic, {})[member] = None
    current = dict(_current(spec))
    every = dict.fromkeys(partition for member in members for partition in targets[member])
    for topic, of_topic in readers.items():
        free = [one for one in every if one.topic == topic and one not in placed and one not in current]
        for partition, member in zip(free, cycle(of_topic), strict=False):
            given[member].add(partition)
            placed.add(partition)
    for partition, owners in current.items():
        if partition not in placed:
            for member in owners:
                if member in readers.get(partition.topic, ()):
                    given[member].add(partition)
    return given


def _hash_to(member: str, targets: Sequence[TopicPartition], given: Given) -> set[TopicPartition]:
    """Give a member the partition that its id hashes to; return that, if there is any."""
    if not targets:
        return set()
    partition = targets[abs(string_hash(member)) % len(targets)]
    given[member].add(partition)
    return {partition}


def _current(spec: GroupSpec) -> Iterable[tuple[TopicPartition, list[str]]]:
    """Return what is owned, each partition with its owners, in the order of the HashMap that Kafka collects it in."""
    owners: dict[TopicPartition, list[str]] = {}
    table = HashTable(spec.record_hash)
    for member, owned in spec.owned.items():
        for partition in (
            TopicPartition(topic, number) for topic, numbers in owned.items() for number in numbers
        ):
            owners.setdefault(partition, []).append(member)
            table.compute_if_absent(partition)
    return [(partition, owners[partition]) for partition in table]


def _assign_in_turn(partitions: Iterable[TopicPartition], given: Given, share: int) -> None:
    """Give each partition to the next member in turn with at most its share; raises AssignorError if there is no such member."""
    waiting, at = list(given), 0
    for partition in partitions:
        while True:
            at = at if at < len(waiting) else 0
            if not waiting:
                raise AssignorError("PartitionAssignorException: Inconsistent number of member IDs")
            if len(given[waiting[at]]) <= share:
                break
            del waiting[at]
        given[waiting[at]].add(partition)
        at += 1


class Sharing:
    """Shares numbered partitions among numbered readers, listed by number; members keep what they own as far as that allows.

    `owned` is what every member owns, by its number; `hash_of` is the Java hash of a partition, which orders the maps of them.
    """

    def __init__(
        self,
        targets: Sequence[int],
        readers: Sequence[int],
        owned: Mapping[int, Sequence[int]],
        hash_of: Callable[[int], int],
    ) -> None:
        self._targets = targets
        self._hash_of = hash_of
        self._owned = owned
        self._copies = -(-len(readers) // len(targets)) if targets else 0
        self._readers = readers
        self._share = dict(zip(readers, _shares(self._copies * len(targets), len(readers)), strict=True))
        self._of_member: dict[int, set[int]] = {member: set(owned.get(member, ())) for member in readers}
        if owned.keys() - self._of_member.keys():
            self._of_member |= {member: set(partitions) for member, partitions in owned.items()}

    def assign(self) -> Mapping[int, set[int]]:
        """Return what each member gets."""
        self._revoke_overfilled()
        self._revoke_overshared()
        self._assign_remaining()
        return self._of_member

    def _revoke_overfilled(self) -> None:
        for member, partitions in self._owned.items():
            surplus = len(partitions) - self._share.get(member, 0)
            if surplus > 0:
                self._of_member[member].difference_update(hash_order(partitions, self._hash_of)[:surplus])

    def _revoke_overshared(self) -> None:
        owners = Counter(chain.from_iterable(self._owned.values()))
        overshared = {partition for partition, number in owners.items() if number > self._copies}
        for partition, members in self._owners(overshared).items():
            holders = [m for m in hash_order(members, int) if partition in self._of_member[m]]
            for member in holders[: max(0, len(holders) - self._copies)]:
                self._of_member[member].remove(partition)

    def _owners(self, partitions: Collection[int]) -> Mapping[int, list[int]]:
        """Return the owners of some partitions, in the order in which their HashSets are filled."""
        owners: dict[int, list[int]] = {}
        for member, owned in self._owned.items() if partitions else ():
            for partition in owned:
                if partition in partitions:
                    owners.setdefault(partition, []).append(member)
        return owners

    def _assign_remaining(self) -> None:
        """Walk once through the partitions, handing out missing copies to the unfilled members in turn.

        A copy that no unfilled member can take, as they all have one, is not handed out, nor is any after it.
        """
        unfilled = self._find_unfilled(self._readers)
        copies, holders = self._find_missing() if unfilled else ([], {})
        at = 0
        while unfilled and at < len(copies):
            start = at
            for member in unfilled:
                partition = copies[at]
                if member in holders.get(partition, ()):
                    continue
                # holders of this round are not among them, so a member may get a second copy of one, in vain
                self._of_member[member].add(partition)
                at += 1
                if at == len(copies):
                    return
            if at == start:
                return
            unfilled = self._find_unfilled(unfilled)
        if 0 < at < len(copies) and copies[at] == copies[at - 1]:  # all are filled amid the copies of one
            raise AssignorError("NoSuchElementException")

    def _find_unfilled(self, members: Iterable[int]) -> list[int]:
        """Return the members with less than their share."""
        return [member for member in members if len(self._of_member[member]) < self._share[member]]

    def _find_missing(self) -> tuple[list[int], Mapping[int, list[int]]]:
        """Return the missing copies, in the order of the HashMap that Kafka counts them in, and who has some of these."""
        asked = [*chain.from_iterable(self._owned.values()), *self._targets]
        held = Counter(chain.from_iterable(self._of_member.values()))
        if not held:
            order = computed_order(asked, self._hash_of, map_capacity(len(self._targets)))
            return order if self._copies == 1 else [one for one in order for _ in range(self._copies)], {}
        missing = {one: self._copies - held.get(one, 0) for one in asked if held.get(one, 0) < self._copies}
        order = computed_order(asked, self._hash_of, map_capacity(len(self._targets)), wanted=missing)
        holders = {
            partition: [member for member in members if partition in self._of_member[member]]
            for partition, members in self._owners(missing).items()
        }
        return [partition for partition in order for _ in range(missing[partition])], holders


@lru_cache(maxsize=64)
def _shares(copies: int, readers: int) -> Sequence[int]:
    """Return how many copies of partitions each reader gets."""
    each = copies / readers  # in floating point, as Kafka
    bounds = [ceil(each * at) for at in range(readers + 1)]
    return tuple(after - before for before, after in pairwise(bounds))


def target_partitions(spec: GroupSpec, topics: Iterable[str]) -> list[TopicPartition]:
    """Return the partitions of some topics, but for those that may not be given yet; raises AssignorError for unknown topics."""
    return [TopicPartition(topic, number) for topic in topics for number in assignable_numbers(spec, topic)]


def assignable_numbers(spec: GroupSpec, topic: str) -> Sequence[int]:
    """Return the numbers of a topic's partitions that may be given; raises AssignorError for an unknown topic."""
    numbers = range(spec.partitions(topic))
    withheld = spec.topics[topic].unassignable
    return [number for number in numbers if number not in withheld] if withheld else numbers


def map_capacity(size: int) -> int:
    """Return the capacity that AssignorHelpers.newHashMap asks for."""
    return int((size + 1) / 0.75 + 1)
