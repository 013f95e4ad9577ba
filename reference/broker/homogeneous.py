"""The uniform assignment where all members subscribe to the same topics: everybody keeps what fits into a quota.

Source: UniformHomogeneousAssignmentBuilder of Kafka 3.8 to 4.4.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import chain, filterfalse, islice

from kassay.model import Assignment, AssignorError, TopicPartition
from kassay.reference.broker.group_spec import GroupSpec, copied_capacity

LEFT = "PartitionAssignorException: Partitions were left unassigned"


class HomogeneousBuilder:
    """Keeps what members own up to their quota, and fills those below it in their order.

    Of P partitions over M members each may keep P div M, and P mod M of them one more. Until 4.0.0 these are the first in order;
    from 4.0.1 on, with `extras_stay`, a member that does not own one more leaves that to those behind it (KAFKA-18688).
    Partitions are numbers: places in the list of them all, by topic in the group's order, behind which come owned ones that are gone.
    """

    def __init__(self, spec: GroupSpec, *, extras_stay: bool) -> None:
        self._spec = spec
        self._extras_stay = extras_stay
        self._subscribed = spec.subscribed[next(iter(spec.members))]
        self._topics = spec.topic_order(self._subscribed, copied_capacity(len(self._subscribed)))
        self._every: list[TopicPartition] = []
        self._numbers: dict[str, list[int]] = {}
        self._whole = True
        self._gone: dict[TopicPartition, int] = {}
        self._unassigned: list[int] = []
        self._unfilled: list[tuple[list[int], int]] = []

    def build(self) -> Assignment:
        """Compute the assignment; raises AssignorError as Kafka's class fails."""
        if not self._topics:
            return {}
        total = sum(map(self._spec.partitions, self._topics))
        places = list(range(total))
        for name, topic in self._spec.topics.items():
            if name in self._subscribed:
                self._numbers[name] = places[len(self._every) : len(self._every) + topic.partitions]
                self._every += topic.listed()
        given = {name: self._owned(member.owned) for name, member in self._spec.members.items()}
        taken = set().union(*given.values())
        for name in self._topics:
            self._unassigned += filterfalse(taken.__contains__, self._numbers[name])
        self._revoke(given, *divmod(total, len(given)))
        self._assign_remaining()
        rank = self._rank() if self._gone else None
        return {
            name: self._partitions(own, self._spec.members[name].owned, rank) for name, own in given.items()
        }

    def _owned(self, owned: Sequence[TopicPartition]) -> list[int]:
        """Return the numbers of what a member owns of the topics that are read; what is gone gets numbers of its own."""
        numbers = self._numbers
        try:
            return [numbers[topic][number] for topic, number in owned]
        except LookupError:
            self._whole = False
            return [self._number(partition) for partition in owned if partition.topic in numbers]

    def _number(self, partition: TopicPartition) -> int:
        numbers = self._numbers[partition.topic]
        if partition.partition < len(numbers):
            return numbers[partition.partition]
        if partition not in self._gone:
            self._gone[partition] = len(self._every)
            self._every.append(partition)
        return self._gone[partition]

    def _revoke(self, given: Mapping[str, list[int]], least: int, extras: int) -> None:
        """Take from each member what exceeds its quota, beginning with the last of the topics that it owns something of."""
        for behind, own in zip(range(len(given), 0, -1), given.values(), strict=True):
            has_extra = extras > 0
            quota = least + has_extra
            if len(own) > quota:
                grouped: dict[str, list[int]] = {}
                for number in own:
                    grouped.setdefault(self._every[number].topic, []).append(number)
                own[:] = chain.from_iterable(grouped.values())
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

    def _partitions(
        self, own: list[int], owned: Sequence[TopicPartition], rank: Callable[[int], int] | None
    ) -> list[TopicPartition]:
        """Return the partitions of a member, in order; if it neither gives nor gets any, they are those that it owned."""
        in_order = sorted(own, key=rank)
        if self._whole and len(own) == len(owned) and own == in_order:
            return list(owned)
        return [self._every[number] for number in dict.fromkeys(in_order)]

    def _rank(self) -> Callable[[int], int]:
        """Return the place of each number, where the partitions that are gone are sorted in among those of their topics."""
        place = {topic: at for at, topic in enumerate(self._spec.topics)}
        ranked = sorted((place[topic], number, at) for at, (topic, number) in enumerate(self._every))
        return {at: rank for rank, (_, _, at) in enumerate(ranked)}.__getitem__
