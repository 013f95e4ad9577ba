"""Connectors, workers and assignments of Kafka Connect, with the time and what an assignor remembers between rounds.

A :class:`Cluster` is valid by construction. A :class:`WorkAssignment` may be wrong in any way; the properties find that.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple, TypeAlias

from kassay.model.partitions import INT32_MAX, INT64_MAX, numbered, refuse_outside

FIVE_MINUTES_MS = 300_000
"""Kafka's default of scheduled.rebalance.max.delay.ms."""


def _refuse_twice(field: str, listed: Collection[object], whose: str = "") -> None:
    if len(set(listed)) < len(listed):
        twice = next(each for each, count in Counter(listed).items() if count > 1)
        raise ValueError(f"{field}: {whose}{twice} is listed twice; list it once")


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
            raise ValueError(f"{prefix}tasks: {whose}{task}; tasks are numbered 0 to {INT32_MAX}")


@dataclass(frozen=True, slots=True)
class Connector:
    """A connector as it is configured: its name and how many tasks it has."""

    name: str
    tasks: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.tasks <= INT32_MAX:
            raise ValueError(f"tasks: connector {self.name!r} has {self.tasks}; give 0 to {INT32_MAX}")

    def __iter__(self) -> Iterator[ConnectorTask]:
        """Iterate over its tasks in ascending order."""
        return numbered(ConnectorTask, self.name, range(self.tasks))


@dataclass(frozen=True, slots=True)
class Worker:
    """A worker as it joins a rebalance, with the connectors and tasks that it runs, in the order in which it reports them.

    It may run what is configured no more: it learns of that in the rebalance.
    """

    id: str
    work: Work = NOTHING

    def __post_init__(self) -> None:
        _refuse_wrong_work("", self.work, f"worker {self.id!r}: ")


@dataclass(frozen=True, slots=True)
class Memory:
    """What the leader's assignor remembers of the rounds before; a new leader remembers nothing.

    `generation` is that of its last round, -1 before the first; `members` were there then. `assignment` is what was given out or
    waits for a lost worker, `revocation` what was taken away. `candidates` are workers that had nothing while something was lost,
    in the order in which they get it; the delay before that ends at `scheduled_rebalance_ms` (0: there is none) and was `delay_ms` when
    it was answered. `revoked` says whether the last round revoked to balance, `revoking_rounds` how many did so before their time
    (Kafka 3.4 and newer); `may_revoke` whether the next one may (3.3). Source: the fields of IncrementalCooperativeAssignor.
    """

    generation: int = -1
    members: tuple[str, ...] = ()
    assignment: Work = NOTHING
    revocation: Work = NOTHING
    candidates: tuple[str, ...] = ()
    scheduled_rebalance_ms: int = 0
    delay_ms: int = 0
    revoked: bool = False
    revoking_rounds: int = 0
    may_revoke: bool = True

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
    """All that an assignor of Connect may look at: a round of rebalancing, its time in milliseconds, and what is remembered.

    `generation` is the one that this round makes; `last_completed_generation` the one that the leader saw through last, -1 for none.
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
            raise ValueError("workers: there is none; list one or more, for one of them leads")
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
    """An answer: what each worker has after the round, what is revoked from it, the delay until the next one, and what to remember."""

    workers: Mapping[str, Work]
    revoked: Mapping[str, Work]
    delay_ms: int = 0
    memory: Memory = FORGOTTEN


def distinct(items: Iterable[Work]) -> Work:
    """Return several works as one, each connector and each task once."""
    listed = list(items)
    return Work(
        tuple(dict.fromkeys(name for work in listed for name in work.connectors)),
        tuple(dict.fromkeys(task for work in listed for task in work.tasks)),
    )
