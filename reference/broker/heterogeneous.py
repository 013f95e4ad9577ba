"""The uniform assignment where members subscribe to different topics: keep, deal out by level, then even out topic by topic.

Source: UniformHeterogeneousAssignmentBuilder of Kafka 4.0 to 4.4 (KAFKA-17710).
"""

from collections.abc import Iterable

from kassay.model import Assignment, AssignorError
from kassay.reference.broker.group_spec import GroupSpec, unknown
from kassay.reference.broker.member_balancer import MemberAssignmentBalancer

MOST_SWEEPS = 16
NOBODY = -1


class HeterogeneousBuilder:
    """Numbers members in the group's order, lets them keep what they subscribe to, and balances topics that have several readers."""

    def __init__(self, spec: GroupSpec) -> None:
        self._spec = spec
        self._members = list(spec.members)
        self._readers: dict[str, list[int]] = {}
        for at, topics in enumerate(spec.subscribed.values()):
            for topic in topics:
                if topic not in spec.topics:
                    unknown(topic)
                self._readers.setdefault(topic, []).append(at)
        self._sizes = [0] * len(self._members)
        self._owners = {topic: [NOBODY] * spec.topics[topic].partitions for topic in self._readers}
        self._given: list[dict[str, set[int]]] = [{} for _ in self._members]

    def build(self) -> Assignment:
        """Compute the assignment; raises AssignorError as Kafka's class fails."""
        if not self._readers:
            return {}
        self._keep()
        self._assign_remaining()
        self._balance()
        return self._spec.answer(dict(zip(self._members, self._given, strict=True)))

    def _sorted(self, topics: Iterable[str]) -> list[str]:
        """Sort topics: those with the most partitions per reader first, then those with the fewest readers, then by id."""

        def key(topic: str) -> tuple[float, int, tuple[int, int]]:
            readers = len(self._readers[topic])
            return (-self._spec.topics[topic].partitions / readers, readers, self._spec.id(topic))

        return sorted(topics, key=key)

    def _keep(self) -> None:
        """Let members keep all that they still subscribe to; of two that own a partition the last one counts as its owner."""
        for at, member in enumerate(self._members):
            for topic, numbers in self._spec.owned[member].items():
                if topic not in self._spec.subscribed[member]:
                    continue
                owners = self._owners[topic]
                for number in numbers:
                    if number >= len(owners):
                        out = f"Index {number} out of bounds for length {len(owners)}"
                        raise AssignorError(f"ArrayIndexOutOfBoundsException: {out}")
                    owners[number] = at
                self._given[at][topic] = set(numbers)
                self._sizes[at] += len(numbers)

    def _assign_remaining(self) -> None:
        """Deal out what nobody owns to the least loaded readers."""
        free = {
            topic: [number for number, owner in enumerate(owners) if owner == NOBODY]
            for topic, owners in self._owners.items()
        }
        for topic in self._sorted(topic for topic, numbers in free.items() if numbers):
            balancer = MemberAssignmentBalancer(self._sizes, self._readers[topic])
            for number in free[topic]:
                self._assign(topic, number, balancer.next_least_loaded())

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
        balancer = MemberAssignmentBalancer(self._sizes, self._readers[topic])
        if balancer.imbalance <= 1:
            return False
        owners = self._owners[topic]
        held: dict[int, list[int]] = {}
        for number, owner in enumerate(owners):
            held.setdefault(owner, []).append(number)
        moved = False
        while not balancer.is_balanced():
            most = balancer.next_most_loaded()
            while most is not None and not held.get(most):
                balancer.exclude_most_loaded()
                most = balancer.next_most_loaded()
            if most is None:
                break
            number = held[most].pop()
            least = balancer.next_least_loaded()
            if balancer.is_balanced():
                break
            self._assign(topic, number, least)
            moved = True
        return moved

    def _assign(self, topic: str, number: int, to: int) -> None:
        """Give a partition to a member, and take it from its owner."""
        owner = self._owners[topic][number]
        if owner != NOBODY:
            self._given[owner].get(topic, set()).discard(number)
            self._sizes[owner] -= 1
        self._given[to].setdefault(topic, set()).add(number)
        self._sizes[to] += 1
        self._owners[topic][number] = to
