"""The uniform assignment where all members subscribe to the same topics: everybody keeps what fits into a quota.

Source: UniformHomogeneousAssignmentBuilder of Kafka 3.8 to 4.4.
"""

from itertools import chain, islice

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
        self._first: dict[str, int] = {}
        self._unassigned: list[int] = []
        self._unfilled: list[tuple[list[int], int]] = []

    def build(self) -> Assignment:
        """Compute the assignment; raises AssignorError as Kafka's class fails."""
        if not self._topics:
            return {}
        total = sum(map(self._spec.partitions, self._topics))
        for topic in self._spec.topics.values():
            if topic.name in self._subscribed:
                self._first[topic.name] = len(self._every)
                self._every.extend(topic)
        given = self._owned()
        taken = set(chain.from_iterable(given.values()))
        for name in self._topics:
            first = self._first[name]
            numbers = range(first, first + self._spec.topics[name].partitions)
            self._unassigned += [n for n in numbers if n not in taken] if taken else numbers
        self._revoke(given, *divmod(total, len(given)))
        self._assign_remaining()
        if len(self._every) == total:
            return {
                member: list(map(self._every.__getitem__, sorted(set(own)))) for member, own in given.items()
            }
        place = {topic: at for at, topic in enumerate(self._spec.topics)}
        return {
            member: sorted(
                {self._every[n] for n in own}, key=lambda each: (place[each.topic], each.partition)
            )
            for member, own in given.items()
        }

    def _owned(self) -> dict[str, list[int]]:
        """Return what each member owns of the topics that are read, topic by topic; what is gone gets numbers of its own."""
        gone: dict[tuple[str, int], int] = {}
        owned: dict[str, list[int]] = {}
        for member, of_member in self._spec.owned.items():
            own = owned[member] = []
            for topic, numbers in of_member.items():
                first = self._first.get(topic)
                if first is not None and max(numbers) < self._spec.topics[topic].partitions:
                    own += [first + number for number in numbers]
                elif first is not None:
                    own += [self._number(first, topic, number, gone) for number in numbers]
        return owned

    def _number(self, first: int, topic: str, number: int, gone: dict[tuple[str, int], int]) -> int:
        if number < self._spec.topics[topic].partitions:
            return first + number
        if (topic, number) not in gone:
            gone[topic, number] = len(self._every)
            self._every.append(TopicPartition(topic, number))
        return gone[topic, number]

    def _revoke(self, given: dict[str, list[int]], least: int, extras: int) -> None:
        """Take from each member what exceeds its quota."""
        for behind, own in zip(range(len(given), 0, -1), given.values(), strict=True):
            has_extra = extras > 0
            quota = least + has_extra
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
