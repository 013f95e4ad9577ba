"""The order in which the minimiser descends: how large a cluster is, then how far from plain names and their order."""

from kassay.model.workers import FIVE_MINUTES_MS, FORGOTTEN, Cluster
from kassay.properties.plain_names import distance, inversions
from kassay.properties.workers.edits import names


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
