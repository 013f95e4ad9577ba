"""The uniform assignment where all members subscribe to the same topics: everybody keeps what fits into a quota.

Source: UniformHomogeneousAssignmentBuilder of Kafka 3.8 to 4.4.

The uniform assignment of Kafka 3.7 where all members subscribe to the same topics: by racks first, then in turn.

Source: OptimizedUniformAssignmentBuilder of Kafka 3.7.
"""

from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import islice

from kassay.model import Assignment, AssignorError, Member, TopicPartition
from kassay.reference.broker.group_spec import GroupSpec, Numbering, copied_capacity, unknown
from kassay.reference.broker.rack_info import RackInfo
from kassay.reference.java.hash_map import HashTable
from kassay.reference.java.strings import string_hash, string_order

LEFT = "PartitionAssignorException: Partitions were left unassigned"


class HomogeneousBuilder:
    """Keeps what members own up to their quota, and fills those below it in their order.

    Of P partitions over M members each may keep P div M, and P mod M of them one more. Until 4.0.0 these are the first in order;
    from 4.0.1 on, with `extras_stay`, a member that does not own one more leaves that to those behind it (KAFKA-18688).
    """

    def __init__(self, spec: GroupSpec, *, extras_stay: bool) -> None:
        self._spec = spec
        self._extras_stay = extras_stay
        self._subscribed = dict.fromkeys(next(iter(spec.members.values())).topics)
        self._numbering = Numbering(
            [topic for name, topic in spec.topics.items() if name in self._subscribed]
        )
        self._given: dict[str, list[int]] = {}  # what members get, unless it is just as they report it
        self._unfilled: list[tuple[Member, int]] = []

    def build(self) -> Assignment:
        """Compute the assignment; raises AssignorError as Kafka's class fails."""
        if not self._subscribed:
            return {}
        if not self._subscribed.keys() <= self._spec.topics.keys():
            unknown(next(name for name in self._topics() if name not in self._spec.topics))
        taken = self._taken()
        sizes = self._sizes(taken)
        unassigned = self._free(taken)
        unassigned += self._revoke(sizes, *divmod(self._numbering.existing, len(sizes)))
        self._assign(unassigned)
        given, partition, order = self._given, self._numbering.every.__getitem__, self._numbering.order()
        return {
            name: tuple(map(partition, sorted({*given[name]}, key=order))) if name in given else member.owned
            for name, member in self._spec.members.items()
        }

    @cached_property
    def _place(self) -> Mapping[str, int]:
        """The place of each topic in the order of answers."""
        return {topic: at for at, topic in enumerate(self._numbering.of_topic)}

    def _taken(self) -> Mapping[str, set[int]]:
        """Return what is owned of each topic."""
        taken: defaultdict[str, set[int]] = defaultdict(set)
        for member in self._spec.members.values():
            for topic, numbers in member.owned_by_topic.items():
                taken[topic].update(numbers)
        return taken

    def _sizes(self, taken: Mapping[str, object]) -> list[int]:
        """Return how many partitions of the subscribed topics each member owns."""
        if self._subscribed.keys() >= taken.keys():
            return [len(member.owned) for member in self._spec.members.values()]
        return [
            sum(len(numbers) for topic, numbers in member.owned_by_topic.items() if topic in self._subscribed)
            for member in self._spec.members.values()
        ]

    def _is_sorted(self, member: Member, size: int) -> bool:
        """Say whether a member reports just what it owns of these topics, in the order of answers."""
        if size < len(member.owned) or not member.owned_in_order:
            return False
        topics = member.owned_by_topic
        return len(topics) < 2 or [*topics] == sorted(topics, key=self._place.__getitem__)

    def _topics(self) -> list[str]:
        """Return what is subscribed to in the order of a HashSet that is a copy of it."""
        return self._spec.topic_order(self._subscribed, copied_capacity(len(self._subscribed)))

    def _free(self, taken: Mapping[str, set[int]]) -> list[int]:
        """Return what nobody owns."""
        of_topic, nothing = self._numbering.of_topic, set[int]()
        if all(_are_all(taken.get(topic, nothing), len(numbers)) for topic, numbers in of_topic.items()):
            return []
        free: list[int] = []
        for topic in self._topics():
            numbers, owned = of_topic[topic], taken.get(topic)
            free += [number for at, number in enumerate(numbers) if at not in owned] if owned else numbers
        return free

    def _revoke(self, sizes: Sequence[int], least: int, extras: int) -> list[int]:
        """Take from each member what exceeds its quota, beginning with the last of the topics that it owns something of."""
        revoked: list[int] = []
        behind = len(sizes)
        for member, size in zip(self._spec.members.values(), sizes, strict=True):
            has_extra = extras > 0
            missing = least + has_extra - size
            if self._extras_stay and has_extra and missing > 0 and behind > extras:
                missing, has_extra = missing - 1, False
            if missing < 0:
                own = self._numbering.numbers(member.owned_by_topic)
                self._given[member.id], more = own[:missing], own[missing:]
                revoked += more
            elif missing:
                self._unfilled.append((member, missing))
            elif not self._is_sorted(member, size):
                self._given[member.id] = self._numbering.numbers(member.owned_by_topic)
            extras -= has_extra
            behind -= 1
        return revoked

    def _assign(self, unassigned: Iterable[int]) -> None:
        left = iter(unassigned)
        for member, missing in self._unfilled:
            own = self._given[member.id] = self._numbering.numbers(member.owned_by_topic)
            own += islice(left, missing)
        if next(left, None) is not None:
            raise AssignorError(LEFT)


