"""Give all members equal numbers of partitions, each keeping its owned ones as far as that allows.

If all members subscribe to the same topics, each keeps its partitions up to a quota, and loads differ by at most one. Otherwise
members keep everything, and free partitions go to the least loaded subscribers. Then, topic by topic, partitions move from the most
to the least loaded ones. Racks are not read, except in 3.7, which assigns equal subscriptions by racks first, then in turn.

Known defects, reproduced: partitions that members must give up go to the members below their quota, one member after the other. So a member
may get partitions of only one topic. With different subscriptions, topics are balanced one at a time, in at most 16 sweeps, so that
loads may be less balanced than possible. A partition with two owners stays with both.

Source: org.apache.kafka.coordinator.group.assignor.UniformAssignor of Kafka 4.0.1 to 4.4 (KIP-848, KAFKA-17710, KAFKA-18688);
UniformHomogeneousAssignmentBuilder of 3.8 to 4.4; UniformHeterogeneousAssignmentBuilder of 4.0 to 4.4 (KAFKA-17710);
OptimizedUniformAssignmentBuilder of 3.7.
"""

from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property, partial
from itertools import islice

from kassay.model import Assignment, Assignor, AssignorError, Group, Member, TopicPartition
from kassay.reference.broker.general import GeneralBuilder, MemberAssignmentBalancer
from kassay.reference.broker.group_spec import (
    GroupSpec,
    Numbering,
    RackInfo,
    compute_copy_capacity,
    group_spec,
    unknown,
)
from kassay.reference.java.hash_map import HashTable
from kassay.reference.java.strings import string_hash, string_order
from kassay.reference.promises import EVEN, SOUND, STEADY, VALID

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
        taken = self._keep_within_quota()
        sizes = self._sizes(taken)
        unassigned = self._find_free(taken)
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

    def _keep_within_quota(self) -> Mapping[str, set[int]]:
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
        """Return True if a member reports only partitions of these topics, in the order of answers."""
        if size < len(member.owned) or not member.owned_in_order:
            return False
        topics = member.owned_by_topic
        return len(topics) < 2 or [*topics] == sorted(topics, key=self._place.__getitem__)

    def _topics(self) -> list[str]:
        """Return what is subscribed to in the order of a HashSet that is a copy of it."""
        return self._spec.topic_order(self._subscribed, compute_copy_capacity(len(self._subscribed)))

    def _find_free(self, taken: Mapping[str, set[int]]) -> list[int]:
        """Return the partitions without an owner."""
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
    """Return True if these are all numbers below a size, each once."""
    return len(numbers) == size and max(numbers, default=-1) < size


class OptimizedBuilder:
    """Members keep what is in their rack up to the quota; then what is left goes to members near it, then in turn to the unfilled."""

    def __init__(self, spec: GroupSpec) -> None:
        self._spec = spec
        self._subscribed = spec.subscribed[next(iter(spec.members))]
        self._topics = spec.topic_order(self._subscribed, compute_copy_capacity(len(self._subscribed)))
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


MOST_SWEEPS = 16
NOBODY = -1


