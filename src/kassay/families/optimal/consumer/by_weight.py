"""Assignors of the literature that go by weight: studies, to hold against what counting proves and solvers find.

For given members: the longest first (Graham 1969), first fit decreasing under a bisected limit (multifit; Coffman, Garey and Johnson 1978), and what
lag assignors do (KAFKA-5337): counts first. Each is a function of a group, so ``python:kassay.families.optimal.consumer.by_weight:longest_first`` is a target.
Where the number of consumers is an outcome: bin packing with items whose sizes vary (Landau, Andrade and Barbosa, arXiv 2206.11170; with
Saurabh, arXiv 2402.06085), whose R-score is the rate of what moves, over the capacity.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

from kassay.model import Assignment, Group, TopicPartition

Key: TypeAlias = Callable[[int, int, str], tuple[object, ...]]
"""What a member is chosen by: the weight and the number of partitions that it has, and its id."""
Bins: TypeAlias = dict[int, list[int]]
"""What consumers, by their numbers, are given."""


def weights_of(group: Group) -> dict[TopicPartition, int]:
    """Return what each partition weighs, 0 where that is not known."""
    return {
        partition: (topic.weights[partition.partition] if topic.weights else 0) or 0
        for topic in group.topics
        for partition in topic
    }


def longest_first(group: Group) -> Assignment:
    """Give the heaviest partition first, each to its subscriber with the least weight."""
    return _dealt(group, weights_of(group), lambda weight, count, name: (weight, count, name))


def fewest_first(group: Group) -> Assignment:
    """Give the heaviest partition first, each to its subscriber with the fewest partitions, of these to the one with the least weight."""
    return _dealt(group, weights_of(group), lambda weight, count, name: (count, weight, name))


def fewest_of_topic_first(group: Group) -> Assignment:
    """Do the same topic by topic, each by itself, as lag assignors do."""
    given: dict[str, list[TopicPartition]] = {member.id: [] for member in group.members}
    for topic in group.topics:
        alone = Group((topic,), group.members)
        for name, some in fewest_first(alone).items():
            given[name] += some
    return given


def _dealt(group: Group, weights: Mapping[TopicPartition, int], key: Key) -> Assignment:
    readers = {t.name: [m.id for m in group.members if t.name in m.topics] for t in group.topics}
    given: dict[str, list[TopicPartition]] = {member.id: [] for member in group.members}
    held = dict.fromkeys(given, 0)
    for partition in sorted(weights, key=lambda p: (-weights[p], p)):
        some = readers[partition.topic]
        if some:
            name = min(some, key=lambda m: key(held[m], len(given[m]), m))
            given[name].append(partition)
            held[name] += weights[partition]
    return given


def multifit(group: Group) -> Assignment:
    """Fill members one after the other, the heaviest partition that fits first; under the least limit, found by bisection, under which all fits."""
    weights = weights_of(group)
    best = longest_first(group)
    low, high = 0, max((sum(weights[p] for p in some) for some in best.values()), default=0)
    while low < high:
        limit = (low + high) // 2
        found = _first_fit(group, weights, limit)
        if found is None:
            low = limit + 1
        else:
            best, high = found, limit
    return best


def _first_fit(group: Group, weights: Mapping[TopicPartition, int], limit: int) -> Assignment | None:
    readers = {t.name: [m.id for m in group.members if t.name in m.topics] for t in group.topics}
    given: dict[str, list[TopicPartition]] = {member.id: [] for member in group.members}
    left = dict.fromkeys(given, limit)
    for partition in sorted(weights, key=lambda p: (-weights[p], p)):
        some = readers[partition.topic]
        name = next((m for m in some if weights[partition] <= left[m]), None)
        if some and name is None:
            return None
        if name is not None:
            given[name].append(partition)
            left[name] -= weights[partition]
    return given


FITS: Mapping[str, Callable[[Iterable[tuple[int, int]]], int]] = {
    "first fit": lambda bins: min(number for number, _ in bins),
    "best fit": lambda bins: max(bins, key=lambda of: (of[1], -of[0]))[0],
    "worst fit": lambda bins: min(bins, key=lambda of: (of[1], of[0]))[0],
}
"""How a consumer is chosen of those into which something fits, given as (number, weight): the first, the fullest, the emptiest."""


def packed(weights: Sequence[int], before: Sequence[int], capacity: int, fit: str, *, modified: bool) -> Bins:
    """Pack items into as few consumers of a capacity as a heuristic takes; `before` is where each was, -1 for nowhere.

    Decreasing: the heaviest first, and a new consumer is the item's old one where that is not in use yet. Modified: consumer by consumer, the
    heaviest first; its items go, the lightest first, to consumers that are open already as long as they fit; the others, the heaviest
    first, stay as long as they fit; what is left is packed decreasing. What is heavier than the capacity has a consumer of its own.
    """
    packing = _Packing(weights, before, capacity, FITS[fit])
    if not modified:
        packing.pack(range(len(weights)))
        return packing.bins
    owned: dict[int, list[int]] = {}
    for item, number in enumerate(before):
        owned.setdefault(number, []).append(item)
    left = owned.pop(-1, [])
    for number in sorted(owned, key=lambda n: (-sum(weights[i] for i in owned[n]), n)):
        left += packing.keep(number, owned[number])
    packing.pack(left)
    return packing.bins


class _Packing:
    """Consumers that are open, with what they are given and what that weighs together."""

    def __init__(
        self, weights: Sequence[int], before: Sequence[int], capacity: int, fit: Callable[[Iterable[tuple[int, int]]], int]
    ) -> None:  # fmt: skip
        self.weights, self.before, self.capacity, self.fit = weights, before, capacity, fit
        self.bins: Bins = {}
        self.loads: dict[int, int] = {}

    def pack(self, items: Iterable[int]) -> None:
        """Pack items, the heaviest first, into consumers that are open, or one more."""
        for item in self._heaviest_first(items):
            old = self.before[item]
            if not self._into_open(item):
                self._put(
                    item, old if old >= 0 and old not in self.loads else _unused(self.loads, self.before)
                )

    def keep(self, number: int, items: Sequence[int]) -> list[int]:
        """Hand a consumer's lightest items to open ones, and let it keep of the others what fits; return what is left."""
        heavy = self._heaviest_first(items)
        while heavy and self._into_open(heavy[-1]):
            heavy.pop()
        for at, item in enumerate(heavy):
            if number in self.loads and self.loads[number] + self.weights[item] > self.capacity:
                return heavy[at:]
            self._put(item, number)
        return []

    def _heaviest_first(self, items: Iterable[int]) -> list[int]:
        return sorted(items, key=lambda i: (-self.weights[i], i))

    def _put(self, item: int, number: int) -> None:
        self.bins.setdefault(number, []).append(item)
        self.loads[number] = self.loads.get(number, 0) + self.weights[item]

    def _into_open(self, item: int) -> bool:
        fitting = [(n, load) for n, load in self.loads.items() if load + self.weights[item] <= self.capacity]
        if fitting:
            self._put(item, self.fit(fitting))
        return bool(fitting)


def _unused(loads: Mapping[int, int], before: Sequence[int]) -> int:
    taken = {*loads, *before}
    return next(number for number in range(len(taken) + 1) if number not in taken)


def r_score(weights: Sequence[int], before: Sequence[int], bins: Bins) -> int:
    """Return what the items weigh that had a consumer and now have another one; the R-score is this over the capacity."""
    return sum(
        weights[item] for number, items in bins.items() for item in items if before[item] not in (-1, number)
    )
