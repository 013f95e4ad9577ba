"""Assignors by weight from the literature, for comparison with the optimum.

- longest_first: the heaviest partition first (Graham 1969)
- multifit: first fit decreasing under a bisected limit (Coffman, Garey and Johnson 1978)
- fewest_first and fewest_of_topic_first: counts first, as lag assignors (KAFKA-5337)

Each is a function of a group, so ``python:kassay.families.optimal.consumer.by_weight:longest_first`` is a target.
"""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from kassay.model import Assignment, Group, TopicPartition

Key: TypeAlias = Callable[[int, int, str], tuple[object, ...]]
"""Returns the sort key of a member from the weight and the number of its partitions, and its id."""


def map_weights(group: Group) -> dict[TopicPartition, int]:
    """Return partition -> weight, 0 if it is unknown."""
    return {
        partition: (topic.weights[partition.partition] if topic.weights else 0) or 0
        for topic in group.topics
        for partition in topic
    }


def longest_first(group: Group) -> Assignment:
    """Give the heaviest partition first, each to its subscriber with the least weight."""
    return _assign_heaviest(group, map_weights(group), lambda weight, count, name: (weight, count, name))


def fewest_first(group: Group) -> Assignment:
    """Give the heaviest partition first, each to its subscriber with the fewest partitions, then with the least weight."""
    return _assign_heaviest(group, map_weights(group), lambda weight, count, name: (count, weight, name))


def fewest_of_topic_first(group: Group) -> Assignment:
    """Assign each topic by itself with :func:`fewest_first`, as lag assignors do."""
    given: dict[str, list[TopicPartition]] = {member.id: [] for member in group.members}
    for topic in group.topics:
        alone = Group((topic,), group.members)
        for name, some in fewest_first(alone).items():
            given[name] += some
    return given


def _assign_heaviest(group: Group, weights: Mapping[TopicPartition, int], key: Key) -> Assignment:
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
    weights = map_weights(group)
    best = longest_first(group)
    low, high = 0, max((sum(weights[p] for p in some) for some in best.values()), default=0)
    while low < high:
        limit = (low + high) // 2
        found = _try_limit(group, weights, limit)
        if found is None:
            low = limit + 1
        else:
            best, high = found, limit
    return best


def _try_limit(group: Group, weights: Mapping[TopicPartition, int], limit: int) -> Assignment | None:
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
