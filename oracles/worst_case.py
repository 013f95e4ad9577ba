"""The search for an assignor's worst cases: all tiny groups, then random changes of groups, and the growth of the worst group.

A space contains all groups of a few members, items, parts and racks, problem by problem, as numbers that stand for
names. Items are partitions in topics or tasks in subtopologies; members read parts, have a rack, and own items. If a
space is searched completely, the result is proved for every group of it. A local search keeps random changes that do
not shrink the gap. A bad group is doubled repeatedly, to see if the ratio of value and optimum stays bounded.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import combinations, combinations_with_replacement, pairwise, permutations, product
from random import Random
from typing import Generic, TypeAlias, TypeVar

from kassay.model import AssignorError
from kassay.properties.minimise import minimise

G = TypeVar("G")
A = TypeVar("A")
V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class Scored(Generic[G]):
    """A group with its size (members, items and parts), the assignment's value in the level under test, and the optimum there."""

    group: G
    size: tuple[int, int, int]
    value: int
    optimum: int

    @property
    def gap(self) -> int:
        """The value minus the optimum; below 0 only if an earlier level is worse."""
        return self.value - self.optimum


@dataclass(frozen=True, slots=True)
class Judge(Generic[G]):
    """The functions of a test: the value on a group, None if it cannot be compared; the optimum; a group's size.

    The optimum is proved, or UnsolvedError is raised.
    """

    value: Callable[[G], int | None]
    optimum: Callable[[G], int]
    size: Callable[[G], tuple[int, int, int]]

    def score(self, group: G) -> Scored[G] | None:
        """Return the score of a group, None if it cannot be compared."""
        value = self.value(group)
        return None if value is None else Scored(group, self.size(group), value, self.optimum(group))


def measure_answers(
    assign: Callable[[G], A], measured: Callable[[G, A], V | None]
) -> Callable[[G], V | None]:
    """Return a function that measures an assignor's assignment; None if the assignor fails, or the assignment is not comparable."""

    def value(group: G) -> V | None:
        try:
            given = assign(group)
        except AssignorError:
            return None
        return measured(group, given)

    return value


@dataclass(frozen=True, slots=True)
class Growth(Generic[G]):
    """The scores of a group that doubles in one way, in order of size."""

    way: str
    cases: tuple[Scored[G], ...]

    @property
    def bounded(self) -> bool | None:
        """False if the ratio still grows at the last sizes; None if there are fewer than three. No proof; an optimum of 0 counts as 1."""
        if len(self.cases) < 3:
            return None
        ratios = [case.value / max(1, case.optimum) for case in self.cases]
        return not all(later > earlier for earlier, later in pairwise(ratios[-3:]))

    @property
    def sentence(self) -> str:
        """The observation as a sentence."""
        if self.bounded is None:
            return f"doubling {self.way}, sizes that could be judged: {len(self.cases)}, too few to tell"
        steps = ", ".join(f"{each.value}:{each.optimum}" for each in self.cases)
        verdict = "gets no worse" if self.bounded else "gets worse and worse"
        return f"doubling {self.way}, it {verdict} (found:best): {steps}"


def grow_group(
    judge: Judge[G], ways: Mapping[str, Callable[[G, int], G]], group: G, most: tuple[int, int]
) -> Iterator[Growth[G]]:
    """Yield the growth of a group in each way, up to these numbers of members and items."""
    for way, times in ways.items():
        cases: list[Scored[G]] = []
        while True:
            larger = times(group, 2 ** len(cases))
            members, items, _ = judge.size(larger)
            case = None if members > most[0] or items > most[1] else judge.score(larger)
            if case is None:
                break
            cases.append(case)
        yield Growth(way, tuple(cases))


Numbers: TypeAlias = tuple[int, ...]
Reader: TypeAlias = tuple[Numbers, int]
"""A member: the parts it reads, and its rack, -1 if racks do not vary."""
Content: TypeAlias = tuple[tuple[Numbers, ...], Numbers]
"""An item: the racks of the replicas of each partition that it reads, and its owner in each role, or -1."""
Contents: TypeAlias = tuple[Content, ...]


