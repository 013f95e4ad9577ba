"""Whose claims the sticky assignors of Kafka 2.3 to 2.8 hear where subscriptions differ.

StickyAssignor's claims and CooperativeStickyAssignor's generations come as user data, which can be read but once.
"""

from collections.abc import Iterable
from itertools import chain
from typing import TypeAlias

from kassay.model import TopicPartition
from kassay.reference.consumer.sticky.numbered_group import StickyGroup
from kassay.reference.consumer.sticky.owned_partitions import NO_GENERATION

Heard: TypeAlias = Iterable[tuple[int, int | None]]
"""The members whose claims are heard, in the group's order, with their generation where that is known."""


def all_with_generations(group: StickyGroup, _: int) -> Heard:
    """Hear all members."""
    return ((m, _generation(group, m)) for m in group.arrival)


def all_without_generations(group: StickyGroup, _: int) -> Heard:
    """Hear all members, which tell no generation."""
    return ((m, None) for m in group.arrival)


def rest_with_generations(group: StickyGroup, alike: int) -> Heard:
    """Hear the members from the first that subscribes otherwise; what the others say was read, and is not read again."""
    return ((m, _generation(group, m)) for m in group.arrival[alike:])


def generations_of_rest(group: StickyGroup, alike: int) -> Heard:
    """Hear all members, and the generations of those from the first that subscribes otherwise."""
    return chain(((m, NO_GENERATION) for m in group.arrival[:alike]), rest_with_generations(group, alike))


def claimants(group: StickyGroup, hear: Heard) -> dict[TopicPartition, dict[int, int]]:
    """Return who claims each partition by generation: the first that tells a generation, the last that tells none."""
    found: dict[TopicPartition, dict[int, int]] = {}
    for m, generation in hear:
        for name in group.members[m].owned:
            by_generation = found.setdefault(name, {})
            if generation is None:
                by_generation[NO_GENERATION] = m
            else:
                by_generation.setdefault(generation, m)
    return found


def _generation(group: StickyGroup, member: int) -> int:
    generation = group.members[member].generation
    return NO_GENERATION if generation is None else generation
