"""The uniform assignment where all members subscribe to the same topics: everybody keeps what fits into a quota.

Source: UniformHomogeneousAssignmentBuilder of Kafka 3.8 to 4.4.
"""

from collections.abc import Sequence
from itertools import filterfalse, islice

from kassay.model import Assignment, AssignorError, TopicPartition
from kassay.reference.broker.group_spec import GroupSpec, copied_capacity
from kassay.reference.broker.numbering import Numbering

LEFT = "PartitionAssignorException: Partitions were left unassigned"


class HomogeneousBuilder:
    """Keeps what members own up to their quota, and fills those below it in their order.

    Of P partitions over M members each may keep P div M, and P mod M of them one more. Until 4.0.0 these are the first in order;
    from 4.0.1 on, with `extras_stay`, a member that does not own one more leaves that to those behind it (KAFKA-18688).
    """

    def __init__(self, spec: GroupSpec, *, extras_stay: bool) -> None:
        self._spec = spec
        self._extras_stay = extras_stay
        subscribed = spec.subscribed[next(iter(spec.members))]
        self._topics = spec.topic_order(subscribed, copied_capacity(len(subscribed)))
        self._numbering = Numbering([topic for name, topic in spec.topics.items() if name in subscribed])
        self._unassigned: list[int] = []
        self._unfilled: list[tuple[list[int], int]] = []

    def build(self) -> Assignment:
        """Compute the assignment; raises AssignorError as Kafka's class fails."""
        if not self._topics:
            return {}
        total = sum(map(self._spec.partitions, self._topics))
        members = self._spec.members.values()
        given = [self._numbering.numbers(member.owned) for member in members]
        taken = set().union(*given)
        for name in self._topics:
            self._unassigned += filterfalse(taken.__contains__, self._numbering.of_topic[name])
        self._revoke(given, *divmod(total, len(given)))
        self._assign_remaining()
        every, order = self._numbering.every, self._numbering.order()
        answer: dict[str, list[TopicPartition]] = {}
        for member, own in zip(members, given, strict=True):
            in_order = sorted(own, key=order)
            if len(own) == len(member.owned) and own == in_order and self._numbering.whole:
                answer[member.id] = list(member.owned)  # it neither gave nor got any
            else:
                answer[member.id] = [every[number] for number in dict.fromkeys(in_order)]
        return answer

    def _revoke(self, given: Sequence[list[int]], least: int, extras: int) -> None:
        """Take from each member what exceeds its quota, beginning with the last of the topics that it owns something of."""
        for behind, own in zip(range(len(given), 0, -1), given, strict=True):
            has_extra = extras > 0
            quota = least + has_extra
            if len(own) > quota:
                own[:] = self._numbering.by_topic(own)
                self._unassigned += own[quota:]
                del own[quota:]
            quota -= len(own)
            if self._extras_stay and has_extra and quota and behind > extras:
                quota, has_extra = quota - 1, False
            if quota:
                self._unfilled.append((own, quota))
            extras -= has_extra

    def _assign_remaining(self) -> None:
        left = iter(self._unassigned)
        for own, quota in self._unfilled:
            own.extend(islice(left, quota))
        if next(left, None) is not None:
            raise AssignorError(LEFT)