def _are_all(numbers: Collection[int], size: int) -> bool:
    """Say whether these are all numbers below a size, none of them twice."""
    return len(numbers) == size and max(numbers, default=-1) < size


class OptimizedBuilder:
    """Members keep what is in their rack up to the quota; then what is left goes to members near it, then in turn to the unfilled."""

    def __init__(self, spec: GroupSpec) -> None:
        self._spec = spec
        self._subscribed = spec.subscribed[next(iter(spec.members))]
        self._topics = spec.topic_order(self._subscribed, copied_capacity(len(self._subscribed)))
        self._least, self._extras = 0, 0
        self._missing: dict[str, int] = {}  # unfilled member -> how many it misses of the least
        self._table = HashTable(string_hash, order_of=string_order)  # of all that are unfilled
        self._owners: dict[TopicPartition, str] = {}  # of what is in another rack than its owner
        self._given: dict[str, dict[str, set[int]]] = {member: {} for member in spec.members}

    def build(self) -> Assignment:
        """Compute the assignment; raises AssignorError as Kafka's class fails."""
        spec = self._spec
        racks = RackInfo(spec, filter(spec.topics.__contains__, self._topics))
        if not self._topics:
            return {}
        self._least, self._extras = divmod(sum(map(spec.partitions, self._topics)), len(spec.members))
        unassigned = {partition for topic in self._topics for partition in spec.topics[topic]}
        unassigned -= self._keep(racks)
        if racks.used:
            for partition in racks.sorted_by_rack_members(unassigned, spec):
                near = racks.sorted_near(partition, self._sizes())
                if any(member in self._missing and self._give(member, partition) for member in near):
                    unassigned.discard(partition)
        self._assign_in_turn(sorted(unassigned, key=lambda one: (spec.id(one.topic), one.partition)))
        return spec.answer(self._given)

    def _sizes(self) -> dict[str, int]:
        return {member: sum(map(len, of_topic.values())) for member, of_topic in self._given.items()}

    def _keep(self, racks: RackInfo) -> set[TopicPartition]:
        """Let each member keep of what it owns in its rack as much as the quota allows; return that."""
        kept: set[TopicPartition] = set()
        for member, owned in self._spec.owned.items():
            valid: list[TopicPartition] = []
            for partition in (
                TopicPartition(t, n) for t, numbers in owned.items() if t in self._subscribed for n in numbers
            ):
                if racks.used and not racks.matches(member, partition):
                    self._owners[partition] = member
                else:
                    valid.append(partition)
            has_extra = len(valid) > self._least and self._extras > 0
            self._extras -= has_extra
            for partition in valid[: self._least + has_extra]:
                self._given[member].setdefault(partition.topic, set()).add(partition.partition)
                kept.add(partition)
            if len(valid) <= self._least:
                self._missing[member] = self._least - len(valid)
                self._table.add(member)
        return kept

    def _assign_in_turn(self, partitions: list[TopicPartition]) -> None:
        turns = deque(self._table)
        left = False
        for partition in partitions:
            owner, assigned = self._owners.get(partition), False
            if owner is not None and owner in self._missing:
                assigned = self._give(owner, partition)
                if owner not in self._missing:
                    turns.remove(owner)
            turn = 0
            while turn < len(turns) and not assigned:
                member = turns.popleft()
                assigned = member in self._missing and self._give(member, partition)
                if member in self._missing:
                    turns.append(member)
                turn += 1
            left |= not assigned
        if left:
            raise AssignorError(LEFT)

    def _give(self, member: str, partition: TopicPartition) -> bool:
        """Give a partition to an unfilled member that has room; say whether it had."""
        missing = self._missing[member]
        if missing > 0:
            self._missing[member] = missing - 1
            if missing == 1 and self._extras == 0:
                self._fill(member)
        elif self._extras > 0:
            self._extras -= 1
            self._fill(member)
        else:
            return False
        self._given[member].setdefault(partition.topic, set()).add(partition.partition)
        return True

    def _fill(self, member: str) -> None:
        """Count a member as filled."""
        del self._missing[member]
        self._table.remove(member)
