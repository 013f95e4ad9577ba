"""Shrinking of Connect clusters: the order of clusters, and the steps that the shrinker tries.

The order is size, then the distance from plain names and from their order.
"""

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from typing import Any

from kassay.model.workers import FIVE_MINUTES_MS, FORGOTTEN, Cluster, ConnectorTask, Item, Work
from kassay.properties.minimise import (
    Shrinker,
    distance,
    inversions,
    keep_some,
    list_lower,
    parts,
    put,
    renamings,
    with_each,
    with_one,
)


def _edit_work(cluster: Cluster, edit: Callable[[Work], Work]) -> Cluster:
    """Return the cluster after the same edit of everything that workers run or the leader remembers."""
    workers = tuple(replace(worker, work=edit(worker.work)) for worker in cluster.workers)
    memory = replace(
        cluster.memory, assignment=edit(cluster.memory.assignment), revocation=edit(cluster.memory.revocation)
    )
    return replace(cluster, workers=workers, memory=memory)


def _remove_items(work: Work, items: Collection[Item]) -> Work:
    return Work(
        tuple(name for name in work.connectors if name not in items),
        tuple(task for task in work.tasks if task not in items),
    )


def _without(cluster: Cluster, items: Collection[Item]) -> Cluster:
    """Return the cluster in which these connectors and tasks are neither run nor remembered."""
    return _edit_work(cluster, lambda work: _remove_items(work, items))


def _list_works(cluster: Cluster) -> list[Work]:
    memory = cluster.memory
    return [*(worker.work for worker in cluster.workers), memory.assignment, memory.revocation]


def names_by_kind(cluster: Cluster) -> dict[str, list[str]]:
    """Return the names of all workers and connectors that are mentioned anywhere, sorted, by the letter of plain ones."""
    memory = cluster.memory
    connectors = {connector.name for connector in cluster.connectors}
    for work in _list_works(cluster):
        connectors.update(work.connectors, (task.connector for task in work.tasks))
    workers = {worker.id for worker in cluster.workers} | {*memory.members, *memory.candidates}
    return {"w": sorted(workers), "c": sorted(connectors)}


def size(cluster: Cluster) -> tuple[int, ...]:
    """Return the size of a cluster: the most important number first, features before their numbers."""
    memory = cluster.memory
    usual_delay = cluster.max_delay_ms == FIVE_MINUTES_MS
    return (
        len(cluster.workers),
        len(cluster.connectors),
        sum(connector.tasks for connector in cluster.connectors),
        sum(map(len, names_by_kind(cluster).values())),
        memory != FORGOTTEN,
        sum(len(worker.work.items) for worker in cluster.workers),
        len(memory.assignment.items) + len(memory.revocation.items),
        len(memory.members) + len(memory.candidates),
        not usual_delay,
        memory.revoked + (not memory.may_revoke) + bool(memory.scheduled_rebalance_ms),
        memory.revoking_rounds,
        abs(memory.generation - cluster.last_completed_generation) if memory != FORGOTTEN else 0,
        cluster.generation,
        abs(cluster.last_completed_generation),
        memory.delay_ms,
        cluster.time_ms,
        memory.scheduled_rebalance_ms,
        0 if usual_delay else cluster.max_delay_ms,
    )


def disorder(cluster: Cluster) -> tuple[int, ...]:
    """Return the distance of the names from plain ones, and of the lists from their order."""
    memory = cluster.memory
    lists = [
        [worker.id for worker in cluster.workers], [connector.name for connector in cluster.connectors],
        memory.members, memory.candidates,
        *(items for work in _list_works(cluster) for items in (work.connectors, work.tasks)),
    ]  # fmt: skip
    return (*distance(names_by_kind(cluster)), sum(map(inversions, lists)))


def remove_workers(cluster: Cluster) -> Iterator[Cluster]:
    """Leave out workers, also in the leader's memory; their work goes with them, or is lost."""
    memory = cluster.memory
    for left, gone in keep_some(cluster.workers):
        ids = {worker.id for worker in gone}
        members, candidates = (
            tuple(name for name in known if name not in ids) for known in (memory.members, memory.candidates)
        )
        fewer = replace(cluster, workers=left, memory=replace(memory, members=members, candidates=candidates))
        yield _without(fewer, {item for worker in gone for item in worker.work.items})
        yield fewer


def remove_connectors(cluster: Cluster) -> Iterator[Cluster]:
    """Leave out connectors with their tasks."""
    known = names_by_kind(cluster)["c"]
    for part in parts(len(known)):
        gone = set(known[part])
        tasks = {task for work in _list_works(cluster) for task in work.tasks if task.connector in gone}
        left = tuple(connector for connector in cluster.connectors if connector.name not in gone)
        yield _without(replace(cluster, connectors=left), gone | tasks)