class HeterogeneousBuilder:
    """Numbers members in the group's order, lets them keep what they subscribe to, and balances topics that have several readers."""

    def __init__(self, spec: GroupSpec) -> None:
        self._spec = spec
        self._members = list(spec.members.values())
        self._readers = spec.readers()
        for topic in self._readers:
            if topic not in spec.topics:
                unknown(topic)
        self._sizes = [0] * len(self._members)
        self._owners = {topic: [NOBODY] * spec.topics[topic].partitions for topic in self._readers}
        self._keepers: dict[
            tuple[str, int], set[int]
        ] = {}  # The further members that have a partition of another owner.
        self._moves = 0
        self._even: dict[int, int] = {}  # list of readers -> the moves after which their loads were even

    def build(self) -> Assignment:
        """Compute the assignment; raises AssignorError as Kafka's class fails."""
        if not self._readers:
            return {}
        self._keep()
        self._assign_remaining()
        self._balance()
        return self._assignment()

    def _sort(self, topics: Iterable[str]) -> list[str]:
        """Sort topics: those with the most partitions per reader first, then those with the fewest readers, then by id."""

        def key(topic: str) -> tuple[float, int, tuple[int, int]]:
            readers = len(self._readers[topic])
            return (-self._spec.topics[topic].partitions / readers, readers, self._spec.id(topic))

        return sorted(topics, key=key)

    def _keep(self) -> None:
        """Let members keep all that they still subscribe to; of two that own a partition the last one counts as its owner."""
        for at, member in enumerate(self._members):
            subscribed = self._spec.subscribed[member.id]
            for topic, numbers in member.owned_by_topic.items():
                if topic not in subscribed:
                    continue
                owners = self._owners[topic]
                for number in numbers:
                    if number >= len(owners):
                        gone = f"Index {number} out of bounds for length {len(owners)}"
                        raise AssignorError(f"ArrayIndexOutOfBoundsException: {gone}")
                    if owners[number] != NOBODY:
                        self._keepers.setdefault((topic, number), set()).add(owners[number])
                    owners[number] = at
                self._sizes[at] += len(numbers)

    def _assign_remaining(self) -> None:
        """Give partitions without an owner to the least loaded subscribers."""
        for topic in self._sort(topic for topic, owners in self._owners.items() if NOBODY in owners):
            owners = self._owners[topic]
            free = [number for number, owner in enumerate(owners) if owner == NOBODY]
            balancer = MemberAssignmentBalancer(self._sizes, self._readers[topic])
            for number, to in zip(free, balancer.least_loaded, strict=False):
                owners[number] = to
                self._sizes[to] += 1

    def _balance(self) -> None:
        """Sweep over the topics until one sweep changes nothing, or there were too many."""
        topics = self._sort(topic for topic, readers in self._readers.items() if len(readers) > 1)
        last_changed: str | None = None
        for topic in topics * MOST_SWEEPS:
            if topic == last_changed:
                return
            if self._balance_topic(topic) or last_changed is None:
                last_changed = topic

    def _balance_topic(self, topic: str) -> bool:
        """Move partitions of a topic from its most to its least loaded readers; say whether any moved."""
        readers = self._readers[topic]
        if self._even.get(id(readers)) == self._moves:
            return False
        balancer = MemberAssignmentBalancer(self._sizes, readers)
        if balancer.imbalance <= 1:
            self._even[id(readers)] = self._moves
            return False
        held: dict[int, list[int]] = {}
        for number, owner in enumerate(self._owners[topic]):
            held.setdefault(owner, []).append(number)
        moves = self._moves
        while not balancer.is_balanced():
            most = balancer.find_next_most_loaded()
            while most is not None and not held.get(most):
                balancer.exclude_most_loaded()
                most = balancer.find_next_most_loaded()
            if most is None:
                break
            number = held[most].pop()
            least = next(balancer.least_loaded)
            if balancer.is_balanced():
                break
            self._move(topic, number, least)
        return self._moves > moves

    def _move(self, topic: str, number: int, to: int) -> None:
        """Take a partition from its owner, and give it to a member."""
        owner = self._owners[topic][number]
        if self._keepers:
            self._keepers.get((topic, number), set()).discard(owner)
        self._sizes[owner] -= 1
        self._sizes[to] += 1
        self._owners[topic][number] = to
        self._moves += 1

    def _assignment(self) -> Assignment:
        """Give each partition to its owner, in the group's order, and to those who have it, too."""
        lists: list[list[TopicPartition]] = [[] for _ in self._members]
        for name, topic in self._spec.topics.items():
            owners = self._owners.get(name, [])
            for number, (owner, partition) in enumerate(zip(owners, topic.listed(), strict=False)):
                lists[owner].append(partition)
                if self._keepers:
                    for keeper in self._keepers.get((name, number), set()) - {owner}:
                        lists[keeper].append(partition)
        return dict(zip(self._spec.members, lists, strict=True))


def assign(group: Group, *, extras_stay: bool = True, by_level: bool = True) -> Assignment:
    """Give all members equal numbers of partitions, each keeping what it owns as far as that allows."""
    spec = group_spec(group)
    if not spec.members:
        return {}
    if spec.alike:
        return HomogeneousBuilder(spec, extras_stay=extras_stay).build()
    return HeterogeneousBuilder(spec).build() if by_level else GeneralBuilder(spec).build()


def assign_3_7(group: Group) -> Assignment:
    """Do that by racks where these differ, which 3.8 gave up again."""
    spec = group_spec(group)
    if not spec.members:
        return {}
    if spec.alike:
        return OptimizedBuilder(spec).build()
    return GeneralBuilder(spec, RackInfo).build()


assign_4_0_0 = partial(assign, extras_stay=False)
assign_3_8 = partial(assign, extras_stay=False, by_level=False)

_CLAIMED_TWICE = frozenset({"double_claim", "overruled_claim"})
_MIXED = frozenset({"mixed_subscriptions"})
UNIFORM = Assignor(
    "broker/uniform",
    assign,
    VALID
    | EVEN
    | SOUND
    | STEADY
    | {
        "static_identity",
        "instance_isolated",
        "stable_in_any_order",
        "replaced_minimal",
        "leaver_minimal",
        "joiner_minimal",
        "reconciles",
        "moves_bounded",
        "rack_aware_no_more_reads",
    },
    "UniformAssignor of kafka-group-coordinator 4.4; KIP-848",
    {
        "exclusive": _CLAIMED_TWICE,
        "every_member": frozenset({"no_subscription"}),
        "balanced": _MIXED,
        "locally_balanced": _CLAIMED_TWICE,
        "crash_free": _CLAIMED_TWICE | {"unknown_topic", "vanished_partition"},
        "stable": frozenset({"double_claim"}),
        "settling": frozenset({"double_claim"}),
        "stable_in_any_order": frozenset({"double_claim"}),
        "static_identity": frozenset({"double_claim"}),
        "replaced_minimal": _MIXED,
        "leaver_minimal": _MIXED,
        "joiner_minimal": _MIXED,
        "reconciles": _CLAIMED_TWICE,
    },
    fails=frozenset(
        {
            "ArrayIndexOutOfBoundsException at uniform.py in _keep",
            "PartitionAssignorException at group_spec.py in unknown",
            "PartitionAssignorException at uniform.py in _assign",
        }
    ),
)
