"""User data: whose claims the sticky assignors of Kafka 2.3 to 2.8 read where subscriptions differ.

StickyAssignor's claims and CooperativeStickyAssignor's generations come as user data, which can be read only once.
"""

from collections.abc import Iterable
from itertools import chain
from typing import TypeAlias

from kassay.model import TopicPartition
from kassay.reference.consumer.sticky.numbered_group import NO_GENERATION, NumberedGroup

UserData: TypeAlias = Iterable[tuple[int, int | None]]
"""The members whose claims are read, in the group's order, with their generation where that is known."""


def all_with_generations(group: NumberedGroup, _: int) -> UserData:
    """Read all members' claims and generations."""
    return ((m, group.generations[m]) for m in group.arrival)


def all_without_generations(group: NumberedGroup, _: int) -> UserData:
    """Read all members' claims, without generations."""
    return ((m, None) for m in group.arrival)


def rest_with_generations(group: NumberedGroup, alike: int) -> UserData:
    """Read those of the members from the first that subscribes otherwise; the others' were read before."""
    return ((m, group.generations[m]) for m in group.arrival[alike:])


def generations_of_rest(group: NumberedGroup, alike: int) -> UserData:
    """Read all members' claims, and the generations of those from the first that subscribes otherwise."""
    return chain(((m, NO_GENERATION) for m in group.arrival[:alike]), rest_with_generations(group, alike))


def claimants(group: NumberedGroup, user_data: UserData) -> dict[TopicPartition, dict[int, int]]:
    """Return who claims each partition by generation: the first that tells a generation, the last that tells none."""
    found: dict[TopicPartition, dict[int, int]] = {}
    for m, generation in user_data:
        for name in group.members[m].owned:
            by_generation = found.setdefault(name, {})
            if generation is None:
                by_generation[NO_GENERATION] = m
            else:
                by_generation.setdefault(generation, m)
    return found