@dataclass(frozen=True, slots=True, order=True)
class Shape:
    """A group as numbers: its members in order, and each part's items, in order, or sorted in a problem."""

    members: tuple[Reader, ...]
    parts: tuple[Contents, ...]


@dataclass(frozen=True, slots=True)
class Kind(Generic[G]):
    """The nouns for members, items and parts, and the function that builds a group from its numbers.

    An item reads `read` partitions, and has an owner in each of `roles` roles; these owners are different members.
    """

    nouns: tuple[str, str, str]
    read: int
    roles: int
    group: Callable[[Shape], G]

    def describe_size(self, size: tuple[int, int, int]) -> str:
        """Return a size as text, such as "2 members, 1 partition and 1 topic"."""
        members, items, parts = map(count, size, self.nouns)
        return f"{members}, {items} and {parts}"


@dataclass(frozen=True, slots=True)
class Space(Generic[G]):
    """The groups up to these numbers of members, items in all, parts and racks, with mixed subscriptions and claims if set.

    Every part has items and readers, and every member reads a part. With racks, every member is in one, and every
    partition has replicas in one or more. With claims, each item has one owner or none in each role, among all
    members. Otherwise all members read all parts, racks are unknown, and no member owns anything.
    """

    kind: Kind[G] = field(repr=False)
    members: int
    items: int
    parts: int = 1
    racks: int = 0
    mixed: bool = False
    claims: bool = False
    given: str = ""
    """A property that all of its groups share, as text."""

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
    """New numbers of members, parts and racks: member m becomes ``members[m]``."""

    members: Numbers
    parts: Numbers
    racks: Numbers

    def rename_members(self, members: tuple[Reader, ...]) -> tuple[Reader, ...]:
        """Return the renamed members in their new order."""
        renamed = [
            (tuple(sorted(self.parts[t] for t in read)), self.racks[rack] if rack >= 0 else -1)
            for read, rack in members
        ]
        return tuple(renamed[old] for old in sorted(range(len(renamed)), key=self.members.__getitem__))

    def rename_parts(self, parts: tuple[Contents, ...]) -> tuple[Contents, ...]:
        """Return the renamed parts in their new order, with their items sorted."""
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
        return tuple(renamed[old] for old in sorted(range(len(renamed)), key=self.parts.__getitem__))


def enumerate_problems(space: Space[G], members: int, items: int) -> Iterator[Shape]:
    """Yield every problem with exactly these numbers of members and items once.

    Groups are one problem if renaming members, parts and racks and renumbering items makes them
    equal. The problem yielded is the least of its renamings.
    """
    home = range(space.racks) if space.racks else (-1,)
    for parts in range(1, min(space.parts, items) + 1):
        renamings = _list_renamings(members, parts, space.racks)
        everything = tuple(range(parts))
        some = [chosen for size in range(1, parts + 1) for chosen in combinations(everything, size)]
        read = some if space.mixed else [everything]
        for readers in product(product(read, home), repeat=members):
            if {part for chosen, _ in readers for part in chosen} != set(everything):
                continue
            same = []
            for renaming in renamings:
                renamed = renaming.rename_members(readers)
                if renamed < readers:
                    break
                if renamed == readers:
                    same.append(renaming)
            else:
                for contents in _list_contents(space, members, items, parts):
                    if all(renaming.rename_parts(contents) >= contents for renaming in same):
                        yield Shape(readers, contents)


def enumerate_groups(space: Space[G], problem: Shape) -> Iterator[G]:
    """Yield every group of this problem: with every renaming, and with the items in every order."""
    renamings = _list_renamings(len(problem.members), len(problem.parts), space.racks)
    renamed = {
        Shape(each.rename_members(problem.members), each.rename_parts(problem.parts)) for each in renamings
    }
    for shape in sorted(renamed):
        for arranged in product(*map(_list_orders, shape.parts)):
            yield space.kind.group(Shape(shape.members, arranged))


def count(number: int, noun: str) -> str:
    """Return a number with its noun, in the plural if needed."""
    several = f"{noun.removesuffix('y')}ies" if noun.endswith("y") else f"{noun}s"
    return f"{number} {noun if number == 1 else several}"


def _list_contents(space: Space[G], members: int, items: int, parts: int) -> Iterator[tuple[Contents, ...]]:
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


