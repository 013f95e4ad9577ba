"""Spaces of groups: all groups of a few members, items, parts and racks, problem by problem, as numbers that stand for names.

Items are partitions in topics or tasks in subtopologies; members read parts, have a rack, and own items. A group is scored by the
answer's value in the level judged, against the optimum. A bad group is doubled again and again, to see whether the ratio of the two
stays bounded.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations, combinations_with_replacement, pairwise, permutations, product
from typing import Generic, TypeAlias, TypeVar

from kassay.model import AssignorError

G = TypeVar("G")
A = TypeVar("A")
V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class Scored(Generic[G]):
    """A group with its size (members, items and parts), what the answer is worth in the level judged, and the optimum there."""

    group: G
    size: tuple[int, int, int]
    value: int
    optimum: int

    @property
    def gap(self) -> int:
        """What the answer has more than the optimum; below 0 only if an earlier level is worse."""
        return self.value - self.optimum


@dataclass(frozen=True, slots=True)
class Judge(Generic[G]):
    """What is judged: the value reached on a group, None if there is nothing to compare; the optimum; a group's size.

    The optimum is proved, or UnsolvedError is raised.
    """

    value: Callable[[G], int | None]
    optimum: Callable[[G], int]
    size: Callable[[G], tuple[int, int, int]]

    def score(self, group: G) -> Scored[G] | None:
        """Return how a group fares, None if there is nothing to compare."""
        value = self.value(group)
        return None if value is None else Scored(group, self.size(group), value, self.optimum(group))


def answered(assign: Callable[[G], A], measured: Callable[[G, A], V | None]) -> Callable[[G], V | None]:
    """Return what measures an assignor's answers; None if it gives up, or its answer is not comparable."""

    def value(group: G) -> V | None:
        try:
            given = assign(group)
        except AssignorError:
            return None
        return measured(group, given)

    return value


@dataclass(frozen=True, slots=True)
class Growth(Generic[G]):
    """How a group fares as it doubles in one way: its cases, in size order."""

    way: str
    cases: tuple[Scored[G], ...]

    @property
    def bounded(self) -> bool | None:
        """Whether the ratio of value and optimum stopped growing; None if fewer than three sizes were judged.

        An optimum of 0 counts as 1: a value that grows beside it is an unbounded ratio. What is seen up to
        the sizes tried, not a proof.
        """
        if len(self.cases) < 3:
            return None
        ratios = [case.value / max(1, case.optimum) for case in self.cases]
        return not all(later > earlier for earlier, later in pairwise(ratios[-3:]))

    @property
    def sentence(self) -> str:
        """What was seen, in words."""
        if self.bounded is None:
            return f"doubling {self.way}, sizes that could be judged: {len(self.cases)}, too few to tell"
        steps = ", ".join(f"{each.value}:{each.optimum}" for each in self.cases)
        verdict = "gets no worse" if self.bounded else "gets worse and worse"
        return f"doubling {self.way}, it {verdict} (found:best): {steps}"


