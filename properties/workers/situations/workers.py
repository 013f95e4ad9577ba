"""Situations of workers, connectors and settings."""

from kassay.model.workers import Cluster
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
    """The longest delay is 0: nobody is waited for."""
    return cluster.max_delay_ms == 0


def hash_order_differs(cluster: Cluster) -> bool:
    """Java's hash maps have the workers in another order than that of their ids."""
    ids = [worker.id for worker in cluster.workers]
    return hash_order(ids, string_hash, order_of=string_order) != sorted(ids, key=string_order)
