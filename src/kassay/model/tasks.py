"""What a task assignor of Kafka Streams sees and what it answers: tasks, clients, settings, an assignment with its probing.

An :class:`Application` is valid by construction; an :class:`TaskAssignment` may be wrong in any way, for that is what
properties are there to find.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias
from uuid import UUID

RUNNING, UNKNOWN = -2, -3
"""Lags of a task that is active on the client now, and of one whose offsets the client could not tell (SubscriptionInfo)."""
INT64_MAX = 2**63 - 1
STRATEGIES = ("none", "min_traffic", "balance_subtopology")
"""The values of rack.aware.assignment.strategy (KIP-925)."""
MOST_TAGS, LONGEST_TAG, LONGEST_VALUE = 5, 20, 30
"""How many tags a client may have, and how long a tag and its value may be (KIP-708)."""

Racks: TypeAlias = tuple[tuple[str | None, ...], ...]
"""Of each partition the racks of all its replicas, None for a replica without one."""


class TaskId(NamedTuple):
    """A task: its subtopology and its partition; sorts by these, and prints as ``0_3``."""

    subtopology: int
    partition: int

    def __str__(self) -> str:
        return f"{self.subtopology}_{self.partition}"


@dataclass(frozen=True, slots=True)
class Task:
    """A task with its state and the racks of what it reads.

    `sources` are the racks of its source partitions, `changelogs` those of its changelog partitions, which only a stateful
    task has.
    """

    id: TaskId
    stateful: bool = False
    sources: Racks = ()
    changelogs: Racks = ()

    def __post_init__(self) -> None:
        if self.changelogs and not self.stateful:
            raise ValueError(
                f"changelogs: task {self.id} has some but is not stateful; make it stateful, or leave them out"
            )


@dataclass(frozen=True, slots=True)
class Client:
    """A client: one process of the application, with its threads.

    `id` is a UUID; `lags` say of every stateful task how many records of its changelogs the client has yet to restore, RUNNING
    where the task is active there, UNKNOWN where that is not known. `active` and `standby` are what the client ran before.
    """

    id: str
    threads: int
    active: tuple[TaskId, ...] = ()
    standby: tuple[TaskId, ...] = ()
    lags: Mapping[TaskId, int] = field(default_factory=dict, hash=False)
    tags: tuple[tuple[str, str], ...] = ()
    rack: str | None = None

    def __post_init__(self) -> None:
        try:
            known = str(UUID(self.id))
        except ValueError:
            known = ""
        if known != self.id:
            raise ValueError(
                f"id: client {self.id!r} is no UUID; write one such as 00000000-0000-0000-0000-000000000001"
            )
        if self.threads < 1:
            raise ValueError(f"threads: client {self.id} has {self.threads}; give 1 or more")
        if both := set(self.active) & set(self.standby):
            raise ValueError(f"standby: client {self.id} had {min(both)} active too; list it once")
        if len(self.tags) > MOST_TAGS:
            raise ValueError(f"tags: client {self.id} has {len(self.tags)}; give at most {MOST_TAGS}")
        for tag, value in self.tags:
            if len(tag) > LONGEST_TAG or len(value) > LONGEST_VALUE:
                raise ValueError(
                    f"tags: client {self.id} has {tag}={value}; a tag may have {LONGEST_TAG} letters, its value {LONGEST_VALUE}"
                )

    @property
    def order(self) -> tuple[int, int]:
        """What clients are ordered by: Java compares the two halves of a UUID as signed numbers."""
        high, low = divmod(UUID(self.id).int, 1 << 64)
        sign = 1 << 63
        return (high ^ sign) - sign, (low ^ sign) - sign


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
        if not 0 <= self.acceptable_recovery_lag <= INT64_MAX:
            raise ValueError(
                f"acceptable.recovery.lag: {self.acceptable_recovery_lag}; give 0 to {INT64_MAX}"
            )
        if self.max_warmup_replicas < 1:
            raise ValueError(f"max.warmup.replicas: {self.max_warmup_replicas}; give 1 or more")
        if self.num_standby_replicas < 0:
            raise ValueError(f"num.standby.replicas: {self.num_standby_replicas}; give 0 or more")
        if self.rack_aware_assignment_strategy not in STRATEGIES:
            raise ValueError(
                f"rack.aware.assignment.strategy: {self.rack_aware_assignment_strategy!r}; give {', '.join(STRATEGIES)}"
            )


@dataclass(frozen=True, slots=True)
class Application:
    """All that a task assignor may look at."""

    tasks: tuple[Task, ...]
    clients: tuple[Client, ...]
    settings: Settings = Settings()

    def __post_init__(self) -> None:
        ids = [task.id for task in self.tasks]
        if len(set(ids)) < len(ids):
            raise ValueError(
                f"tasks: {next(i for i in ids if ids.count(i) > 1)} is listed twice; list each task once"
            )
        names = [client.id for client in self.clients]
        if len(set(names)) < len(names):
            raise ValueError(
                f"clients: {next(n for n in names if names.count(n) > 1)} is listed twice; list each client once"
            )
        stateful = {task.id for task in self.tasks if task.stateful}
        for client in self.clients:
            if missing := stateful - set(client.lags):
                raise ValueError(
                    f"lags: client {client.id} says nothing of {min(missing)}; give a lag for each stateful task"
                )


class Given(NamedTuple):
    """What a client is given: its active tasks and its standby tasks, warm-ups among them, in ascending order."""

    active: tuple[TaskId, ...]
    standby: tuple[TaskId, ...]


class TaskAssignment(NamedTuple):
    """An answer: what each client is given, and whether a probing rebalance is to follow (KIP-441)."""

    clients: Mapping[str, Given]
    probing: bool
