"""Doubling: clusters that grow by doubling, by which it is told how the time of an answer grows."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from kassay.model.workers import Cluster, Connector, Worker
from kassay.properties.workers.rounds import Assign, after


def new_cluster(_: Assign, size: int) -> Cluster:
    """Make a new cluster of workers with two connectors of eight tasks for each."""
    connectors = tuple(Connector(f"c{at}", 8) for at in range(2 * size))
    return Cluster(connectors, tuple(Worker(f"w{at}") for at in range(size)))


def joined(assign: Assign, size: int) -> Cluster:
    """Make such a cluster to which a worker joins after its first round."""
    first = new_cluster(assign, size)
    running = after(first, assign(first), wait_ms=1)
    return replace(running, workers=(*running.workers, Worker("n0")))


GROWING: Mapping[str, Callable[[Assign, int], Cluster]] = {
    "new workers": new_cluster,
    "workers that one joins": joined,
}
"""What grows -> its cluster for an assignor and a size, which is doubled each time."""
