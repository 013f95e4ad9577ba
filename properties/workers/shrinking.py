"""Shrinking of Connect clusters: the order in which the minimiser descends, and its steps.

The order is size, then how far names are from plain ones and from their order.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any

from kassay.model.workers import (
    FIVE_MINUTES_MS,
    FORGOTTEN,
    Cluster,
    ConnectorTask,
    Item,
    Memory,
    Work,
)
from kassay.properties.minimise import (
    descend,
    distance,
    in_pairs,
    inversions,
    parts,
    put,
    renamings,
    with_each,
    with_one,
)


def edited(cluster: Cluster, edit: Callable[[Work], Work]) -> Cluster:
    """Return the cluster with everything that is run or remembered edited alike."""
    workers = tuple(replace(worker, work=edit(worker.work)) for worker in cluster.workers)
    memory = replace(
        cluster.memory, assignment=edit(cluster.memory.assignment), revocation=edit(cluster.memory.revocation)
    )
    return replace(cluster, workers=workers, memory=memory)


def without(items: Collection[Item]) -> Callable[[Work], Work]:
    """Return what leaves some connectors and tasks out of work."""
    return lambda work: Work(
        tuple(name for name in work.connectors if name not in items),
        tuple(task for task in work.tasks if task not in items),
    )


def without_connectors(cluster: Cluster, names: Collection[str]) -> Cluster:
    """Return the cluster without some connectors and their tasks, as if they had never been."""

    def left(work: Work) -> Work:
        return Work(
            tuple(name for name in work.connectors if name not in names),
            tuple(task for task in work.tasks if task.connector not in names),
        )

    known = tuple(connector for connector in cluster.connectors if connector.name not in names)
    return edited(replace(cluster, connectors=known), left)


def without_workers(cluster: Cluster, ids: Collection[str]) -> Cluster:
    """Return the cluster without some workers, which are remembered no more."""
    memory = replace(
        cluster.memory,
        members=tuple(name for name in cluster.memory.members if name not in ids),
        candidates=tuple(name for name in cluster.memory.candidates if name not in ids),
    )
    left = tuple(worker for worker in cluster.workers if worker.id not in ids)
    return replace(cluster, workers=left, memory=memory)


def renamed(cluster: Cluster, workers: Mapping[str, str], connectors: Mapping[str, str]) -> Cluster:
    """Return the cluster in which some workers and connectors have other names."""

    def new(work: Work) -> Work:
        return Work(
            tuple(connectors.get(name, name) for name in work.connectors),
            tuple(
                ConnectorTask(connectors.get(task.connector, task.connector), task.task)
                for task in work.tasks
            ),
        )

    called = edited(cluster, new)
    memory: Memory = replace(
        called.memory,
        members=tuple(workers.get(name, name) for name in called.memory.members),
        candidates=tuple(workers.get(name, name) for name in called.memory.candidates),
    )
    return replace(
        called,
        connectors=tuple(replace(one, name=connectors.get(one.name, one.name)) for one in called.connectors),
        workers=tuple(replace(one, id=workers.get(one.id, one.id)) for one in called.workers),
        memory=memory,
    )


def names(cluster: Cluster) -> tuple[list[str], list[str]]:
    """Return all workers and all connectors that are named anywhere, each sorted."""
    memory = cluster.memory
    works = [*(worker.work for worker in cluster.workers), memory.assignment, memory.revocation]
    connectors = {connector.name for connector in cluster.connectors}
    for work in works:
        connectors.update(work.connectors, (task.connector for task in work.tasks))
    workers = {worker.id for worker in cluster.workers} | {*memory.members, *memory.candidates}
    return sorted(workers), sorted(connectors)


def size(cluster: Cluster) -> tuple[int, ...]:
    """Return how large a cluster is: the weightiest first, features before their numbers."""
    memory = cluster.memory
    held = [len(worker.work.items) for worker in cluster.workers]
    remembered = len(memory.assignment.items) + len(memory.revocation.items)
    workers, connectors = names(cluster)
    return (
        len(cluster.workers),
        len(cluster.connectors),
        sum(connector.tasks for connector in cluster.connectors),
        len(workers) + len(connectors),
        memory != FORGOTTEN,
        sum(held),
        remembered,
        len(memory.members) + len(memory.candidates),
        cluster.max_delay_ms != FIVE_MINUTES_MS,
        memory.revoked + (not memory.may_revoke) + bool(memory.scheduled_rebalance_ms),
        memory.revoking_rounds,
        abs(memory.generation - cluster.last_completed_generation) if memory != FORGOTTEN else 0,
        cluster.generation,
        abs(cluster.last_completed_generation),
        memory.delay_ms,
        cluster.time_ms,
        memory.scheduled_rebalance_ms,
        cluster.max_delay_ms if cluster.max_delay_ms != FIVE_MINUTES_MS else 0,
    )


def disorder(cluster: Cluster) -> tuple[int, ...]:
    """Return how far the names are from plain ones, and what is listed from their order."""
    workers, connectors = names(cluster)
    memory = cluster.memory
    listed = [
        [worker.id for worker in cluster.workers], [connector.name for connector in cluster.connectors],
        memory.members, memory.candidates, memory.assignment.connectors, memory.assignment.tasks,
        memory.revocation.connectors, memory.revocation.tasks,
        *(worker.work.connectors for worker in cluster.workers), *(worker.work.tasks for worker in cluster.workers),
    ]  # fmt: skip
    return (*distance({"w": workers, "c": connectors}), sum(inversions(each) for each in listed))


def order_key(cluster: Cluster) -> tuple[int, ...]:
    """Return the key by which every step makes a cluster smaller, so that minimising ends: size, then disorder."""
    return (*size(cluster), *disorder(cluster))


def smaller(cluster: Cluster) -> Iterator[Cluster]:
    """Yield clusters smaller than this one by `order_key`: steps, then pairs of steps. Never one without workers."""
    return in_pairs(cluster, steps)


def steps(cluster: Cluster) -> Iterator[Cluster]:
    """Yield the clusters that are a step smaller than this one."""
    return descend(cluster, STEPS, size, disorder)


def remove_workers(cluster: Cluster) -> Iterator[Cluster]:
    """Leave workers out; what they ran goes with them, or is lost."""
    for some in parts(len(cluster.workers)):
        gone = cluster.workers[some]
        if len(gone) == len(cluster.workers):
            continue
        left = without_workers(cluster, {worker.id for worker in gone})
        ran = {item for worker in gone for item in worker.work.items}
        yield edited(left, without(ran))
        yield left


def remove_connectors(cluster: Cluster) -> Iterator[Cluster]:
    """Leave connectors out, with their tasks."""
    _, known = names(cluster)
    for some in parts(len(known)):
        yield without_connectors(cluster, set(known[some]))


def lower_tasks(cluster: Cluster) -> Iterator[Cluster]:
    """Give connectors fewer tasks, also to those that run."""
    for at, connector in enumerate(cluster.connectors):
        for tasks in dict.fromkeys((0, connector.tasks // 2, connector.tasks - 1)):
            if 0 <= tasks < connector.tasks:
                lower = with_one(cluster, "connectors", at, tasks=tasks)
                gone = {
                    task
                    for task in cluster.configured.tasks
                    if task.connector == connector.name and task.task >= tasks
                }
                yield edited(lower, without(gone))
                yield lower


def drop_memory(cluster: Cluster) -> Iterator[Cluster]:
    """Forget everything, or a part."""
    memory = cluster.memory
    forgotten = replace(cluster, memory=FORGOTTEN)
    yield forgotten
    yield with_each(forgotten, "workers", work=Work())
    lesser: list[dict[str, Any]] = [
        {"scheduled_rebalance_ms": 0, "delay_ms": 0, "candidates": ()},
        {"delay_ms": 0},
        {"revocation": Work()},
        {"revoked": False},
        {"may_revoke": True},
        {"revoking_rounds": memory.revoking_rounds // 2},
        {"members": ()},
        *({"members": put(memory.members, at)} for at in range(len(memory.members))),
        *({"candidates": put(memory.candidates, at)} for at in range(len(memory.candidates))),
    ]
    for changes in lesser:
        yield replace(cluster, memory=replace(memory, **changes))


def drop_items(cluster: Cluster) -> Iterator[Cluster]:
    """Let workers run less, or the leader remember less, one connector or task at a time."""
    for at, worker in enumerate(cluster.workers):
        for item in worker.work.items:
            yield with_one(cluster, "workers", at, work=without({item})(worker.work))
    for name in ("assignment", "revocation"):
        work: Work = getattr(cluster.memory, name)
        for item in work.items:
            left: dict[str, Any] = {name: without({item})(work)}
            yield replace(cluster, memory=replace(cluster.memory, **left))


def lower_numbers(cluster: Cluster) -> Iterator[Cluster]:
    """Lower the time, the generation and the longest delay, together with what is remembered of them."""
    memory = cluster.memory
    yield replace(cluster, max_delay_ms=FIVE_MINUTES_MS)
    yield replace(cluster, max_delay_ms=0)
    completed = memory if memory == FORGOTTEN else replace(memory, generation=0)
    yield replace(cluster, generation=1, last_completed_generation=0, memory=completed)
    yield replace(cluster, last_completed_generation=0)
    yield replace(cluster, generation=1)
    for earlier in dict.fromkeys(
        (cluster.time_ms, memory.scheduled_rebalance_ms - 1, cluster.time_ms // 2, 1)
    ):
        if 0 < earlier <= cluster.time_ms:
            scheduled = max(memory.scheduled_rebalance_ms - earlier, 0)
            yield replace(
                cluster,
                time_ms=cluster.time_ms - earlier,
                memory=replace(memory, scheduled_rebalance_ms=scheduled),
            )
    yield replace(cluster, time_ms=0)
    for scheduled in dict.fromkeys(
        (1, cluster.time_ms, cluster.time_ms + 1, memory.scheduled_rebalance_ms - 1)
    ):
        if 0 < scheduled < memory.scheduled_rebalance_ms:
            yield replace(cluster, memory=replace(memory, scheduled_rebalance_ms=scheduled))


def canonical_names(cluster: Cluster) -> Iterator[Cluster]:
    """Give workers and connectors plain names of the same order."""
    workers, connectors = names(cluster)
    for renaming in renamings({"w": workers, "c": connectors}):
        yield renamed(cluster, renaming.get("w", {}), renaming.get("c", {}))


def canonical_order(cluster: Cluster) -> Iterator[Cluster]:
    """List what is listed in its order."""
    connectors = tuple(sorted(cluster.connectors, key=lambda connector: connector.name))
    in_order = edited(cluster, lambda work: Work(tuple(sorted(work.connectors)), tuple(sorted(work.tasks))))
    yield replace(in_order, connectors=connectors)
    yield replace(cluster, connectors=connectors)
    yield replace(cluster, workers=tuple(sorted(cluster.workers, key=lambda worker: worker.id)))
    memory = cluster.memory
    yield replace(cluster, memory=replace(memory, members=tuple(sorted(memory.members))))
    yield replace(cluster, memory=replace(memory, candidates=tuple(sorted(memory.candidates))))


STEPS = (
    remove_workers, remove_connectors, lower_tasks, drop_memory, drop_items, lower_numbers, canonical_names,
    canonical_order,
)  # fmt: skip
"""The kinds of step, in the order in which they are tried."""
