"""Situations of Connect clusters: each public function is one, in the order in which they are listed."""

from kassay.model.workers import FORGOTTEN, Cluster, ConnectorTask
from kassay.properties.workers.measures import lost, over, remembered, running, somebody_left, waits
from kassay.reference.java.hash_map import hash_order
from kassay.reference.java.strings import string_hash, string_order


def single_worker(cluster: Cluster) -> bool:
    """There is one worker."""
    return len(cluster.workers) == 1


def more_workers_than_tasks(cluster: Cluster) -> bool:
    """There are more workers than tasks."""
    return len(cluster.workers) > len(cluster.configured.tasks)


def several_connectors(cluster: Cluster) -> bool:
    """There are several connectors."""
    return len(cluster.connectors) > 1


def uneven_connectors(cluster: Cluster) -> bool:
    """Connectors have different numbers of tasks."""
    return len({connector.tasks for connector in cluster.connectors}) > 1


def no_tasks(cluster: Cluster) -> bool:
    """A connector has no tasks."""
    return any(not connector.tasks for connector in cluster.connectors)


def nothing_configured(cluster: Cluster) -> bool:
    """There is no connector."""
    return not cluster.connectors


def no_delay(cluster: Cluster) -> bool:
    """The maximum delay is 0: lost work does not wait."""
    return cluster.max_delay_ms == 0


def hash_order_differs(cluster: Cluster) -> bool:
    """Java's hash maps have the workers in another order than their ids."""
    ids = [worker.id for worker in cluster.workers]
    return hash_order(ids, string_hash, order_of=string_order) != sorted(ids, key=string_order)


def new_cluster(cluster: Cluster) -> bool:
    """No worker runs anything, and the leader remembers nothing."""
    return cluster.memory == FORGOTTEN and not any(worker.work.items for worker in cluster.workers)


def newcomer(cluster: Cluster) -> bool:
    """A worker has nothing while others run something."""
    return len({bool(worker.work.items) for worker in cluster.workers}) > 1


def departed(cluster: Cluster) -> bool:
    """A worker of the last round is not there."""
    return somebody_left(cluster)


def lost_work(cluster: Cluster) -> bool:
    """Something that was given out runs nowhere."""
    return bool(lost(cluster))


def waiting(cluster: Cluster) -> bool:
    """Something lost has to wait for its worker."""
    return waits(cluster)


def delay_over(cluster: Cluster) -> bool:
    """Something lost was waited for, and the time is over."""
    return over(cluster)


def candidates_present(cluster: Cluster) -> bool:
    """A worker that had nothing while something was waited for is there."""
    return any(worker.id in cluster.memory.candidates for worker in cluster.workers)


def crowded_candidates(cluster: Cluster) -> bool:
    """The time of lost work is over, and workers that are to get it would have more than their share of connectors or tasks."""
    candidates = [worker for worker in cluster.workers if worker.id in cluster.memory.candidates]
    if not candidates or not over(cluster):
        return False
    gone, configured = lost(cluster), cluster.configured
    tasks = sum(isinstance(item, ConnectorTask) for item in gone)
    for missing, every, has in (
        (len(gone) - tasks, len(configured.connectors), [len(w.work.connectors) for w in candidates]),
        (tasks, len(configured.tasks), [len(w.work.tasks) for w in candidates]),
    ):
        if max(has) + -(-missing // len(candidates)) > every // len(cluster.workers):
            return True
    return False


def uneven_running(cluster: Cluster) -> bool:
    """A worker runs two connectors or two tasks more than another one."""
    connectors = [len(worker.work.connectors) for worker in cluster.workers]
    tasks = [len(worker.work.tasks) for worker in cluster.workers]
    return max(connectors) - min(connectors) > 1 or max(tasks) - min(tasks) > 1


def created(cluster: Cluster) -> bool:
    """A connector or a task is new: no worker runs it, and the leader has not assigned it."""
    known = {*running(cluster), *remembered(cluster).items}
    return any(item not in known for item in cluster.configured.items)


def deleted(cluster: Cluster) -> bool:
    """Workers run what is not configured any more, and the leader knows that it gave it out."""
    gone = running(cluster).keys() - set(cluster.configured.items)
    return not gone.isdisjoint(remembered(cluster).items)


def forgotten_deletion(cluster: Cluster) -> bool:
    """Workers run what is not configured any more, and the leader does not remember that it gave it out."""
    gone = running(cluster).keys() - set(cluster.configured.items)
    return not gone <= set(remembered(cluster).items)


def contested(cluster: Cluster) -> bool:
    """Several workers run the same connector or task."""
    return any(len(workers) > 1 for workers in running(cluster).values())


def new_leader(cluster: Cluster) -> bool:
    """Workers run something, and the leader remembers nothing."""
    return cluster.memory == FORGOTTEN and any(worker.work.items for worker in cluster.workers)


def revoked_before(cluster: Cluster) -> bool:
    """The leader has revoked something in its last round."""
    return bool(cluster.memory.revocation.items)


def revocation_failed(cluster: Cluster) -> bool:
    """Work that the leader revoked in its last round still runs."""
    run = running(cluster)
    return any(item in run for item in cluster.memory.revocation.items)


def missed_round(cluster: Cluster) -> bool:
    """The leader's last round is not the last one that was completed, so that it forgets what it gave out."""
    return cluster.memory != FORGOTTEN and cluster.memory.generation != cluster.last_completed_generation
