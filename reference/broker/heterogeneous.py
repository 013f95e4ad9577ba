"""The uniform assignment where members subscribe to different topics: keep, deal out by level, then even out topic by topic.

Source: UniformHeterogeneousAssignmentBuilder of Kafka 4.0 to 4.4 (KAFKA-17710).
"""

from collections.abc import Iterable

from kassay.model import Assignment, AssignorError, TopicPartition
from kassay.reference.broker.general import MemberAssignmentBalancer
from kassay.reference.broker.group_spec import GroupSpec, unknown

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
        self._keepers: dict[tuple[str, int], set[int]] = {}  # who has a partition beside its owner
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

    def _sorted(self, topics: Iterable[str]) -> list[str]:
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
        """Deal out what nobody owns to the least loaded readers."""
        for topic in self._sorted(topic for topic, owners in self._owners.items() if NOBODY in owners):
            owners = self._owners[topic]
            free = [number for number, owner in enumerate(owners) if owner == NOBODY]
            balancer = MemberAssignmentBalancer(self._sizes, self._readers[topic])
            for number, to in zip(free, balancer.least_loaded, strict=False):
                owners[number] = to
                self._sizes[to] += 1

    def _balance(self) -> None:
        """Sweep over the topics until one sweep changes nothing, or there were too many."""
        topics = self._sorted(topic for topic, readers in self._readers.items() if len(readers) > 1)
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
            most = balancer.next_most_loaded()
            while most is not None and not held.get(most):
                balancer.exclude_most_loaded()
                most = balancer.next_most_loaded()
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
