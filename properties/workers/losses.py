"""What is lost: given out before, configured still, and run by nobody; and for whom the leader waits."""

from kassay.model.workers import Cluster, Item, Work, distinct


def running(cluster: Cluster) -> dict[Item, list[str]]:
    """Return the workers that run each connector and each task."""
    found: dict[Item, list[str]] = {}
    for worker in cluster.workers:
        for item in worker.work.items:
            found.setdefault(item, []).append(worker.id)
    return found


def remembered(cluster: Cluster) -> Work:
    """Return what the leader knows it gave out.

    That is what it remembers; nothing where its last round is not the last one that was completed, and what runs now where something
    still runs that it had revoked. Source: KIP-415.
    """
    memory = cluster.memory
    run = running(cluster)
    if any(item in run for item in memory.revocation.items):
        return distinct(worker.work for worker in cluster.workers)
    return memory.assignment if memory.generation == cluster.last_completed_generation else Work()


def lost(cluster: Cluster) -> list[Item]:
    """Return what is lost, connectors first."""
    run, configured = running(cluster), set(cluster.configured.items)
    return [item for item in remembered(cluster).items if item in configured and item not in run]


def somebody_left(cluster: Cluster) -> bool:
    """Say whether a worker of the leader's last round is not there."""
    return not {worker.id for worker in cluster.workers}.issuperset(cluster.memory.members)


def waits(cluster: Cluster) -> bool:
    """Say whether what is lost has to wait in this round: somebody left, and the time that it is waited for is not over."""
    memory = cluster.memory
    if not lost(cluster) or cluster.max_delay_ms == 0:
        return False
    if memory.scheduled_rebalance_ms > 0:
        return cluster.time_ms < memory.scheduled_rebalance_ms
    return somebody_left(cluster)


def over(cluster: Cluster) -> bool:
    """Say whether something is lost and the time that it was waited for is over."""
    return bool(lost(cluster)) and 0 < cluster.memory.scheduled_rebalance_ms <= cluster.time_ms