def lower_tasks(cluster: Cluster) -> Iterator[Cluster]:
    """Give connectors fewer tasks, with or without an end of the tasks that run."""
    for at, connector in enumerate(cluster.connectors):
        for tasks in list_lower(connector.tasks, 0):
            lower = with_one(cluster, "connectors", at, tasks=tasks)
            yield _without(lower, {ConnectorTask(connector.name, n) for n in range(tasks, connector.tasks)})
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
            yield with_one(cluster, "workers", at, work=_remove_items(worker.work, {item}))
    for name in ("assignment", "revocation"):
        work: Work = getattr(cluster.memory, name)
        for item in work.items:
            left: dict[str, Any] = {name: _remove_items(work, {item})}
            yield replace(cluster, memory=replace(cluster.memory, **left))


def lower_numbers(cluster: Cluster) -> Iterator[Cluster]:
    """Lower the time, the generation and the maximum delay, together with what the leader remembers of them."""
    memory = cluster.memory
    scheduled_ms = memory.scheduled_rebalance_ms
    yield replace(cluster, max_delay_ms=FIVE_MINUTES_MS)
    yield replace(cluster, max_delay_ms=0)
    completed = memory if memory == FORGOTTEN else replace(memory, generation=0)
    yield replace(cluster, generation=1, last_completed_generation=0, memory=completed)
    yield replace(cluster, last_completed_generation=0)
    yield replace(cluster, generation=1)
    for earlier in dict.fromkeys((cluster.time_ms, scheduled_ms - 1, cluster.time_ms // 2, 1)):
        if 0 < earlier <= cluster.time_ms:
            sooner = replace(memory, scheduled_rebalance_ms=max(scheduled_ms - earlier, 0))
            yield replace(cluster, time_ms=cluster.time_ms - earlier, memory=sooner)
    yield replace(cluster, time_ms=0)
    for lower in dict.fromkeys((1, cluster.time_ms, cluster.time_ms + 1, scheduled_ms - 1)):
        if 0 < lower < scheduled_ms:
            yield replace(cluster, memory=replace(memory, scheduled_rebalance_ms=lower))


def canonicalize_names(cluster: Cluster) -> Iterator[Cluster]:
    """Give workers and connectors plain names of the same order."""
    for renaming in renamings(names_by_kind(cluster)):
        yield _rename(cluster, renaming)


def _rename(cluster: Cluster, renaming: dict[str, dict[str, str]]) -> Cluster:
    workers, connectors = renaming.get("w", {}), renaming.get("c", {})
    other = _edit_work(
        cluster,
        lambda work: Work(
            tuple(connectors.get(name, name) for name in work.connectors),
            tuple(
                task._replace(connector=connectors.get(task.connector, task.connector)) for task in work.tasks
            ),
        ),
    )
    memory = replace(
        other.memory,
        members=tuple(workers.get(name, name) for name in other.memory.members),
        candidates=tuple(workers.get(name, name) for name in other.memory.candidates),
    )
    return replace(
        other,
        connectors=tuple(replace(one, name=connectors.get(one.name, one.name)) for one in other.connectors),
        workers=tuple(replace(one, id=workers.get(one.id, one.id)) for one in other.workers),
        memory=memory,
    )


def canonicalize_order(cluster: Cluster) -> Iterator[Cluster]:
    """Sort the lists: the connectors and all work, then connectors, workers and the lists of the memory alone."""
    connectors = tuple(sorted(cluster.connectors, key=lambda connector: connector.name))
    in_order = _edit_work(
        cluster, lambda work: Work(tuple(sorted(work.connectors)), tuple(sorted(work.tasks)))
    )
    yield replace(in_order, connectors=connectors)
    yield replace(cluster, connectors=connectors)
    yield replace(cluster, workers=tuple(sorted(cluster.workers, key=lambda worker: worker.id)))
    memory = cluster.memory
    yield replace(cluster, memory=replace(memory, members=tuple(sorted(memory.members))))
    yield replace(cluster, memory=replace(memory, candidates=tuple(sorted(memory.candidates))))


SHRINKER = Shrinker(
    size, disorder,
    (
        remove_workers, remove_connectors, lower_tasks, drop_memory, drop_items, lower_numbers, canonicalize_names,
        canonicalize_order,
    ),
)  # fmt: skip
smaller = SHRINKER.list_smaller