RESTARTS = 8
"""The number of starts of a local search; from the second on it may start at the worst group so far."""
MINIMISING = 2_000
"""The limit of groups that are tried to shrink one group."""
Hunt: TypeAlias = Callable[[Callable[[G], int | None], int, int], None]
"""A search for groups with large scores: takes a function that scores a group, a seed and a number of tries."""


class Search(Generic[G]):
    """The worst case so far among groups up to these numbers of members and items; of equal cases the smallest."""

    def __init__(self, judge: Judge[G], most: tuple[int, int]) -> None:
        self.judge, self.most = judge, most
        self.case: Scored[G] | None = None

    def score_group(self, group: G) -> Scored[G] | None:
        """Score a group and remember it if it is worse; None if it is too large or cannot be compared."""
        members, items, parts = self.judge.size(group)
        if not parts or members > self.most[0] or items > self.most[1]:
            return None
        case, known = self.judge.score(group), self.case
        if case and case.gap > 0 and (not known or (-case.gap, *case.size) < (-known.gap, *known.size)):
            self.case = case
        return case

    def shrink(self, smaller: Callable[[G], Iterator[G]]) -> Scored[G] | None:
        """Return the smallest case with at least the same gap that shrinking the worst case reaches."""
        if self.case is None:
            return None
        gap = self.case.gap

        def as_bad(group: G) -> bool:
            value = self.judge.value(group)  # much faster than the optimum, which is 0 or more
            return value is not None and value >= gap and value - self.judge.optimum(group) >= gap

        smallest = minimise(self.case.group, as_bad, smaller, tries=MINIMISING).group
        return self.judge.score(smallest) or self.case


