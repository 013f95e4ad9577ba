"""Tasks, clients, settings and assignments: the input and output of a task assignor of Kafka Streams.

An :class:`Application` is valid by construction. A :class:`TaskAssignment` may be wrong in any way; the properties find that.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias
from uuid import UUID

from kassay.model.partitions import (
    INT32_MAX,
    INT64_MAX,
    Topic,
    TopicPartition,
    refuse_outside,
    refuse_wrong_unit,
    refuse_wrong_weight,
)

RUNNING, UNKNOWN = -2, -3
"""The lag of a task that is active on the client, and of a task with unknown offsets (SubscriptionInfo)."""
STRATEGIES = ("none", "min_traffic", "balance_subtopology")
"""The values of rack.aware.assignment.strategy (KIP-925)."""
MOST_TAGS, LONGEST_TAG, LONGEST_VALUE = 5, 20, 30
"""The most tags of a client, and the most characters of a tag and of its value (KIP-708)."""

Racks: TypeAlias = tuple[tuple[str | None, ...], ...]
"""The racks of the replicas of each partition, None for a replica without a rack."""


def find_repeated(listed: Collection[object]) -> object:
    """Return the first element that is listed twice, None if there is no such element."""
    if len(set(listed)) == len(listed):  # The usual case, and far cheaper than counting.
        return None
    return next(each for each, count in Counter(listed).items() if count > 1)


class SubtopologyName(str):
    """The id of a subtopology that is not a number, as streams groups may have; names sort behind all numbers."""

    __slots__ = ()

    def __lt__(self, other: object) -> bool:
        return isinstance(other, str) and str(self) < str(other)

    def __le__(self, other: object) -> bool:
        return isinstance(other, str) and str(self) <= str(other)

    def __gt__(self, other: object) -> bool:
        return not isinstance(other, str) or str(self) > str(other)

    def __ge__(self, other: object) -> bool:
        return not isinstance(other, str) or str(self) >= str(other)

    __hash__ = str.__hash__


class TaskId(NamedTuple):
    """A task: its subtopology and its partition; sorts by these, and prints as ``0_3``.

    A subtopology is a number; of streams groups it may be any other text, as a :class:`SubtopologyName`.
    """

    subtopology: int
    partition: int

    def __str__(self) -> str:
        return f"{self.subtopology}_{self.partition}"


@dataclass(frozen=True, slots=True)
class Task:
    """A task with the partitions that it reads."""

    id: TaskId
    stateful: bool = False
    inputs: tuple[TopicPartition, ...] = ()
    """The partitions of its source topics."""
    changelogs: tuple[TopicPartition, ...] = ()
    """The partitions of the changelogs of its state stores. Only a stateful task has some."""
    weight: int | None = None
    """None if it is unknown. No assignor of Kafka reads it."""

    def __post_init__(self) -> None:
        if self.weight is not None:
            refuse_wrong_weight(f"weight: task {self.id} weighs", self.weight)
        for number in self.id:
            if not isinstance(number, str) and not 0 <= number <= INT32_MAX:
                raise ValueError(
                    f"id: is {self.id}. Give a subtopology and a partition from 0 to {INT32_MAX}"
                )
        if self.changelogs and not self.stateful:
            raise ValueError(
                f"changelogs: task {self.id} has some but is not stateful. Make it stateful, or leave them out"
            )
        for name, listed in (("inputs", self.inputs), ("changelogs", self.changelogs)):
            if twice := find_repeated(listed):
                raise ValueError(f"{name}: task {self.id} lists {twice} twice. List each partition once")


def refuse_wrong_tags(place: str, tags: Sequence[tuple[str, str]]) -> None:
    """Raise ValueError, which begins with a place, if there are too many tags or if they are too long."""
    if len(tags) > MOST_TAGS:
        raise ValueError(f"{place} has {len(tags)}. Give at most {MOST_TAGS}")
    for tag, value in tags:
        if len(tag) > LONGEST_TAG or len(value) > LONGEST_VALUE:
            raise ValueError(
                f"{place} has {tag}={value}. A tag may have {LONGEST_TAG} letters, its value {LONGEST_VALUE}"
            )


def refuse_wrong_standbys(standbys: int, tags: Sequence[str]) -> None:
    """Raise ValueError, naming the setting, if the number of standbys or the tags to spread them over are wrong."""
    refuse_outside("num.standby.replicas", standbys, 0, INT32_MAX)
    if len(tags) > MOST_TAGS:
        raise ValueError(f"rack.aware.assignment.tags: {len(tags)} tags. Give at most {MOST_TAGS}")
    if twice := find_repeated(tags):
        raise ValueError(f"rack.aware.assignment.tags: {twice!r} is listed twice. List each tag once")


def parse_uuid(client: str) -> UUID:
    """Return the UUID of a client's id; raises ValueError if the id is not a UUID."""
    try:
        known = UUID(client)
    except ValueError:
        known = None
    if known is None or str(known) != client:
        raise ValueError(
            f"id: client {client!r} is not a UUID. Write one such as 00000000-0000-0000-0000-000000000001"
        )
    return known


