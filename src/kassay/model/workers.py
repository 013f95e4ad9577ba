"""Connectors, workers and assignments of Kafka Connect, with the time and what an assignor remembers between rounds.

A :class:`Cluster` is valid by construction. A :class:`WorkAssignment` may be wrong in any way; the properties find that.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple, TypeAlias

from kassay.model.partitions import INT32_MAX, INT64_MAX, make_numbered, refuse_outside

FIVE_MINUTES_MS = 300_000
"""Kafka's default of scheduled.rebalance.max.delay.ms."""


def _refuse_twice(field: str, listed: Collection[object], whose: str = "") -> None:
    if len(set(listed)) < len(listed):
        twice = next(each for each, count in Counter(listed).items() if count > 1)
        raise ValueError(f"{field}: {whose}{twice} is listed twice. List it once")


class ConnectorTask(NamedTuple):
    """A task of a connector; sorts by connector, then number, and prints as ``c0-3``."""

    connector: str
    task: int

    def __str__(self) -> str:
        return f"{self.connector}-{self.task}"


Item: TypeAlias = str | ConnectorTask
"""A connector, by its name, or a task."""


class Work(NamedTuple):
    """Connectors and tasks, in the order in which a worker has them or is given them."""

    connectors: tuple[str, ...] = ()
    tasks: tuple[ConnectorTask, ...] = ()

    @property
    def items(self) -> tuple[Item, ...]:
        """Connectors, then tasks."""
        return (*self.connectors, *self.tasks)


NOTHING = Work()


def _refuse_wrong_work(field: str, work: Work, whose: str = "") -> None:
    prefix = f"{field}." if field else ""
    _refuse_twice(f"{prefix}connectors", work.connectors, whose)
    _refuse_twice(f"{prefix}tasks", work.tasks, whose)
    for task in work.tasks:
        if not 0 <= task.task <= INT32_MAX:
            raise ValueError(f"{prefix}tasks: {whose}{task}. Give tasks from 0 to {INT32_MAX}")


@dataclass(frozen=True, slots=True)
class Connector:
    """A connector as it is configured: its name and how many tasks it has."""

    name: str
    tasks: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.tasks <= INT32_MAX:
            raise ValueError(f"tasks: connector {self.name!r} has {self.tasks}. Give 0 to {INT32_MAX}")

    def __iter__(self) -> Iterator[ConnectorTask]:
        """Iterate over its tasks in ascending order."""
        return make_numbered(ConnectorTask, self.name, range(self.tasks))


@dataclass(frozen=True, slots=True)
class Worker:
    """A worker as it joins a rebalance, with its connectors and tasks in reported order.

    They may no longer be configured: the worker learns that in the rebalance.
    """

    id: str
    work: Work = NOTHING

    def __post_init__(self) -> None:
        _refuse_wrong_work("", self.work, f"worker {self.id!r}: ")


@dataclass(frozen=True, slots=True)
class Memory:
    """The state that the leader's assignor keeps from earlier rounds; a new leader has none.

    Source: the fields of IncrementalCooperativeAssignor.
    """

    generation: int = -1
    """The generation of its last round, -1 before the first one."""
    members: tuple[str, ...] = ()
    """The workers of its last round."""
    assignment: Work = NOTHING
    """The connectors and tasks that were assigned, or that wait for a lost worker."""
    revocation: Work = NOTHING
    candidates: tuple[str, ...] = ()
    """The workers without work when work was lost, in the order in which they will get it."""
    scheduled_rebalance_ms: int = 0
    """The end of the delay before lost work is assigned again, 0 without a delay."""
    delay_ms: int = 0
    """The delay in the last answer."""
    revoked: bool = False
    """True if the last round revoked work in order to balance."""
    revoking_rounds: int = 0
    """The number of consecutive revoking rounds before their backoff was over (Kafka 3.4 and newer)."""
    may_revoke: bool = True
    """True if the next round may revoke (Kafka 3.3)."""

    def __post_init__(self) -> None:
        refuse_outside("memory.generation", self.generation, -1, INT32_MAX)
        _refuse_twice("memory.members", self.members)
        _refuse_wrong_work("memory.assignment", self.assignment)
        _refuse_wrong_work("memory.revocation", self.revocation)
        _refuse_twice("memory.candidates", self.candidates)
        refuse_outside("memory.scheduled_rebalance_ms", self.scheduled_rebalance_ms, 0, INT64_MAX)
        refuse_outside("memory.delay_ms", self.delay_ms, 0, INT32_MAX)
        refuse_outside("memory.revoking_rounds", self.revoking_rounds, 0, INT32_MAX)


FORGOTTEN = Memory()


@dataclass(frozen=True, slots=True)
class Cluster:
    """Everything an assignor of Connect may look at: a round of rebalancing, its time in milliseconds, and the kept state.

    `generation` is the generation of this round; `last_completed_generation` is the last one that the leader completed, or -1.
    """

    connectors: tuple[Connector, ...]
    workers: tuple[Worker, ...]
    max_delay_ms: int = FIVE_MINUTES_MS
    time_ms: int = 0
    generation: int = 1
    last_completed_generation: int = 0
    memory: Memory = FORGOTTEN

    def __post_init__(self) -> None:
        _refuse_twice("connectors", [connector.name for connector in self.connectors])
        _refuse_twice("workers", [worker.id for worker in self.workers])
        if not self.workers:
            raise ValueError("workers: the list is empty. List one or more, because one of them leads")
        refuse_outside("config.scheduled.rebalance.max.delay.ms", self.max_delay_ms, 0, INT32_MAX)
        refuse_outside("time_ms", self.time_ms, 0, INT64_MAX - INT32_MAX)
        refuse_outside("generation", self.generation, 0, INT32_MAX)
        refuse_outside("last_completed_generation", self.last_completed_generation, -1, INT32_MAX)

    @property
    def configured(self) -> Work:
        """All connectors and all their tasks, as they are listed."""
        return Work(
            tuple(connector.name for connector in self.connectors),
            tuple(chain.from_iterable(self.connectors)),
        )


class WorkAssignment(NamedTuple):
    """An answer: the work of each worker after the round, the revoked work, the delay until the next round, and the state to keep."""

    workers: Mapping[str, Work]
    revoked: Mapping[str, Work]
    delay_ms: int = 0
    memory: Memory = FORGOTTEN


def merge_works(items: Iterable[Work]) -> Work:
    """Return the union of several works, with each connector and task once."""
    listed = list(items)
    return Work(
        tuple(dict.fromkeys(name for work in listed for name in work.connectors)),
        tuple(dict.fromkeys(task for work in listed for task in work.tasks)),
    )
