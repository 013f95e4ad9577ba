"""Spaces: all groups of a few members, items, parts and racks, problem by problem, as numbers that stand for names.

Items are partitions in topics or tasks in subtopologies; members read parts, have a rack, and own items.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations, combinations_with_replacement, permutations, product
from typing import Generic, TypeAlias

from kassay.oracles.worst_case.judge import G

Numbers: TypeAlias = tuple[int, ...]
Reader: TypeAlias = tuple[Numbers, int]
"""A member: the parts it reads, and its rack, -1 where racks do not vary."""
Content: TypeAlias = tuple[tuple[Numbers, ...], Numbers]
"""An item: the racks of the replicas of each partition that it reads, and its owner in each role, or -1."""
Contents: TypeAlias = tuple[Content, ...]


@dataclass(frozen=True, slots=True, order=True)
class Shape:
    """A group as numbers: its members in order, and each part's items, in order or, in a problem, sorted."""

    members: tuple[Reader, ...]
    parts: tuple[Contents, ...]


@dataclass(frozen=True, slots=True)
class Kind(Generic[G]):
    """What groups are made of: what people call members, items and parts, and what makes a group of its numbers.

    An item reads so many partitions, and has an owner in each of so many roles, no two of them one member.
    """

    nouns: tuple[str, str, str]
    read: int
    roles: int
    group: Callable[[Shape], G]

    def sized(self, size: tuple[int, int, int]) -> str:
        """Write a size, as "2 members, 1 partition and 1 topic"."""
        members, items, parts = map(count, size, self.nouns)
        return f"{members}, {items} and {parts}"


@dataclass(frozen=True, slots=True)
class Space(Generic[G]):
    """What varies: up to so many members, items in all, parts and racks; what is read and claims if wished.

    Every part has items and readers, every member reads one; with racks every member is in one and every partition
    has replicas in one or more; with claims each item has one owner or none in each role, among
    all members. What is not named does not vary: then all read all, no rack is known, nobody owns anything.
    """

    kind: Kind[G] = field(repr=False)
    members: int
    items: int
    parts: int = 1
    racks: int = 0
    mixed: bool = False
    claims: bool = False

    def __str__(self) -> str:
        members, items, parts = map(count, (self.members, self.items, self.parts), self.kind.nouns)
        named = [f"{members} x {items}", *[count(self.racks, "rack")] * bool(self.racks), parts]
        return ", ".join(named + ["mixed subscriptions"] * self.mixed + ["claims"] * self.claims)

    @property
    def sizes(self) -> list[tuple[int, int]]:
        """Numbers of members and items, the smallest first."""
        every = product(range(1, self.members + 1), range(1, self.items + 1))
        return sorted(every, key=lambda size: (sum(size), size))


@dataclass(frozen=True, slots=True)
class Renaming:
    """New numbers of members, parts and racks: ``members[m]`` is that of member m."""

    members: Numbers
    parts: Numbers
    racks: Numbers

    def of_members(self, members: tuple[Reader, ...]) -> tuple[Reader, ...]:
        """Return the members renamed, in their new order."""
        renamed = [
            (tuple(sorted(self.parts[t] for t in read)), self.racks[rack] if rack >= 0 else -1)
            for read, rack in members
        ]
        return tuple(renamed[old] for old in _inverse(self.members))

    def of_parts(self, parts: tuple[Contents, ...]) -> tuple[Contents, ...]:
        """Return the parts renamed, in their new order, with their items sorted."""
        renamed = [
            tuple(
                sorted(
                    (
                        tuple(tuple(sorted(self.racks[r] for r in racks)) for racks in near),
                        tuple(self.members[owner] if owner >= 0 else -1 for owner in owners),
                    )
                    for near, owners in contents
                )
            )
            for contents in parts
        ]
        return tuple(renamed[old] for old in _inverse(self.parts))


def enumerate_problems(space: Space[G], members: int, items: int) -> Iterator[Shape]:
    """Yield every problem of exactly so many members and items once.

    Groups are one problem where renaming members, parts and racks and renumbering items makes them
    equal. The problem yielded is the least of its renamings.
    """
    for parts in range(1, min(space.parts, items) + 1):
        renamings = _renamings(members, parts, space.racks)
        for readers in _readers(space, members, parts):
            same = []
            for renaming in renamings:
                renamed = renaming.of_members(readers)
                if renamed < readers:
                    break
                if renamed == readers:
                    same.append(renaming)
            else:
                for contents in _contents(space, members, items, parts):
                    if all(renaming.of_parts(contents) >= contents for renaming in same):
                        yield Shape(readers, contents)


def enumerate_groups(space: Space[G], problem: Shape) -> Iterator[G]:
    """Yield every group that is this problem: under every renaming, with the items in every order."""
    renamings = _renamings(len(problem.members), len(problem.parts), space.racks)
    renamed = {Shape(each.of_members(problem.members), each.of_parts(problem.parts)) for each in renamings}
    for shape in sorted(renamed):
        for arranged in product(*map(_orders, shape.parts)):
            yield space.kind.group(Shape(shape.members, arranged))


def count(number: int, noun: str) -> str:
    """Write a number of things."""
    several = f"{noun.removesuffix('y')}ies" if noun.endswith("y") else f"{noun}s"
    return f"{number} {noun if number == 1 else several}"


def _readers(space: Space[G], members: int, parts: int) -> Iterator[tuple[Reader, ...]]:
    everything = tuple(range(parts))
    some = [chosen for size in range(1, parts + 1) for chosen in combinations(everything, size)]
    read = some if space.mixed else [everything]
    home = range(space.racks) if space.racks else (-1,)
    for readers in product(product(read, home), repeat=members):
        if {part for chosen, _ in readers for part in chosen} == set(everything):
            yield readers


def _contents(space: Space[G], members: int, items: int, parts: int) -> Iterator[tuple[Contents, ...]]:
    """Yield what the parts may hold, whose sizes add up to the items; the order in a part does not count."""
    racks = range(space.racks)
    some = [chosen for size in range(1, space.racks + 1) for chosen in combinations(racks, size)] or [()]
    near = product(some, repeat=space.kind.read)
    owners = product(range(-1, members if space.claims else 0), repeat=space.kind.roles)
    kinds = sorted(product(near, [each for each in owners if _apart(each)]))
    for cuts in combinations(range(1, items), parts - 1):
        sizes = (b - a for a, b in zip((0, *cuts), (*cuts, items), strict=True))
        yield from product(*(combinations_with_replacement(kinds, size) for size in sizes))


def _apart(owners: Numbers) -> bool:
    owning = [owner for owner in owners if owner >= 0]
    return len(set(owning)) == len(owning)


@cache
def _renamings(members: int, parts: int, racks: int) -> tuple[Renaming, ...]:
    every = product(*(permutations(range(number)) for number in (members, parts, racks)))
    return tuple(Renaming(*numbers) for numbers in every)


@cache
def _orders(contents: Contents) -> list[Contents]:
    return sorted(set(permutations(contents)))


def _inverse(numbers: Numbers) -> Numbers:
    return tuple(sorted(range(len(numbers)), key=numbers.__getitem__))
