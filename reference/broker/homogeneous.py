"""The uniform assignment where all members subscribe to the same topics: everybody keeps what fits into a quota.

Source: UniformHomogeneousAssignmentBuilder of Kafka 3.8 to 4.4.
"""

from collections.abc import Collection, Iterable
from itertools import chain, filterfalse, islice

from kassay.model import Assignment, AssignorError, TopicPartition
from kassay.reference.broker.group_spec import GroupSpec, copied_capacity, unknown
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
        self._subscribed = dict.fromkeys(next(iter(spec.members.values())).topics)
        self._numbering = Numbering(
            [topic for name, topic in spec.topics.items() if name in self._subscribed]
        )
        self._unfilled: list[tuple[list[int], int]] = []

    def build(self) -> Assignment:
        """Compute the assignment; raises AssignorError as Kafka's class fails."""
        if not self._subscribed:
            return {}
        if not self._subscribed.keys() <= self._spec.topics.keys():
            unknown(next(name for name in self._topics() if name not in self._spec.topics))
        members = self._spec.members.values()
        given = [self._numbering.numbers(member.owned) for member in members]
        unassigned = self._free(set().union(*given))
        unassigned += self._revoke(given, *divmod(self._numbering.existing, len(given)))
        self._assign(unassigned)
        every, order = self._numbering.every, self._numbering.order()
        answer: dict[str, list[TopicPartition]] = {}
        for member, own in zip(members, given, strict=True):
            in_order = sorted(own, key=order)
            if len(own) == len(member.owned) and own == in_order and self._numbering.whole:
                answer[member.id] = list(member.owned)  # it neither gave nor got any
            else:
                answer[member.id] = [every[number] for number in dict.fromkeys(in_order)]
        return answer

    def _topics(self) -> list[str]:
        """Return what is subscribed to in the order of a HashSet that is a copy of it."""
        return self._spec.topic_order(self._subscribed, copied_capacity(len(self._subscribed)))

    def _free(self, taken: Collection[int]) -> list[int]:
        """Return what nobody owns."""
        if self._numbering.whole and len(taken) == self._numbering.existing:
            return []
        numbers = chain.from_iterable(map(self._numbering.of_topic.__getitem__, self._topics()))
        return list(filterfalse(taken.__contains__, numbers) if taken else numbers)

    def _revoke(self, given: Iterable[list[int]], least: int, extras: int) -> list[int]:
        """Take from each member what exceeds its quota, beginning with the last of the topics that it owns something of."""
        revoked: list[int] = []
        for at, own in enumerate(given):
            has_extra = extras > 0
            quota = least + has_extra
            if len(own) > quota:
                own[:] = self._numbering.by_topic(own)
                revoked += own[quota:]
                del own[quota:]
            quota -= len(own)
            if self._extras_stay and has_extra and quota and len(self._spec.members) - at > extras:
                quota, has_extra = quota - 1, False
            if quota:
                self._unfilled.append((own, quota))
            extras -= has_extra
        return revoked

    def _assign(self, unassigned: Iterable[int]) -> None:
        left = iter(unassigned)
        for own, quota in self._unfilled:
            own.extend(islice(left, quota))
        if next(left, None) is not None:
            raise AssignorError(LEFT)
