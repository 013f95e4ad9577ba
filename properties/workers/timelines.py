"""Timelines: a cluster and the events between its rounds, played with an assignor; and the cluster after an answer."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from kassay.errors import InputError
from kassay.model.partitions import INT32_MAX, INT64_MAX
from kassay.model.workers import (
    FORGOTTEN,
    NOTHING,
    Cluster,
    Connector,
    ConnectorTask,
    Work,
    WorkAssignment,
    Worker,
)
from kassay.properties import runs
from kassay.reference.java.hash_map import hash_order
from kassay.reference.java.strings import string_hash, string_order

ROUNDS = 40
"""The maximum number of rounds that are played."""

Assign = Callable[[Cluster], WorkAssignment]
LAST_MS = INT64_MAX - INT32_MAX


def apply_answer(
    cluster: Cluster, answer: WorkAssignment, *, wait_ms: int = 0, missed: Collection[str] = ()
) -> Cluster:
    """Return the cluster of the next round, `wait_ms` milliseconds later.

    Every worker runs its assigned work, and reports it in the order of the protocol. Workers that missed the answer keep their
    old work. Work assigned to unknown workers or twice is lost.
    """
    workers = tuple(
        worker
        if worker.id in missed
        else replace(worker, work=order_as_reported(answer.workers.get(worker.id, NOTHING)))
        for worker in cluster.workers
    )
    return replace(
        cluster,
        workers=workers,
        time_ms=min(cluster.time_ms + max(0, wait_ms), LAST_MS),
        generation=min(cluster.generation + 1, INT32_MAX),
        last_completed_generation=cluster.generation,
        memory=answer.memory,
    )


def order_as_reported(work: Work) -> Work:
    """Return work in the order of the protocol: connectors in the order of a HashSet, tasks by connector.

    Source: ConnectProtocol.Assignment.asMap of Kafka 3.3 to 4.3.
    """
    connectors = hash_order(work.connectors, string_hash, order_of=string_order)
    by_connector: dict[str, dict[ConnectorTask, None]] = {name: {} for name in connectors}
    for task in work.tasks:
        if 0 <= task.task <= INT32_MAX:
            by_connector.setdefault(task.connector, {})[task] = None
    return Work(tuple(connectors), tuple(task for tasks in by_connector.values() for task in tasks))


def asks_again(answer: WorkAssignment) -> bool:
    """Return True if an answer needs another round: it revokes work, or waits. Source: KIP-415."""
    return answer.delay_ms > 0 or _has_revocations(answer)


def _has_revocations(answer: WorkAssignment) -> bool:
    return any(work.items for work in answer.revoked.values())


def build_follow_up(cluster: Cluster, answer: WorkAssignment) -> Cluster | None:
    """Return the cluster of the round that an answer needs: at once after a revocation, else after the delay.

    None if it needs none. Source: KIP-415.
    """
    if not asks_again(answer):
        return None
    return apply_answer(cluster, answer, wait_ms=0 if _has_revocations(answer) else answer.delay_ms)


def run_until_converged(assign: Assign, cluster: Cluster) -> list[tuple[Cluster, WorkAssignment]]:
    """Return the rounds until an answer needs no other one, at most ROUNDS. Raises AssignorError if the assignor fails."""
    return runs.run_until_converged(assign, build_follow_up, cluster, ROUNDS)


def has_converged(rounds: list[tuple[Cluster, WorkAssignment]]) -> bool:
    """Return True if the last round needs no other one."""
    return build_follow_up(*rounds[-1]) is None


def present(cluster: Cluster) -> WorkAssignment | None:
    """Return the work that workers report; None if no worker runs anything."""
    works = {worker.id: worker.work for worker in cluster.workers}
    return WorkAssignment(works, {}) if any(work.items for work in works.values()) else None


def is_same(one: WorkAssignment, other: WorkAssignment) -> bool:
    """Return True if two answers assign and revoke the same work, in any order, with the same delay."""
    return one == other or (
        one.delay_ms == other.delay_ms
        and _sort_work(one.workers.items()) == _sort_work(other.workers.items())
        and _sort_work(one.revoked.items()) == _sort_work(other.revoked.items())
    )


def _sort_work(works: Iterable[tuple[str, Work]]) -> dict[str, list[list[str]]]:
    return {
        name: [sorted(work.connectors), sorted(map(str, work.tasks))] for name, work in works if work.items
    }


@dataclass(frozen=True, slots=True)
class Join:
    """A worker joins, with nothing; one that was there before has another id."""

    worker: str


@dataclass(frozen=True, slots=True)
class Leave:
    """A worker leaves, or is lost; nothing happens to the last one."""

    worker: str


@dataclass(frozen=True, slots=True)
class Bounce:
    """Workers leave together and come back during the delay, under other ids; the others have a round without them meanwhile."""

    workers: tuple[str, ...]
    back: tuple[str, ...]

    @property
    def leaving(self) -> tuple[Leave, ...]:
        """The events at first."""
        return tuple(map(Leave, self.workers))

    @property
    def joining(self) -> tuple[Join, ...]:
        """The events afterwards."""
        return tuple(map(Join, self.back))


@dataclass(frozen=True, slots=True)
class Wait:
    """A round without changes, this number of milliseconds later; None: after the delay."""

    milliseconds: int | None = None


@dataclass(frozen=True, slots=True)
class Configure:
    """A connector is created, or is given another number of tasks."""

    connector: str
    tasks: int


@dataclass(frozen=True, slots=True)
class Delete:
    """A connector is deleted; workers run it until it is revoked."""

    connector: str


@dataclass(frozen=True, slots=True)
class Miss:
    """A worker does not get its answer, and rejoins with its old work; the leader has completed the round."""

    worker: str


@dataclass(frozen=True, slots=True)
class Break:
    """A round is interrupted: no worker gets an answer, and the leader has not completed it."""


@dataclass(frozen=True, slots=True)
class Lead:
    """Another worker leads, whose assignor remembers nothing."""


Event = Join | Leave | Bounce | Wait | Configure | Delete | Miss | Break | Lead


@dataclass(frozen=True, slots=True)
class Timeline:
    """A cluster with the events after each of its rounds; there is a round after each event."""

    start: Cluster
    events: tuple[Event, ...] = ()


def play(assign: Assign, timeline: Timeline) -> Iterator[Cluster]:
    """Yield the cluster of each round. Raises AssignorError when the assignor fails."""
    cluster = timeline.start
    yield cluster
    for event in timeline.events:
        cluster = play_round(cluster, assign(cluster), event)
        yield cluster


def play_round(cluster: Cluster, answer: WorkAssignment, event: Event) -> Cluster:
    """Return the cluster of the next round after an event."""
    match event:
        case Wait(milliseconds):
            return apply_answer(
                cluster, answer, wait_ms=answer.delay_ms if milliseconds is None else milliseconds
            )
        case Miss(worker):
            return apply_answer(cluster, answer, missed=[worker])
        case Break():
            everybody = [worker.id for worker in cluster.workers]
            broken = apply_answer(cluster, answer, missed=everybody)
            return replace(broken, last_completed_generation=cluster.last_completed_generation)
        case _:
            return happen(apply_answer(cluster, answer), event)


def happen(cluster: Cluster, event: Event) -> Cluster:
    """Return the cluster after an event that changes its workers, connectors or leader."""
    match event:
        case Join(name):
            known = any(worker.id == name for worker in cluster.workers)
            return cluster if known else replace(cluster, workers=(*cluster.workers, Worker(name)))
        case Leave(name):
            left = tuple(worker for worker in cluster.workers if worker.id != name)
            return replace(cluster, workers=left) if left else cluster
        case Bounce():
            return apply_events(cluster, (*event.leaving, *event.joining))
        case Configure(name, tasks):
            connectors = {connector.name: connector for connector in cluster.connectors}
            connectors[name] = Connector(name, tasks)
            return replace(cluster, connectors=tuple(connectors.values()))
        case Delete(name):
            left_over = tuple(each for each in cluster.connectors if each.name != name)
            return replace(cluster, connectors=left_over)
        case Lead():
            return replace(cluster, memory=FORGOTTEN)
        case _:
            return cluster


def apply_events(cluster: Cluster, events: Iterable[Event]) -> Cluster:
    """Return the cluster after several events without a round between them."""
    for event in events:
        cluster = happen(cluster, event)
    return cluster


def restart(cluster: Cluster, number: int) -> Timeline:
    """Return the slow rolling restart of the first `number` workers: each leaves, and a new one joins after the delay, before the next one leaves.

    Raises InputError if there are fewer workers, or none would be left.
    """
    if len(cluster.workers) < 2 or not 1 <= number <= len(cluster.workers):
        raise InputError(
            f"restart: {number} of {len(cluster.workers)} workers. Take a cluster of 2 or more and restart 1 to all of them"
        )
    events: list[Event] = []
    for worker, name in zip(cluster.workers, _free(cluster, number), strict=False):
        events += [Leave(worker.id), Join(name)]
    return Timeline(cluster, tuple(events))


def bounce(cluster: Cluster, number: int) -> Timeline:
    """Return the timeline in which the first `number` workers leave together and come back during the delay.

    Raises InputError if there are fewer workers, or none would be left.
    """
    if not 1 <= number < len(cluster.workers):
        raise InputError(
            f"bounce: {number} of {len(cluster.workers)} workers. Take 1 or more, and fewer than there are"
        )
    gone = tuple(worker.id for worker in cluster.workers[:number])
    return Timeline(cluster, (Bounce(gone, tuple(_free(cluster, number))),))


def scale_out(cluster: Cluster, number: int) -> Timeline:
    """Return the timeline in which `number` workers join one by one; raises InputError if none is to join."""
    if number < 1:
        raise InputError(f"scale-out: {number} workers join. Give 1 or more")
    return Timeline(cluster, tuple(map(Join, _free(cluster, number))))


def apply_changes(
    cluster: Cluster, join: int, leave: Sequence[str], partitions: Mapping[str, int]
) -> Cluster:
    """Return the cluster of the next rebalance after workers join or leave.

    Raises InputError if partitions are to grow.
    """
    if partitions:
        raise InputError(
            f"{next(iter(partitions))}: workers of Connect run connectors and tasks, which have no partitions. Leave the event out"
        )
    return apply_events(cluster, [*map(Join, _free(cluster, join)), *map(Leave, leave)])


def _free(cluster: Cluster, number: int) -> list[str]:
    known = {worker.id for worker in cluster.workers}
    return [name for n in range(number + len(known)) if (name := f"joined-{n:05}") not in known][:number]


SEQUENCES: Mapping[str, Callable[[Cluster, int], Timeline]] = {
    "restart": restart,
    "bounce": bounce,
    "scale-out": scale_out,
}
"""Kind of sequence -> its timeline for a number of workers."""


def stages(timeline: Timeline) -> tuple[Cluster, ...]:
    """Return the groups of each rebalance of a timeline, with unchanged assignments."""
    found = [timeline.start]
    for event in timeline.events:
        found.append(happen(found[-1], event))
    return tuple(found)


def rounds(assign: Assign, timeline: Timeline) -> Iterator[Sequence[tuple[Cluster, WorkAssignment]]]:
    """Play a timeline: yield for each event the rounds until nothing is revoked or waited for.

    Raises AssignorError if the assignor fails.
    """
    cluster = timeline.start
    for event in (None, *timeline.events):
        away: list[tuple[Cluster, WorkAssignment]] = []
        if isinstance(event, Bounce):
            fewer = apply_events(cluster, event.leaving)
            away = [(fewer, assign(fewer))]
            cluster = apply_events(apply_answer(*away[0], wait_ms=1), event.joining)
        elif event is not None:
            cluster = happen(cluster, event)
        played = away + run_until_converged(assign, cluster)
        yield played
        cluster = apply_answer(*played[-1], wait_ms=1)
