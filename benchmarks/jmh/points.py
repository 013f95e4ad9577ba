"""The points of Kafka's own benchmark of assignors, and the group that each stands for.

The grid is that of ClientSideAssignorBenchmark (Kafka's jmh-benchmarks, 3.8 to 4.4), with all four assignors, and that of
ServerSideAssignorBenchmark, which has the same numbers. Two things
are as their names say and not as they are there: racks matter, for each partition has replicas in two of three racks, the
same for equal numbers of all topics (there each is in all three, so that Kafka never looks at them); and an incremental
point assigns N members, of which the last has just joined and the others own what they settled on (there N-1 new ones).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from typing import Any

from kassay.model import Group, Member, Topic
from kassay.reference import ASSIGNORS

NAMES = ("range", "roundrobin", "sticky", "cooperative-sticky")
SERVERS = {"broker-range": "broker/range", "broker-uniform": "broker/uniform", "share-simple": "share/simple"}
"""Server-side assignors -> their references; none of them reads racks since 3.8."""
RACKS = 3
BUCKETS = 5
ROUNDS = 10


@dataclass(frozen=True, slots=True)
class Point:
    """A point of the grid; `ratio` is partitions per member, `mixed` and `joining` are Kafka's other two words."""

    assignor: str
    members: int
    ratio: int
    topics: int
    racks: bool
    mixed: bool
    joining: bool

    def __str__(self) -> str:
        """Say its name, such as ``range/100x5/10/racks/homogeneous/full``."""
        racks = "racks" if self.racks else "no-racks"
        return "/".join(
            [
                f"{self.assignor}/{self.members}x{self.ratio}/{self.topics}",
                f"{racks}/{self.subscriptions}/{self.change}",
            ]
        )

    @property
    def subscriptions(self) -> str:
        """Kafka's word for whether all members subscribe to the same topics."""
        return "heterogeneous" if self.mixed else "homogeneous"

    @property
    def change(self) -> str:
        """Kafka's word for whether members own anything yet."""
        return "incremental" if self.joining else "full"

    @property
    def partitions(self) -> int:
        """The number of partitions of all topics."""
        return self.members * self.ratio // self.topics * self.topics


def reference(assignor: str) -> str:
    """Return the name of an assignor's reference."""
    return SERVERS.get(assignor, f"consumer/{assignor}")


def grid(names: Sequence[str] = NAMES) -> list[Point]:
    """Return all points of some assignors that have partitions, smaller groups first."""
    points = [
        Point(assignor, members, ratio, topics, racks, mixed, joining)
        for members, ratio, topics, racks, mixed, joining, assignor in product(
            (100, 500, 1_000, 5_000, 10_000),
            (5, 10, 50),
            (10, 100, 1_000),
            (False, True),
            (False, True),
            (False, True),
            names,
        )
        if not (racks and assignor in SERVERS)
    ]
    return sorted((point for point in points if point.partitions), key=lambda point: point.partitions)


def quick(names: Sequence[str] = NAMES) -> list[Point]:
    """Return a point of each kind, of middling size."""
    return [point for point in grid(names) if (point.members, point.ratio, point.topics) == (500, 10, 100)]


def small(assignor: str) -> list[Point]:
    """Return a small point of each kind for an assignor."""
    sizes = (assignor, 100, 10, 10)
    return [
        point
        for point in grid([assignor])
        if (point.assignor, point.members, point.ratio, point.topics) == sizes
    ]


def group_of(point: Point) -> Group:
    """Make the group of a point."""
    topics = tuple(_topics(point))
    members = [_member(point, number) for number in range(point.members)]
    if not point.joining:
        return Group(topics, tuple(members))
    newest = replace(members.pop(), id="newMember")
    return Group(topics, (*settled(Group(topics, tuple(members)), point.assignor), newest))


def settled(group: Group, assignor: str) -> tuple[Member, ...]:
    """Return the members when they own what the assignor gives them again and again."""
    for generation in range(1, ROUNDS):
        given: Any = ASSIGNORS[reference(assignor)].assign(group)
        members = tuple(replace(m, owned=tuple(given[m.id]), generation=generation) for m in group.members)
        if [m.owned for m in members] == [m.owned for m in group.members]:
            return members
        group = replace(group, members=members)
    return group.members


def _topics(point: Point) -> Iterator[Topic]:
    size = point.members * point.ratio // point.topics
    racks = tuple((f"rack{n % RACKS}", f"rack{(n + 1) % RACKS}") for n in range(size))
    for number in range(point.topics):
        yield Topic(f"topic{number}", size, racks if point.racks else None)


def _member(point: Point, number: int) -> Member:
    names = range(point.topics)
    if point.mixed:
        bucket = number // -(-point.members // BUCKETS)
        size = -(-point.topics // BUCKETS)
        names = range(bucket * size, min((bucket + 1) * size, point.topics))
    rack = f"rack{number % RACKS}" if point.racks else None
    return Member(f"member{number}", _subscription(names), rack=rack)


@cache
def _subscription(numbers: range) -> tuple[str, ...]:
    """Return the names of some topics: one list for all who subscribe alike, as Kafka's benchmark has it."""
    return tuple(f"topic{number}" for number in numbers)
