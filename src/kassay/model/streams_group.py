"""Streams groups and their assignments: the input and output of a task assignor of a group coordinator (KIP-1071).

A :class:`StreamsGroup` is valid by construction. An assignment may be wrong in any way; the properties find that.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple, TypeAlias

from kassay.model.partitions import INT32_MAX, INT64_MAX, make_numbered, refuse_outside
from kassay.model.tasks import TaskId, find_repeated, refuse_wrong_standbys, refuse_wrong_tags

ROLES = ("active", "standby", "warmup")
"""The roles in which a member holds a task; a warm-up restores the state of a task that is to move (KIP-1071)."""


@dataclass(frozen=True, slots=True)
class Subtopology:
    """A part of a topology, of which each partition of its inputs is a task.

    `id` is the number that Kafka Streams gives it, or any other text, as a SubtopologyName.
    """

    id: int
    partitions: int
    stateful: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.id, str):
            refuse_outside("id", self.id, 0, INT32_MAX)
        if not 0 <= self.partitions <= INT32_MAX:
            raise ValueError(
                f"partitions: subtopology {self.id} has {self.partitions}. Give 0 to {INT32_MAX}"
            )

    def __iter__(self) -> Iterator[TaskId]:
        """Iterate over its tasks in ascending order."""
        return make_numbered(TaskId, self.id, range(self.partitions))


@dataclass(frozen=True, slots=True)
class StreamsMember:
    """A member, one thread of a process: what the coordinator has assigned to it, and what it reports.

    `offsets` and `end_offsets` are sums over the changelogs of a task of which the member has state on its disk. Tasks may be
    such as do not exist any more.
    """

    id: str
    process_id: str
    active: tuple[TaskId, ...] = ()
    standby: tuple[TaskId, ...] = ()
    warmup: tuple[TaskId, ...] = ()
    offsets: Mapping[TaskId, int] = field(default_factory=dict, hash=False)
    end_offsets: Mapping[TaskId, int] = field(default_factory=dict, hash=False)
    instance_id: str | None = None
    rack: str | None = None
    tags: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        if not self.process_id:
            raise ValueError(
                f"process_id: member {self.id!r} has none. Name the process that it is a thread of"
            )
        held: set[TaskId] = set()
        for role in ROLES:
            tasks: tuple[TaskId, ...] = getattr(self, role)
            if again := find_repeated(tasks):
                raise ValueError(f"{role}: member {self.id} lists {again} twice. List each task once")
            if both := held.intersection(tasks):
                raise ValueError(
                    f"{role}: member {self.id} has {min(both)} in another role too. A member holds a task in one, list it once"
                )
            held.update(tasks)
        for name, sums in (("offsets", self.offsets), ("end_offsets", self.end_offsets)):
            for task, offset in sums.items():
                if not -INT64_MAX - 1 <= offset <= INT64_MAX:
                    raise ValueError(
                        f"{name}: member {self.id} has {offset} for {task}. Give {-INT64_MAX - 1} to {INT64_MAX}"
                    )
        refuse_wrong_tags(f"tags: member {self.id}", self.tags)


@dataclass(frozen=True, slots=True)
class GroupSettings:
    """The settings of a streams group that its assignor reads, with Kafka's names and defaults."""

    num_standby_replicas: int = 0
    rack_aware_assignment_tags: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        refuse_wrong_standbys(self.num_standby_replicas, self.rack_aware_assignment_tags)


@dataclass(frozen=True, slots=True)
class StreamsGroup:
    """All that a task assignor of a group coordinator may look at; members in the order in which it receives them."""

    subtopologies: tuple[Subtopology, ...]
    members: tuple[StreamsMember, ...]
    settings: GroupSettings = GroupSettings()

    def __post_init__(self) -> None:
        for name, listed in (
            ("subtopologies", [each.id for each in self.subtopologies]),
            ("members", [member.id for member in self.members]),
        ):
            if (again := find_repeated(listed)) is not None:
                raise ValueError(f"{name}: {again} is listed twice. List each of them once")
        copies = sum(
            each.partitions * (1 + each.stateful * self.settings.num_standby_replicas)
            for each in self.subtopologies
        )
        if copies > INT32_MAX:
            raise ValueError(
                f"config.num.standby.replicas: with {self.settings.num_standby_replicas} there are {copies} copies of tasks, more than "
                f"Kafka can count. Give fewer, for {INT32_MAX} copies at most"
            )

    def tasks(self) -> Iterator[TaskId]:
        """Iterate over all tasks, by subtopology as listed."""
        return chain.from_iterable(self.subtopologies)

    def stateful_tasks(self) -> Iterator[TaskId]:
        """Yield the tasks that keep state."""
        yield from (task for task in self.tasks() if task.subtopology in self.stateful)

    @property
    def stateful(self) -> frozenset[int]:
        """The subtopologies whose tasks keep state."""
        return frozenset(each.id for each in self.subtopologies if each.stateful)

    @property
    def processes(self) -> dict[str, list[StreamsMember]]:
        """The members of each process, both in the order of the members."""
        found: dict[str, list[StreamsMember]] = {}
        for member in self.members:
            found.setdefault(member.process_id, []).append(member)
        return found


class MemberTasks(NamedTuple):
    """The tasks of a member by role, in ascending order; assignors since 4.4 give no warm-ups, which the coordinator does."""

    active: tuple[TaskId, ...] = ()
    standby: tuple[TaskId, ...] = ()
    warmup: tuple[TaskId, ...] = ()


StreamsAssignment: TypeAlias = Mapping[str, MemberTasks]
"""An answer: what each member is given."""
