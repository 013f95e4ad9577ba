"""Sampling clusters by seed: the limits and weights of a sweep as settings of the generator, the same on every machine.

Doubling: clusters that grow by doubling, by which it is told how the time of an answer grows.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from kassay.model.workers import Cluster, Connector, Worker
from kassay.properties.settings import drawing
from kassay.properties.workers.generating.clusters import PLAIN, USUAL, anything, timeline
from kassay.properties.workers.rounds import Assign, after

NUMBERS: Mapping[str, tuple[int, int]] = {
    "workers": (1, 10_000),
    "connectors": (1, 10_000),
    "tasks": (0, 10_000),
    "tasks_per_worker": (0, 1_000),
    "churn": (0, 1_000),
}
"""The widest limits of what is drawn uniformly between two limits; the usual ones are USUAL."""
KINDS: Mapping[str, Sequence[str]] = {
    "history": (
        "none", "rest", "joined", "left", "returned", "over", "revoked", "created", "deleted", "shrunk", "missed", "forgotten",
        "uneven", "contested",
    ),
    "names": ("plain", "random", "colliding", "hostile"),
    "delay": ("usual", "none", "short", "one"),
    "order": ("listed", "shuffled"),
    "shape": ("asked", "anything"),
}  # fmt: skip
"""What is drawn by weight for each cluster; the first kind where none is given. A shape of `anything` is what `kassay check` tries:
all else but `churn` is drawn without regard to the settings."""

draw = drawing(timeline, USUAL, PLAIN, KINDS, anything)


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
