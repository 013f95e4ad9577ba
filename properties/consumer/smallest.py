"""The smallest groups of all, in ascending order: where a minimum is among them, every start ends there."""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain, combinations, product
from typing import TypeVar

from kassay.model import Group, Member, Topic, TopicPartition
from kassay.properties.consumer.size import weight

T = TypeVar("T")
Carried = tuple[tuple[str, ...], tuple[TopicPartition, ...]]
"""A subscription and claims."""


@cache
def smallest() -> tuple[tuple[tuple[int, ...], Group], ...]:
    """Return the smallest groups with their weights, in ascending order: up to three members and two topics.

    Without racks and instance ids. Of one topic, up to two members carry any claims of few generations; more members
    or topics, only claims to existing partitions of their subscription.
    """
    groups = dict.fromkeys(chain(_new(), _odd(), _running()))
    return tuple(sorted(((weight(group), group) for group in groups), key=lambda pair: pair[0]))


def _new() -> Iterator[Group]:
    """Yield groups without claims."""
    for members, topics, least, most in (
        (1, 1, 0, 3),
        (2, 1, 0, 4),
        (3, 1, 0, 5),
        (2, 2, 0, 3),
        (3, 2, 1, 3),
    ):
        for counts in product(range(least, most + 1), repeat=topics):
            existing = _topics(counts)
            subscriptions = list(_subsets([topic.name for topic in existing]))
            for chosen in product(subscriptions, repeat=members):
                yield _group(existing, [(names, ()) for names in chosen], [None] * members)


def _odd() -> Iterator[Group]:
    """Yield groups of one topic, which may not exist, with claims of all kinds."""
    for members, most in ((1, 2), (2, 1)):
        for count in range(-1, most + 1):
            claims = list(_subsets([TopicPartition("t0", number) for number in range(max(count, 0) + 1)]))
            carried = list(product(((), ("t0",)), claims))
            for chosen in product(carried, repeat=members):
                for generations in product((None, 0, 1), repeat=members):
                    yield _group(() if count < 0 else _topics((count,)), chosen, generations)


def _running() -> Iterator[Group]:
    """Yield groups with claims to existing partitions of the members' subscriptions."""
    for members, counts in ((2, (2,)), (3, (1,)), (3, (2,)), (2, (1, 1))):
        topics = _topics(counts)
        carried = [
            (names, claims)
            for names in _subsets([topic.name for topic in topics])
            for claims in _subsets([p for topic in topics if topic.name in names for p in topic])
        ]
        for chosen in product(carried, repeat=members):
            if counts == (2,) and members == 2:
                for generations in product((None, 0, 1), repeat=members):
                    yield _group(topics, chosen, generations)
            else:
                yield _group(topics, chosen, [None] * members)
                yield _group(topics, chosen, [0 if claims else None for _, claims in chosen])


def _topics(counts: Sequence[int]) -> tuple[Topic, ...]:
    return tuple(Topic(f"t{at}", count) for at, count in enumerate(counts))


def _group(topics: tuple[Topic, ...], carried: Sequence[Carried], generations: Sequence[int | None]) -> Group:
    members = zip(carried, generations, strict=True)
    return Group(
        topics,
        tuple(
            Member(f"m{at}", names, claims, generation)
            for at, ((names, claims), generation) in enumerate(members)
        ),
    )


def _subsets(items: Sequence[T]) -> Iterator[tuple[T, ...]]:
    return chain.from_iterable(combinations(items, number) for number in range(len(items) + 1))