def search_locally(
    worst: Search[G], mutate: Callable[[Random, G], G], seedling: Callable[[], G], *, seed: int, tries: int
) -> None:
    """Change groups at random, starting with the worst case known; deterministic for a seed."""
    r = Random(seed)
    for restart in range(RESTARTS):
        known = worst.case.group if worst.case and (restart or r.random() < 0.5) else seedling()
        here = worst.score_group(known)
        for _ in range(tries // RESTARTS):
            there = worst.score_group(mutate(r, here.group if here else seedling()))
            if there and (here is None or there.gap >= here.gap or r.random() < 0.02):
                here = there


@dataclass(frozen=True, slots=True)
class Exhausted(Generic[G]):
    """The result of a complete search: the worst case for each number of members and items that was completed.

    None stands for a size without a gap. `tried` counts the groups, `problems` the groups that differ in more than
    names, and `skipped` the groups that could not be compared.
    """

    space: Space[G]
    worst: dict[tuple[int, int], Scored[G] | None]
    tried: int
    problems: int
    skipped: int

    @property
    def done(self) -> Space[G] | None:
        """The part of the space that was searched completely, with the most sizes; None if there is no such part."""
        worst = self.worst
        blocks = [
            size for size in worst if all(s in worst for s in product(*(range(1, n + 1) for n in size)))
        ]
        if not blocks:
            return None
        members, items = max(blocks, key=lambda block: (block[0] * block[1], block))
        return replace(self.space, members=members, items=items, parts=min(self.space.parts, items))

    @property
    def within(self) -> list[Scored[G]]:
        """The worst case of each size of that part that has a gap."""
        found = self.worst.items() if (done := self.done) else ()
        return [case for (m, p), case in found if case and done and m <= done.members and p <= done.items]

    @property
    def first(self) -> Scored[G] | None:
        """The smallest of these cases, or None."""
        return min(self.within, key=lambda case: sum(case.size[:2]), default=None)

    @property
    def sentence(self) -> str:
        """The proved result as a sentence."""
        arranged = "problems under every arrangement of names and numbers"
        tried = f"{self.tried:,} groups: {self.problems:,} {arranged}"
        if self.skipped:
            tried += f"; {self.skipped:,} groups without a right answer at rest, or a proved optimum, are not compared"  # plain: skip
        done, within, first = self.done, self.within, self.first
        if done is None:
            return f"nothing was tried out wholly ({tried})"
        if self.skipped == self.tried:
            return f"nothing could be compared up to {done} ({tried})"
        if first is None:
            return f"no worse up to {done}: never above the optimum ({tried})"
        worst = max(within, key=lambda case: case.gap)
        return (
            f"no worse up to {done}: the largest gap is {worst.gap} ({worst.value} for {worst.optimum}), "
            f"and the smallest group with one has {self.space.kind.describe_size(first.size)} ({tried})"
        )


def exhaust_space(judge: Judge[G], space: Space[G], tries: int = 100_000) -> Exhausted[G]:
    """Score every group of a space, the smallest sizes first, and stop after `tries` groups.

    The optimum is the same for all groups of one problem. So it is computed once for them, and only if the value
    would be worse than all before with an optimum of 0.
    """
    worst: dict[tuple[int, int], Scored[G] | None] = {}
    tried = skipped = number = 0
    for members, items in space.sizes:
        found: Scored[G] | None = None
        for problem in enumerate_problems(space, members, items):
            number += 1
            optimum: int | None = None
            for one in enumerate_groups(space, problem):
                if tried == tries:
                    return Exhausted(space, worst, tried, number, skipped)
                tried += 1
                value = judge.value(one)
                if value is None:
                    skipped += 1
                elif value > (found.gap if found else 0):
                    optimum = judge.optimum(space.kind.group(problem)) if optimum is None else optimum
                    if value - optimum > (found.gap if found else 0):
                        found = Scored(one, judge.size(one), value, optimum)
        worst[members, items] = found
    return Exhausted(space, worst, tried, number, skipped)


TINY = 80
"""The factor by which more tiny groups are tried than groups in other stages, because they take little time."""


@dataclass(frozen=True, slots=True)
class Ground(Generic[G]):
    """The search space for one question: a space to exhaust, then groups with structure.

    A local search starts from seedlings; `mutate` changes groups, `smaller` shortens them, and `ways` double them.
    `searched` and `grown` are the limits of members and items in a local search and in growth.
    """

    space: Space[G]
    structured: Sequence[G]
    seedling: Callable[[], G]
    mutate: Callable[[Random, G], G]
    smaller: Callable[[G], Iterator[G]]
    ways: Mapping[str, Callable[[G, int], G]]
    searched: tuple[int, int]
    grown: tuple[int, int]


@dataclass(frozen=True, slots=True)
class WorstCase(Generic[G]):
    """The result: the complete search of tiny groups, the worst case of all stages, and its growth."""

    exhausted: Exhausted[G]
    worst: Scored[G] | None
    growths: tuple[Growth[G], ...]

    @property
    def sentences(self) -> Iterator[str]:
        """The result in sentences."""
        yield self.exhausted.sentence
        if self.worst is None:
            yield "no group with a gap was found"
            return
        case = self.worst
        size = self.exhausted.space.kind.describe_size(case.size)
        yield f"worst found, gap {case.gap}: {case.value} for {case.optimum}, with {size}"
        yield from (growth.sentence for growth in self.growths)


def find_worst(
    judge: Judge[G], ground: Ground[G], *, seed: int = 0, tries: int = 4_000, hunt: Hunt[G] | None = None
) -> WorstCase[G]:
    """Return the smallest group with the greatest gap to the optimum that the search finds.

    First come all tiny groups, up to TINY * `tries`; then groups with structure, `hunt`, and a local search from the
    worst group so far, with up to `tries` groups each. Deterministic for a seed if `hunt` is.
    """
    exhausted = exhaust_space(judge, ground.space, TINY * tries)
    worst = Search(judge, ground.searched)
    for case in exhausted.worst.values():
        if case:
            worst.score_group(case.group)
    for group in ground.structured[:: 1 + len(ground.structured) // max(1, tries)]:
        worst.score_group(group)
    if hunt and tries:
        hunt(lambda group: None if (scored := worst.score_group(group)) is None else scored.gap, seed, tries)
    search_locally(worst, ground.mutate, ground.seedling, seed=seed, tries=tries)
    smallest = worst.shrink(ground.smaller)
    growths = tuple(grow_group(judge, ground.ways, smallest.group, ground.grown)) if smallest else ()
    return WorstCase(exhausted, smallest, growths)
