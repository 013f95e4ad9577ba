"""Generators of large Connect clusters, and of clusters with generations and times at the limits of the machine's integers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from kassay.model.workers import Cluster
from kassay.properties.choices import COUNTS, EDGES, Choices, Settings
from kassay.properties.workers.clusters import ANY, ANY_HISTORY, USUAL, generate_cluster

FEW = {**USUAL, "workers": (2, 6), "connectors": (1, 3)}


HISTORY = {kind: weight for kind, weight in ANY_HISTORY.items() if kind != "shrunk"}
"""The kinds of history in which no connector loses its tasks, by weight."""


def choose_large_cluster(choices: Choices, numbers: Mapping[str, tuple[int, int]]) -> Cluster:
    """Choose a cluster of some numbers, small otherwise."""
    return generate_cluster(choices, Settings({**FEW, **numbers}, {**ANY, "history": HISTORY}, {}))


def _choose_large_connector(choices: Choices, counts: Sequence[int]) -> Cluster:
    """Choose a cluster that has one connector of many tasks."""
    most = choices.pick(counts)
    return choose_large_cluster(choices, {"connectors": (1, 1), "tasks": (most, most)})


TIMES = ((1 << 31) - 1, 1 << 31, (1 << 32) + 1, 1_764_331_200_000)
"""Times in milliseconds around the limits of 32 bits, and one of the real clock."""


def choose_edge_cluster(choices: Choices) -> Cluster:
    """Choose a running cluster with its generation around a limit, and a small or a large time."""
    history = {kind: weight for kind, weight in ANY_HISTORY.items() if kind != "none"}
    cluster = generate_cluster(choices, Settings(USUAL, {**ANY, "history": history}, {}))
    later = choices.pick(EDGES) - cluster.generation
    time = choices.pick(TIMES) if choices.chance(50) else cluster.time_ms
    passed = max(0, time - cluster.time_ms)
    memory = cluster.memory
    until = memory.scheduled_rebalance_ms
    moved = replace(
        memory,
        generation=memory.generation + later if memory.generation >= 0 else -1,
        scheduled_rebalance_ms=until + passed if until else 0,
    )
    return replace(
        cluster,
        time_ms=cluster.time_ms + passed,
        generation=cluster.generation + later,
        last_completed_generation=cluster.last_completed_generation + later
        if cluster.last_completed_generation >= 0
        else -1,
        memory=moved,
    )


LARGE: Mapping[str, Callable[[Choices], Cluster]] = {
    **{f"tasks {kind}": partial(_choose_large_connector, counts=counts) for kind, counts in COUNTS.items()},
    "workers": partial(choose_large_cluster, numbers={"workers": (17, 40), "connectors": (2, 10)}),
    "connectors": partial(choose_large_cluster, numbers={"connectors": (10, 30), "tasks": (0, 5)}),
}
"""Kind of large clusters -> the function that chooses one."""

DIMENSIONS: Mapping[str, tuple[int, Callable[[Cluster], int]]] = {
    "workers": (20, lambda cluster: len(cluster.workers)),
    "connectors": (10, lambda cluster: len(cluster.connectors)),
    "tasks of a connector": (256, lambda cluster: max((one.tasks for one in cluster.connectors), default=0)),
    "generation": (32_768, lambda cluster: cluster.generation),
    "time in ms": (1 << 31, lambda cluster: cluster.time_ms),
}
"""Dimension of a cluster -> the number from which it is large, and the function that finds it."""