def order_uuid(client: str) -> tuple[int, int]:
    """Return the two halves of a UUID as the signed numbers by which Java sorts; raises ValueError if the id is not a UUID."""
    high, low = divmod(parse_uuid(client).int, 1 << 64)
    sign = 1 << 63
    return (high ^ sign) - sign, (low ^ sign) - sign


@dataclass(frozen=True, slots=True)
class Client:
    """A client: one process of the application, with its threads.

    Previous tasks and offset sums may name tasks that no longer exist, because the topology has changed.
    """

    id: str
    """A UUID in Kafka Streams."""
    threads: int
    active: tuple[TaskId, ...] = ()
    """The previous active tasks."""
    standby: tuple[TaskId, ...] = ()
    """The previous standby tasks."""
    lags: Mapping[TaskId, int] = field(default_factory=dict, hash=False)
    """Stateful task -> the number of changelog records to restore on this client, RUNNING if it is active there, or UNKNOWN."""
    tags: tuple[tuple[str, str], ...] = ()
    rack: str | None = None
    consumers: Mapping[str, Mapping[TaskId, int]] = field(default_factory=dict, hash=False)
    """Id of each consumer (one per thread) -> task -> the offset sum that it reported."""

    def __post_init__(self) -> None:
        self._refuse_wrong_roles()
        for task, lag in self.lags.items():
            _refuse_wrong_count(f"lags: client {self.id}", task, lag)
        refuse_wrong_tags(f"tags: client {self.id}", self.tags)
        for consumer, sums in self.consumers.items():
            for task, offsets in sums.items():
                _refuse_wrong_count(f"consumers: {consumer!r} of client {self.id}", task, offsets)

    def _refuse_wrong_roles(self) -> None:
        if not 1 <= self.threads <= INT32_MAX:
            raise ValueError(f"threads: client {self.id} has {self.threads}. Give 1 to {INT32_MAX}")
        for role, tasks in (("active", self.active), ("standby", self.standby)):
            if twice := find_repeated(tasks):
                raise ValueError(f"{role}: client {self.id} lists {twice} twice. List each task once")
        if both := set(self.active) & set(self.standby):
            raise ValueError(
                f"standby: client {self.id} had {min(both)} active too. A client holds a task in one role, list it once"
            )

    @property
    def order(self) -> tuple[int, int]:
        """The key that sorts clients, whose ids are UUIDs: Java compares their two halves as signed numbers."""
        return order_uuid(self.id)


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of an application that its task assignor reads, with Kafka's names and defaults."""

    acceptable_recovery_lag: int = 10_000
    max_warmup_replicas: int = 2
    num_standby_replicas: int = 0
    rack_aware_assignment_tags: tuple[str, ...] = ()
    rack_aware_assignment_strategy: str = "none"
    rack_aware_assignment_traffic_cost: int | None = None
    rack_aware_assignment_non_overlap_cost: int | None = None

    def __post_init__(self) -> None:
        refuse_outside("acceptable.recovery.lag", self.acceptable_recovery_lag, 0, INT64_MAX)
        refuse_outside("max.warmup.replicas", self.max_warmup_replicas, 1, INT32_MAX)
        refuse_wrong_standbys(self.num_standby_replicas, self.rack_aware_assignment_tags)
        if self.rack_aware_assignment_strategy not in STRATEGIES:
            raise ValueError(
                f"rack.aware.assignment.strategy: {self.rack_aware_assignment_strategy!r}. Give {', '.join(STRATEGIES)}"
            )
        for name, cost in (
            ("traffic_cost", self.rack_aware_assignment_traffic_cost),
            ("non_overlap_cost", self.rack_aware_assignment_non_overlap_cost),
        ):
            if cost is not None:
                refuse_outside(f"rack.aware.assignment.{name}", cost, -INT32_MAX - 1, INT32_MAX)


