"""Spaces: all groups of a few members, partitions, topics and racks, problem by problem."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations, combinations_with_replacement, permutations, product
from typing import TypeAlias

from kassay.model import Group, Member, Topic, TopicPartition

Numbers: TypeAlias = tuple[int, ...]
Reader: TypeAlias = tuple[Numbers, int]
"""A member: the topics it reads, and its rack, -1 where racks do not vary."""
Content: TypeAlias = tuple[Numbers, int]
"""A partition: the racks of its replicas, and its owner or -1."""
Contents: TypeAlias = tuple[Content, ...]


@dataclass(frozen=True, slots=True)
class Space:
    """What varies: up to so many members, partitions in all, topics and racks; subscriptions and claims if wished.

    Every topic has partitions and subscribers, every member a subscription; with racks every member is in one
    and every partition has replicas in one or more; with claims each partition has one owner or none, among
    all members. What is not named does not vary: then all read all, no rack is known, nobody owns anything.
    Members are m0, m1, ..., topics t0, t1, ... and racks r0, r1, ..., listed in this order.
    """

    members: int
    partitions: int
    topics: int = 1
    racks: int = 0
    mixed: bool = False
    claims: bool = False

    def __str__(self) -> str:
        parts = [f"{count(self.members, 'member')} x {count(self.partitions, 'partition')}"]
        parts += [count(self.racks, "rack")] * bool(self.racks) + [count(self.topics, "topic")]
        return ", ".join(parts + ["mixed subscriptions"] * self.mixed + ["claims"] * self.claims)


@dataclass(frozen=True, slots=True, order=True)
class Shape:
    """A group as numbers: its members in order, and each topic's partitions, in order or, in a problem, sorted."""

    members: tuple[Reader, ...]
    topics: tuple[Contents, ...]


@dataclass(frozen=True, slots=True)
class Renaming:
    """New numbers of members, topics and racks: ``members[m]`` is that of member m."""

    members: Numbers
    topics: Numbers
    racks: Numbers

    def of_members(self, members: tuple[Reader, ...]) -> tuple[Reader, ...]:
        """Return the members renamed, in their new order."""
        renamed = [
            (tuple(sorted(self.topics[t] for t in read)), self.racks[rack] if rack >= 0 else -1)
            for read, rack in members
        ]
        return tuple(renamed[old] for old in _inverse(self.members))

    def of_topics(self, topics: tuple[Contents, ...]) -> tuple[Contents, ...]:
        """Return the topics renamed, in their new order, with their partitions sorted."""
        renamed = [
            tuple(
                sorted(
                    (tuple(sorted(self.racks[r] for r in near)), self.members[owner] if owner >= 0 else -1)
                    for near, owner in contents
                )
            )
            for contents in topics
        ]
        return tuple(renamed[old] for old in _inverse(self.topics))


def enumerate_problems(space: Space, members: int, partitions: int) -> Iterator[Shape]:
    """Yield every problem of exactly so many members and partitions once.

    Groups are one problem where renaming members, topics and racks and renumbering partitions makes them
    equal. The problem yielded is the least of its renamings.
    """
    for topics in range(1, min(space.topics, partitions) + 1):
        renamings = _renamings(members, topics, space.racks)
        for readers in _readers(space, members, topics):
            same = []
            for renaming in renamings:
                renamed = renaming.of_members(readers)
                if renamed < readers:
                    break
                if renamed == readers:
                    same.append(renaming)
            else:
                for contents in _contents(space, members, partitions, topics):
                    if all(renaming.of_topics(contents) >= contents for renaming in same):
                        yield Shape(readers, contents)


def enumerate_groups(space: Space, problem: Shape) -> Iterator[Group]:
    """Yield every group that is this problem: under every renaming, with the partitions in every order."""
    renamings = _renamings(len(problem.members), len(problem.topics), space.racks)
    renamed = {Shape(each.of_members(problem.members), each.of_topics(problem.topics)) for each in renamings}
    for shape in sorted(renamed):
        for arranged in product(*map(_orders, shape.topics)):
            yield group(Shape(shape.members, arranged))


def group(shape: Shape) -> Group:
    """Return the group of a shape."""
    racks = any(rack >= 0 for _, rack in shape.members)
    topics = tuple(
        Topic(f"t{t}", len(contents), tuple(tuple(f"r{r}" for r in near) for near, _ in contents) if racks else None)
        for t, contents in enumerate(shape.topics)
    )  # fmt: skip
    owned: list[list[TopicPartition]] = [[] for _ in shape.members]
    for topic, contents in zip(topics, shape.topics, strict=True):
        for partition, (_, owner) in zip(topic, contents, strict=True):
            if owner >= 0:
                owned[owner].append(partition)
    generation = 1 if any(owned) else None
    members = tuple(
        Member(f"m{m}", tuple(f"t{t}" for t in read), tuple(owned[m]), generation, None, f"r{rack}" if racks else None)
        for m, (read, rack) in enumerate(shape.members)
    )  # fmt: skip
    return Group(topics, members)


def count(number: int, noun: str) -> str:
    """Write a number of things."""
    return f"{number} {noun}" + ("s" if number != 1 else "")


def _readers(space: Space, members: int, topics: int) -> Iterator[tuple[Reader, ...]]:
    everything = tuple(range(topics))
    some = [chosen for size in range(1, topics + 1) for chosen in combinations(everything, size)]
    read = some if space.mixed else [everything]
    home = range(space.racks) if space.racks else (-1,)
    for readers in product(product(read, home), repeat=members):
        if {topic for chosen, _ in readers for topic in chosen} == set(everything):
            yield readers


def _contents(space: Space, members: int, partitions: int, topics: int) -> Iterator[tuple[Contents, ...]]:
    """Yield what the topics may hold, whose sizes add up to the partitions; the order in a topic does not count."""
    racks = range(space.racks)
    near = [chosen for size in range(1, space.racks + 1) for chosen in combinations(racks, size)] or [()]
    kinds = sorted(product(near, range(-1, members if space.claims else 0)))
    for cuts in combinations(range(1, partitions), topics - 1):
        sizes = (b - a for a, b in zip((0, *cuts), (*cuts, partitions), strict=True))
        yield from product(*(combinations_with_replacement(kinds, size) for size in sizes))


@cache
def _renamings(members: int, topics: int, racks: int) -> tuple[Renaming, ...]:
    every = product(*(permutations(range(number)) for number in (members, topics, racks)))
    return tuple(Renaming(*numbers) for numbers in every)


@cache
def _orders(contents: Contents) -> list[Contents]:
    return sorted(set(permutations(contents)))


def _inverse(numbers: Numbers) -> Numbers:
    return tuple(sorted(range(len(numbers)), key=numbers.__getitem__))
