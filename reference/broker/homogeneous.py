"""The uniform assignment where all members subscribe to the same topics: everybody keeps what fits into a quota.

Source: UniformHomogeneousAssignmentBuilder of Kafka 3.8 to 4.4.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import islice

from kassay.model import Assignment, AssignorError, Member
from kassay.reference.broker.group_spec import GroupSpec, Numbering, copied_capacity, unknown

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
