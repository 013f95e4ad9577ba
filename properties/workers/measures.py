"""Measures of an answer to a cluster, and of the rounds until it comes to rest; less is better.

Also what is lost, which means given out before, configured still, and run by nobody; and for whom the leader waits.
"""

from collections import Counter

from kassay.model.workers import NOTHING, Cluster, Item, Work, WorkAssignment, distinct
from kassay.properties.workers.timelines import ROUNDS, Assign, comes_to_rest, until_rest


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


def connector_excess(cluster: Cluster, answer: WorkAssignment) -> int:
    """How much less evenly connectors' tasks lie on the workers than they could: half of what the squares of each one's tasks are above the least.

    It is whole, and 0 exactly where no two workers are more than one task of the same connector apart. Moving a of a connector's tasks
    from one to another of q + q counts a squared.
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


def rounds(assign: Assign, cluster: Cluster) -> int:
    """Rebalances until it asks for no other one; ROUNDS + 1 where it always does."""
    played = until_rest(assign, cluster)
    return len(played) if comes_to_rest(played) else ROUNDS + 1


def total_moves(assign: Assign, cluster: Cluster) -> int:
    """Connectors and tasks that workers stop until it comes to rest, though they are configured."""
    return sum(moves(*each) for each in until_rest(assign, cluster))


def delays_ms(assign: Assign, cluster: Cluster) -> int:
    """Milliseconds of delay until it comes to rest."""
    return sum(answer.delay_ms for _, answer in until_rest(assign, cluster))


def idle_ms(assign: Assign, cluster: Cluster) -> int:
    """Milliseconds of delay that connectors and tasks run nowhere until it comes to rest, of all of them together."""
    return sum(idle(joined, answer) * answer.delay_ms for joined, answer in until_rest(assign, cluster))


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
    """Return True if a worker of the leader's last round is not there."""
    return not {worker.id for worker in cluster.workers}.issuperset(cluster.memory.members)


def waits(cluster: Cluster) -> bool:
    """Return True if what is lost has to wait in this round: a worker left, and the time that it is waited for is not over."""
    memory = cluster.memory
    if not lost(cluster) or cluster.max_delay_ms == 0:
        return False
    if memory.scheduled_rebalance_ms > 0:
        return cluster.time_ms < memory.scheduled_rebalance_ms
    return somebody_left(cluster)


def over(cluster: Cluster) -> bool:
    """Return True if something is lost and the time that it was waited for is over."""
    return bool(lost(cluster)) and 0 < cluster.memory.scheduled_rebalance_ms <= cluster.time_ms
