"""Measures: numbers of an answer to a cluster; less is better."""

from collections import Counter

from kassay.model.workers import NOTHING, Cluster, WorkAssignment
from kassay.properties.workers.losses import running


def _spread(counts: list[int]) -> int:
    return max(counts) - min(counts)


def connector_imbalance(cluster: Cluster, answer: WorkAssignment) -> int:
    """Most connectors on a worker less fewest."""
    return _spread([len(answer.workers.get(w.id, NOTHING).connectors) for w in cluster.workers])


def task_imbalance(cluster: Cluster, answer: WorkAssignment) -> int:
    """Most tasks on a worker less fewest."""
    return _spread([len(answer.workers.get(w.id, NOTHING).tasks) for w in cluster.workers])


def clustering(cluster: Cluster, answer: WorkAssignment) -> int:
    """Most tasks of one connector on a worker less fewest, of the connector for which that is most (KAFKA-17049)."""
    by_worker = [
        Counter(task.connector for task in answer.workers.get(w.id, NOTHING).tasks) for w in cluster.workers
    ]
    return max((_spread([counts[one.name] for counts in by_worker]) for one in cluster.connectors), default=0)


def moves(cluster: Cluster, answer: WorkAssignment) -> int:
    """Connectors and tasks that are configured and run on one worker, which does not keep them.

    What several workers run they all have to stop, so it counts for nothing.
    """
    configured = set(cluster.configured.items)
    kept = {name: set(work.items) for name, work in answer.workers.items()}
    return sum(
        len(workers) == 1 and item in configured and item not in kept.get(workers[0], ())
        for item, workers in running(cluster).items()
    )


def idle(cluster: Cluster, answer: WorkAssignment) -> int:
    """Connectors and tasks that run nowhere after the round."""
    given = {item for work in answer.workers.values() for item in work.items}
    return sum(item not in given for item in cluster.configured.items)


def started(cluster: Cluster, answer: WorkAssignment) -> int:
    """Connectors and tasks that a worker starts."""
    before = running(cluster)
    return sum(
        name not in before.get(item, ()) for name, work in answer.workers.items() for item in work.items
    )


def delay_ms(_: Cluster, answer: WorkAssignment) -> int:
    """Milliseconds until the next round."""
    return answer.delay_ms
