"""Measures of an answer to a cluster, and of the rounds until it converges; less is better.

Also lost work, which was assigned before, is still configured, and runs nowhere; and the workers for which the leader waits.
"""

from collections import Counter

from kassay.model.workers import NOTHING, Cluster, Item, Work, WorkAssignment, merge_works
from kassay.properties.workers.timelines import ROUNDS, Assign, has_converged, run_until_converged


def _spread(counts: list[int]) -> int:
    return max(counts) - min(counts)


def connector_imbalance(cluster: Cluster, answer: WorkAssignment) -> int:
    """Maximum minus minimum connectors of a worker."""
    return _spread([len(answer.workers.get(w.id, NOTHING).connectors) for w in cluster.workers])


def task_imbalance(cluster: Cluster, answer: WorkAssignment) -> int:
    """Maximum minus minimum tasks of a worker."""
    return _spread([len(answer.workers.get(w.id, NOTHING).tasks) for w in cluster.workers])


def clustering(cluster: Cluster, answer: WorkAssignment) -> int:
    """Maximum minus minimum tasks of one connector on a worker, for the worst connector (KAFKA-17049)."""
    by_worker = [
        Counter(task.connector for task in answer.workers.get(w.id, NOTHING).tasks) for w in cluster.workers
    ]
    return max((_spread([counts[one.name] for counts in by_worker]) for one in cluster.connectors), default=0)


def connector_excess(cluster: Cluster, answer: WorkAssignment) -> int:
    """Half the excess of the squares of workers' tasks per connector over the minimum.

    It is an integer, and 0 exactly if workers differ by at most one task of each connector. If two workers have q tasks each, a
    move of `a` of them costs a squared.
    """
    workers = len(cluster.workers)
    held = Counter(
        (task.connector, worker.id)
        for worker in cluster.workers
        for task in answer.workers.get(worker.id, NOTHING).tasks
    )
    tasks: Counter[str] = Counter()
    for (name, _), count in held.items():
        tasks[name] += count
    dealt = (divmod(count, workers) for count in tasks.values())
    least = sum(over * (few + 1) ** 2 + (workers - over) * few**2 for few, over in dealt)
    return (sum(count * count for count in held.values()) - least) // 2


def moves(cluster: Cluster, answer: WorkAssignment) -> int:
    """Configured connectors and tasks that run on one worker, which does not keep them.

    Work of several workers does not count: all of them have to stop it.
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


def rounds(assign: Assign, cluster: Cluster) -> int:
    """Rebalances until it needs no other one; ROUNDS + 1 if it always does."""
    played = run_until_converged(assign, cluster)
    return len(played) if has_converged(played) else ROUNDS + 1


def total_moves(assign: Assign, cluster: Cluster) -> int:
    """Configured connectors and tasks that workers stop until it converges."""
    return sum(moves(*each) for each in run_until_converged(assign, cluster))


def delays_ms(assign: Assign, cluster: Cluster) -> int:
    """Milliseconds of delay until it converges."""
    return sum(answer.delay_ms for _, answer in run_until_converged(assign, cluster))


def idle_ms(assign: Assign, cluster: Cluster) -> int:
    """Milliseconds of delay that connectors and tasks run nowhere until it converges, in total."""
    return sum(
        idle(joined, answer) * answer.delay_ms for joined, answer in run_until_converged(assign, cluster)
    )


def running(cluster: Cluster) -> dict[Item, list[str]]:
    """Return the workers that run each connector and each task."""
    found: dict[Item, list[str]] = {}
    for worker in cluster.workers:
        for item in worker.work.items:
            found.setdefault(item, []).append(worker.id)
    return found


def remembered(cluster: Cluster) -> Work:
    """Return the work that the leader knows it assigned.

    It is the running work if revoked work still runs, nothing if its last round is not the last completed one, else the
    remembered work. Source: KIP-415.
    """
    memory = cluster.memory
    run = running(cluster)
    if any(item in run for item in memory.revocation.items):
        return merge_works(worker.work for worker in cluster.workers)
    return memory.assignment if memory.generation == cluster.last_completed_generation else Work()


def lost(cluster: Cluster) -> list[Item]:
    """Return the lost work, connectors first."""
    run, configured = running(cluster), set(cluster.configured.items)
    return [item for item in remembered(cluster).items if item in configured and item not in run]


def somebody_left(cluster: Cluster) -> bool:
    """Return True if a worker of the leader's last round is missing."""
    return not {worker.id for worker in cluster.workers}.issuperset(cluster.memory.members)


def waits(cluster: Cluster) -> bool:
    """Return True if lost work has to wait in this round: a worker left, and its delay is not over."""
    memory = cluster.memory
    if not lost(cluster) or cluster.max_delay_ms == 0:
        return False
    if memory.scheduled_rebalance_ms > 0:
        return cluster.time_ms < memory.scheduled_rebalance_ms
    return somebody_left(cluster)


def over(cluster: Cluster) -> bool:
    """Return True if work is lost and its delay is over."""
    return bool(lost(cluster)) and 0 < cluster.memory.scheduled_rebalance_ms <= cluster.time_ms
