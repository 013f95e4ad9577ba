"""What has happened to a generated cluster before its round: who runs what, and what the leader remembers of it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from kassay.model.workers import FORGOTTEN, Cluster, Connector, ConnectorTask, Memory, Work, Worker, distinct
from kassay.properties.choices import Choices

EVEN, GENERATION = 1_000, 5
"""The time of the last round of a running cluster, in milliseconds, and its generation."""


def with_history(choices: Choices, cluster: Cluster, newcomer: str, kind: str) -> Cluster:
    """Return a cluster to which something of a kind has happened; `newcomer` is the id of a worker that joins."""
    if kind == "none":
        return cluster
    before = _at_rest(cluster) if kind not in {"uneven", "contested"} else _scattered(choices, cluster)
    if kind == "rest":
        return before
    return _HAPPENED[kind](choices, before, newcomer)


def _running(cluster: Cluster, workers: Sequence[Worker]) -> Cluster:
    """Return the cluster at its next round, in which the leader remembers that it gave workers what they run."""
    memory = Memory(
        GENERATION, tuple(worker.id for worker in workers), distinct(worker.work for worker in workers)
    )
    return replace(
        cluster, workers=tuple(workers), time_ms=EVEN, generation=GENERATION + 1, last_completed_generation=GENERATION, memory=memory
    )  # fmt: skip


def _at_rest(cluster: Cluster) -> Cluster:
    """Let workers run everything in turn, connectors and tasks each evenly."""
    configured, ids = cluster.configured, [worker.id for worker in cluster.workers]
    number = len(ids)
    works = [Work(configured.connectors[at::number], configured.tasks[at::number]) for at in range(number)]
    return _running(cluster, [Worker(name, work) for name, work in zip(ids, works, strict=True)])


def _scattered(choices: Choices, cluster: Cluster) -> Cluster:
    """Let workers run everything anyhow."""
    connectors: list[list[str]] = [[] for _ in cluster.workers]
    tasks: list[list[ConnectorTask]] = [[] for _ in cluster.workers]
    for name in cluster.configured.connectors:
        choices.pick(connectors).append(name)
    for task in cluster.configured.tasks:
        choices.pick(tasks).append(task)
    works = [Work(tuple(some), tuple(others)) for some, others in zip(connectors, tasks, strict=True)]
    return _running(
        cluster, [replace(worker, work=work) for worker, work in zip(cluster.workers, works, strict=True)]
    )


def _joined(_: Choices, cluster: Cluster, newcomer: str) -> Cluster:
    return replace(cluster, workers=(*cluster.workers, Worker(newcomer)))


def _left(choices: Choices, cluster: Cluster, _: str) -> Cluster:
    """Let a worker leave, whose work is lost; the last one stays."""
    if len(cluster.workers) < 2:
        return cluster
    gone = choices.below(len(cluster.workers))
    left = tuple(worker for at, worker in enumerate(cluster.workers) if at != gone)
    return replace(cluster, workers=left)


def _waiting(choices: Choices, cluster: Cluster) -> Cluster:
    """Let a worker have left a round ago, so that its work is waited for."""
    left = _left(choices, cluster, "")
    if left is cluster or not cluster.max_delay_ms:
        return left
    empty = tuple(worker.id for worker in left.workers if not worker.work.items)
    memory = replace(
        left.memory,
        generation=left.generation,
        members=tuple(worker.id for worker in left.workers),
        candidates=empty,
        scheduled_rebalance_ms=left.time_ms + left.max_delay_ms,
        delay_ms=left.max_delay_ms,
    )
    return replace(
        left, memory=memory, generation=left.generation + 1, last_completed_generation=left.generation
    )


def _returned(choices: Choices, cluster: Cluster, newcomer: str) -> Cluster:
    """Let a worker join under a new id before the delay is over."""
    waiting = _joined(choices, _waiting(choices, cluster), newcomer)
    return replace(waiting, time_ms=waiting.time_ms + cluster.max_delay_ms // 2)


def _over(choices: Choices, cluster: Cluster, newcomer: str) -> Cluster:
    """Let the delay be over, with or without a worker that came back."""
    waiting = _waiting(choices, cluster)
    if choices.chance(50) and waiting.memory.scheduled_rebalance_ms:
        back = replace(waiting.memory, candidates=(*waiting.memory.candidates, newcomer))
        waiting = replace(_joined(choices, waiting, newcomer), memory=back)
    return replace(waiting, time_ms=waiting.time_ms + cluster.max_delay_ms + choices.below(2))


def _revoked(choices: Choices, cluster: Cluster, newcomer: str) -> Cluster:
    """Let a worker have joined a round ago, for which others have stopped some of their work."""
    joined = _joined(choices, cluster, newcomer)
    number, configured = len(joined.workers), cluster.configured
    most = -(-len(configured.connectors) // number), -(-len(configured.tasks) // number)
    works = {
        w.id: Work(
            w.work.connectors[-most[0] :] if most[0] else (), w.work.tasks[-most[1] :] if most[1] else ()
        )
        for w in joined.workers
    }
    taken = [
        Work(
            tuple(name for name in worker.work.connectors if name not in works[worker.id].connectors),
            tuple(task for task in worker.work.tasks if task not in works[worker.id].tasks),
        )
        for worker in joined.workers
    ]
    workers = [replace(worker, work=works[worker.id]) for worker in joined.workers]
    after = _running(joined, workers)
    revocation = distinct(taken)
    memory = replace(after.memory, revocation=revocation, revoked=bool(revocation.items))
    stopped = workers if choices.chance(75) else joined.workers  # or nobody was told
    return replace(after, memory=memory, workers=tuple(stopped))


def _created(_: Choices, cluster: Cluster, newcomer: str) -> Cluster:
    return replace(
        cluster, connectors=(*cluster.connectors, Connector(f"new-{newcomer}", len(cluster.workers)))
    )


def _deleted(choices: Choices, cluster: Cluster, _: str) -> Cluster:
    """Let a connector be deleted; workers still run it."""
    return replace(cluster, connectors=choices.part(cluster.connectors)) if cluster.connectors else cluster


def _shrunk(choices: Choices, cluster: Cluster, _: str) -> Cluster:
    """Let connectors have other numbers of tasks."""
    changed = tuple(replace(each, tasks=choices.below(each.tasks + 2)) for each in cluster.connectors)
    return replace(cluster, connectors=changed)


def _missed(choices: Choices, cluster: Cluster, _: str) -> Cluster:
    """Let a worker have nothing of what it was given."""
    late = choices.below(len(cluster.workers))
    workers = tuple(
        replace(worker, work=Work()) if at == late else worker for at, worker in enumerate(cluster.workers)
    )
    return replace(cluster, workers=workers)


def _forgotten(choices: Choices, cluster: Cluster, newcomer: str) -> Cluster:
    """Let another worker lead, that remembers nothing, perhaps because the leader left."""
    changed = _left(choices, cluster, newcomer) if choices.chance(50) else cluster
    changed = _deleted(choices, changed, newcomer) if choices.chance(25) else changed
    if choices.chance(25):  # it led before, and saw the last round through for somebody else
        return replace(
            changed,
            last_completed_generation=changed.last_completed_generation + 1,
            generation=GENERATION + 2,
        )
    return replace(changed, memory=FORGOTTEN)


def _contested(choices: Choices, cluster: Cluster, _: str) -> Cluster:
    """Let a worker come back that still runs what another one was given meanwhile."""
    one, other = choices.below(len(cluster.workers)), choices.below(len(cluster.workers))
    workers = list(cluster.workers)
    taken = Work(choices.some(workers[other].work.connectors), choices.some(workers[other].work.tasks))
    workers[one] = replace(workers[one], work=distinct([workers[one].work, taken]))
    return replace(cluster, workers=tuple(workers))


_HAPPENED: Mapping[str, Callable[[Choices, Cluster, str], Cluster]] = {
    "joined": _joined,
    "left": _left,
    "returned": _returned,
    "over": _over,
    "revoked": _revoked,
    "created": _created,
    "deleted": _deleted,
    "shrunk": _shrunk,
    "missed": _missed,
    "forgotten": _forgotten,
    "contested": _contested,
    "uneven": lambda _choices, cluster, _newcomer: cluster,
}