def scaling(
    judge: Judge[G], ways: Mapping[str, Callable[[G, int], G]], group: G, most: tuple[int, int]
) -> Iterator[Growth[G]]:
    """Yield how a group grows in each way, up to so many members and items."""
    for way, times in ways.items():
        cases = []
        factor = 1
        while True:
            larger = times(group, factor)
            if any(size > limit for size, limit in zip(judge.size(larger)[:2], most, strict=True)):
                break
            case = judge.score(larger)
            if case is None:
                break
            cases.append(case)
            factor *= 2
        yield Growth(way, tuple(cases))


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
    all members. What is not named does not vary: then all read all, no rack is known, no member owns anything.
    """

    kind: Kind[G] = field(repr=False)
    members: int
    items: int
    parts: int = 1
    racks: int = 0
    mixed: bool = False
    claims: bool = False
    given: str = ""
    """What all of its groups have in common besides, in words."""

    def __str__(self) -> str:
        members, items, parts = map(count, (self.members, self.items, self.parts), self.kind.nouns)
        named = [f"{members} x {items}", *[count(self.racks, "rack")] * bool(self.racks), parts]
        more = ["mixed subscriptions"] * self.mixed + ["claims"] * self.claims
        return ", ".join([*named, *more, *filter(None, [self.given])])

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
        return tuple(renamed[old] for old in _invert(self.members))

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
        return tuple(renamed[old] for old in _invert(self.parts))


def enumerate_problems(space: Space[G], members: int, items: int) -> Iterator[Shape]:
    """Yield every problem of exactly so many members and items once.

    Groups are one problem where renaming members, parts and racks and renumbering items makes them
    equal. The problem yielded is the least of its renamings.
    """
    for parts in range(1, min(space.parts, items) + 1):
        renamings = _list_renamings(members, parts, space.racks)
        for readers in _yield_readers(space, members, parts):
            same = []
            for renaming in renamings:
                renamed = renaming.of_members(readers)
                if renamed < readers:
                    break
                if renamed == readers:
                    same.append(renaming)
            else:
                for contents in _yield_contents(space, members, items, parts):
                    if all(renaming.of_parts(contents) >= contents for renaming in same):
                        yield Shape(readers, contents)


def enumerate_groups(space: Space[G], problem: Shape) -> Iterator[G]:
    """Yield every group that is this problem: under every renaming, with the items in every order."""
    renamings = _list_renamings(len(problem.members), len(problem.parts), space.racks)
    renamed = {Shape(each.of_members(problem.members), each.of_parts(problem.parts)) for each in renamings}
    for shape in sorted(renamed):
        for arranged in product(*map(_list_orders, shape.parts)):
            yield space.kind.group(Shape(shape.members, arranged))


def count(number: int, noun: str) -> str:
    """Write a number of things."""
    several = f"{noun.removesuffix('y')}ies" if noun.endswith("y") else f"{noun}s"
    return f"{number} {noun if number == 1 else several}"


def _yield_readers(space: Space[G], members: int, parts: int) -> Iterator[tuple[Reader, ...]]:
    everything = tuple(range(parts))
    some = [chosen for size in range(1, parts + 1) for chosen in combinations(everything, size)]
    read = some if space.mixed else [everything]
    home = range(space.racks) if space.racks else (-1,)
    for readers in product(product(read, home), repeat=members):
        if {part for chosen, _ in readers for part in chosen} == set(everything):
            yield readers


def _yield_contents(space: Space[G], members: int, items: int, parts: int) -> Iterator[tuple[Contents, ...]]:
    """Yield what the parts may hold, whose sizes add up to the items; the order in a part does not count."""
    racks = range(space.racks)
    some = [chosen for size in range(1, space.racks + 1) for chosen in combinations(racks, size)] or [()]
    near = product(some, repeat=space.kind.read)
    owners = product(range(-1, members if space.claims else 0), repeat=space.kind.roles)
    # No member owns an item in two roles.
    apart = [each for each in owners if max(map(each.count, set(each) - {-1}), default=1) == 1]
    kinds = sorted(product(near, apart))
    for cuts in combinations(range(1, items), parts - 1):
        sizes = (b - a for a, b in zip((0, *cuts), (*cuts, items), strict=True))
        yield from product(*(combinations_with_replacement(kinds, size) for size in sizes))


@cache
def _list_renamings(members: int, parts: int, racks: int) -> tuple[Renaming, ...]:
    every = product(*(permutations(range(number)) for number in (members, parts, racks)))
    return tuple(Renaming(*numbers) for numbers in every)


@cache
def _list_orders(contents: Contents) -> list[Contents]:
    return sorted(set(permutations(contents)))


def _invert(numbers: Numbers) -> Numbers:
    return tuple(sorted(range(len(numbers)), key=numbers.__getitem__))
