"""The uniform assignment where all members subscribe to the same topics: everybody keeps what fits into a quota.

Source: UniformHomogeneousAssignmentBuilder of Kafka 3.8 to 4.4.
"""

from kassay.model import Assignment, AssignorError, TopicPartition
from kassay.reference.broker.group_spec import GroupSpec, copied_capacity

LEFT = "PartitionAssignorException: Partitions were left unassigned"


class HomogeneousBuilder:
    """Keeps what members own up to their quota, and fills those below it in their order.

    Of P partitions over M members each may keep P div M, and P mod M of them one more. Until 4.0.0 these are the first in order;
    from 4.0.1 on, with `extras_stay`, a member that does not own one more leaves that to those behind it (KAFKA-18688).
    """

    def __init__(self, spec: GroupSpec, *, extras_stay: bool) -> None:
        self._spec = spec
        self._extras_stay = extras_stay
        self._subscribed = spec.subscribed[next(iter(spec.members))]
        self._topics = spec.topic_order(self._subscribed, copied_capacity(len(self._subscribed)))
        self._unassigned: list[TopicPartition] = []
        self._unfilled: list[tuple[str, int]] = []
        self._given: dict[str, dict[str, set[int]]] = {}

    def build(self) -> Assignment:
        """Compute the assignment; raises AssignorError as Kafka's class fails."""
        if not self._topics:
            return {}
        total = sum(map(self._spec.partitions, self._topics))
        owned = {
            (t, p)
            for of_member in self._spec.owned.values()
            for t, numbers in of_member.items()
            for p in numbers
        }
        self._unassigned = [
            partition
            for topic in self._topics
            for partition in self._spec.topics[topic]
            if partition not in owned
        ]
        self._revoke(*divmod(total, len(self._spec.members)))
        self._assign_remaining()
        return self._spec.answer(self._given)

    def _revoke(self, least: int, extras: int) -> None:
        """Take from each member what it is not subscribed to any more, and what exceeds its quota."""
        for behind, member in zip(range(len(self._spec.members), 0, -1), self._spec.members, strict=True):
            has_extra = extras > 0
            quota = self._keep(member, least + has_extra)
            if self._extras_stay and has_extra and quota and behind > extras:
                quota, has_extra = quota - 1, False
            if quota:
                self._unfilled.append((member, quota))
            extras -= has_extra

    def _keep(self, member: str, quota: int) -> int:
        """Let a member keep what it owns up to a quota; return how much of that is left."""
        kept = self._given[member] = {}
        for topic, numbers in self._spec.owned[member].items():
            if topic in self._subscribed:
                kept[topic] = set(numbers[:quota])
                self._unassigned += (TopicPartition(topic, number) for number in numbers[quota:])
                quota -= len(kept[topic])
        return quota

    def _assign_remaining(self) -> None:
        left = iter(self._unassigned)
        for member, quota in self._unfilled:
            for _, (topic, number) in zip(range(quota), left, strict=False):
                self._given[member].setdefault(topic, set()).add(number)
        if next(left, None) is not None:
            raise AssignorError(LEFT)