@dataclass(frozen=True, slots=True)
class Application:
    """Everything a task assignor may look at.

    `topics` are the source topics and changelogs of the tasks, with the racks of their partitions if they are known;
    `weight_unit` is the unit of all weights.
    """

    tasks: tuple[Task, ...]
    clients: tuple[Client, ...]
    settings: Settings = Settings()
    topics: tuple[Topic, ...] = ()
    weight_unit: str | None = None

    def __post_init__(self) -> None:
        refuse_wrong_unit(self.weight_unit)
        for name, listed in (
            ("tasks", [task.id for task in self.tasks]),
            ("clients", [client.id for client in self.clients]),
            ("topics", [topic.name for topic in self.topics]),
        ):
            if (twice := find_repeated(listed)) is not None:
                raise ValueError(f"{name}: {twice} is listed twice. List each of them once")
        counts = {topic.name: topic.partitions for topic in self.topics}
        for task in self.tasks:
            for name, read in (("inputs", task.inputs), ("changelogs", task.changelogs)):
                for partition in read:
                    if not 0 <= partition.partition < counts.get(partition.topic, 0):
                        raise ValueError(
                            f"{name}: task {task.id} reads {partition}, which no topic has. "
                            f"List topic {partition.topic!r} with more than {partition.partition} partitions"
                        )
        stateful = {task.id for task in self.tasks if task.stateful}
        known = {task.id for task in self.tasks}
        for client in self.clients:
            if unknown := next((task for task in client.lags if task not in known), None):
                raise ValueError(
                    f"lags: client {client.id} names {unknown}, but there is no such task. List it under tasks, or leave it out"
                )
            if missing := stateful - set(client.lags):
                raise ValueError(
                    f"lags: client {client.id} has no lag of {min(missing)}. Give a lag for each stateful task"
                )

    def racks(self, read: Callable[[Task], Sequence[TopicPartition]]) -> dict[TaskId, Racks]:
        """Return task -> the racks of the partitions that `read` returns for it; empty if they are unknown."""
        known = {topic.name: topic.racks for topic in self.topics}

        def of(partition: TopicPartition) -> tuple[str | None, ...]:
            racks = known[partition.topic]
            return () if racks is None else racks[partition.partition]

        return {task.id: tuple(map(of, read(task))) for task in self.tasks}


def _refuse_wrong_count(place: str, task: TaskId, count: int) -> None:
    if not (0 <= count <= INT64_MAX or count in (RUNNING, UNKNOWN)):
        raise ValueError(
            f"{place} has {count} for {task}. Give 0 to {INT64_MAX}, {RUNNING} if the task runs there, or {UNKNOWN} if it is unknown"
        )


class Given(NamedTuple):
    """The tasks of a client: its active tasks and its standby tasks, including warm-ups, in ascending order."""

    active: tuple[TaskId, ...]
    standby: tuple[TaskId, ...]


class TaskAssignment(NamedTuple):
    """An answer: the tasks of each client, and True if a probing rebalance should follow (KIP-441)."""

    clients: Mapping[str, Given]
    probing: bool
