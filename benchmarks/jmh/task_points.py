"""Points of streams groups and of Connect, and the group or the cluster that each stands for; Kafka has no benchmark of these.

Whatever had to come before the measured assignment was played with the reference.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product

from kassay.model.streams_group import GroupSettings, StreamsGroup, StreamsMember, Subtopology
from kassay.model.workers import Cluster, Connector, Worker
from kassay.properties.workers.timelines import apply_answer, build_follow_up, run_until_converged
from kassay.reference import ASSIGNORS

STREAMS_GROUP, EAGER, INCREMENTAL = NAMES = (
    "streams-group/sticky",
    "connect/eager",
    "connect/incremental-cooperative",
)
SUBTOPOLOGIES = 10
ROUNDS = 10
MOST = 100_000
"""Tasks, in the largest groups."""


@dataclass(frozen=True, slots=True)
class GroupPoint:
    """A streams group: tasks in ten stateful subtopologies, members, how many of them are in a process, standbys of a task, what happens."""

    tasks: int
    members: int
    threads: int
    standbys: int
    change: str
    assignor: str = STREAMS_GROUP

    def __str__(self) -> str:
        """Say its name, such as ``streams-group/sticky/1000x100/1-thread/1-standby/joined``."""
        return f"{self.assignor}/{self.tasks}x{self.members}/{self.threads}-thread/{self.standbys}-standby/{self.change}"

    @property
    def partitions(self) -> int:
        """The number of tasks."""
        return self.tasks


@dataclass(frozen=True, slots=True)
class ClusterPoint:
    """A cluster of Connect: connectors, tasks of each, workers, what happens."""

    assignor: str
    connectors: int
    each: int
    workers: int
    change: str

    def __str__(self) -> str:
        """Say its name, such as ``connect/eager/100x10/10-workers/new``."""
        return f"{self.assignor}/{self.connectors}x{self.each}/{self.workers}-workers/{self.change}"

    @property
    def partitions(self) -> int:
        """The number of tasks."""
        return self.connectors * self.each


Point = GroupPoint | ClusterPoint


def grid() -> list[Point]:
    """Return all points, smaller ones first."""
    return sorted([*_groups(), *_clusters()], key=lambda point: point.partitions)


def quick() -> list[Point]:
    """Return a point of each kind, of middling size."""
    middling = ("/10000x100/", "/100x100/100-")
    return [point for point in grid() if any(size in str(point) for size in middling)]


def small(assignor: str) -> list[Point]:
    """Return a small point of each kind for an assignor."""
    sizes = ("/1000x10/", "/100x10/10-")
    return [
        point for point in grid() if point.assignor == assignor and any(size in str(point) for size in sizes)
    ]


def group_of(point: Point) -> StreamsGroup | Cluster:
    """Make the group or the cluster of a point."""
    return _group(point) if isinstance(point, GroupPoint) else _cluster(point)


def _groups() -> Iterator[GroupPoint]:
    for tasks, members, threads, standbys, change in product(
        (100, 1_000, 10_000, MOST), (10, 100, 1_000), (1, 5), (0, 1), ("new", "joined")
    ):
        if members <= tasks:
            yield GroupPoint(tasks, members, threads, standbys, change)


def _clusters() -> Iterator[ClusterPoint]:
    sizes = (10, 100, 1_000), (1, 10, 100), (3, 10, 100)
    for connectors, each, workers in product(*sizes):
        yield ClusterPoint(EAGER, connectors, each, workers, "new")  # it reads nothing of what workers run
        for change in ("new", "joined", "left"):
            yield ClusterPoint(INCREMENTAL, connectors, each, workers, change)


def _group(point: GroupPoint) -> StreamsGroup:
    parts = tuple(Subtopology(n, point.tasks // SUBTOPOLOGIES, stateful=True) for n in range(SUBTOPOLOGIES))
    members = tuple(StreamsMember(f"m{n}", f"p{n // point.threads}") for n in range(point.members))
    group = StreamsGroup(parts, members, GroupSettings(point.standbys))
    if point.change == "new":
        return group
    settled = _settled(replace(group, members=members[:-1]))
    return replace(group, members=(*settled, members[-1]))


def _settled(group: StreamsGroup) -> tuple[StreamsMember, ...]:
    """Return the members when they hold what they are given again and again, and report offsets of it."""
    for _ in range(ROUNDS):
        given = ASSIGNORS[STREAMS_GROUP].assign(group)
        members = tuple(
            replace(
                member,
                active=given[member.id].active,
                standby=given[member.id].standby,
                offsets=dict.fromkeys((*given[member.id].active, *given[member.id].standby), 1_000),
            )
            for member in group.members
        )
        if members == group.members:
            break
        group = replace(group, members=members)
    return group.members


def _cluster(point: ClusterPoint) -> Cluster:
    """Make a cluster before a first round, after a worker has joined, or at the end of the delay after one has left."""
    connectors = tuple(Connector(f"connector{n}", point.each) for n in range(point.connectors))
    workers = tuple(Worker(f"worker{n}") for n in range(point.workers))
    if point.change == "new":
        return Cluster(connectors, workers)
    assign = ASSIGNORS[point.assignor].assign
    before = workers[:-1] if point.change == "joined" else (*workers, Worker("leaver"))
    *_, last = run_until_converged(assign, Cluster(connectors, before))
    running = apply_answer(*last, wait_ms=1)
    if point.change == "joined":
        return replace(running, workers=(*running.workers, workers[-1]))
    waiting = replace(running, workers=running.workers[:-1])
    ended = build_follow_up(waiting, assign(waiting))
    assert ended is not None
    return ended
