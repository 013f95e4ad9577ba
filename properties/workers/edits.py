"""Edits of clusters: parts left out or renamed, wherever they are named."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace

from kassay.model.workers import Cluster, ConnectorTask, Item, Memory, Work


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
