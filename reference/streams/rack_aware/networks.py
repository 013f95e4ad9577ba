"""The networks whose cheapest flow is an assignment of tasks: one with the counts of clients, one with those of subtopologies too.

Source: MinTrafficGraphConstructor and BalanceSubtopologyGraphConstructor of kafka-streams 4.3 (KIP-925, 4.B.I and 4.B.II).
"""

from collections.abc import Callable, Mapping, Sequence
from math import ceil

from kassay.model.tasks import TaskId
from kassay.reference.streams.rack_aware.graph import Graph

SOURCE = -1

Cost = Callable[[TaskId, int], int]
"""Of a task at a client, which is named by its place."""


def min_traffic(
    graph: Graph, tasks: Sequence[TaskId], owner: Mapping[TaskId, int], counts: Sequence[int], cost: Cost
) -> dict[TaskId, int]:
    """Return the place of each task's client at least cost, where client n gets `counts[n]` of the tasks."""
    sink = len(tasks) + len(counts)
    for n, task in enumerate(tasks):
        for client in range(len(counts)):
            graph.add_edge(n, len(tasks) + client, 1, cost(task, client), int(owner[task] == client))
        graph.add_edge(SOURCE, n, 1, 0, 1)
    for client, count in enumerate(counts):
        graph.add_edge(len(tasks) + client, sink, count, 0, count)
    graph.minimise()
    return {
        task: next(client for client in range(len(counts)) if graph.flow(n, len(tasks) + client) > 0)
        for n, task in enumerate(tasks)
    }


def balance_subtopology(
    graph: Graph,
    tasks: Sequence[TaskId],
    groups: Sequence[Sequence[TaskId]],
    counts: Sequence[int],
    cost: Cost,
) -> dict[TaskId, int]:
    """Return the same with the tasks of each group, a subtopology, spread over clients in proportion to their counts, rounded up.

    The cap is computed in floating point, as Kafka does, and may come out one too large.
    """
    clients, listed = range(len(counts)), set(tasks)
    second = len(tasks) + len(counts) * len(groups)
    sink, first = second + len(counts), 0
    node: dict[TaskId, tuple[int, int]] = {}
    for g, group in enumerate(groups):
        own = [task for task in sorted(group) if task in listed]
        node |= {task: (first + n, len(tasks) + len(counts) * g) for n, task in enumerate(own)}
        for client in clients:
            at = len(tasks) + len(counts) * g + client
            for n, task in enumerate(own):
                graph.add_edge(first + n, at, 1, cost(task, client))
            if own:
                graph.add_edge(at, second + client, ceil(counts[client] * 1.0 / len(tasks) * len(own)), 0)
        first += len(own)
    for number, _ in node.values():
        graph.add_edge(SOURCE, number, 1, 0)
    for client in clients:
        graph.add_edge(second + client, sink, counts[client], 0)
    flow = graph.maximise(SOURCE, sink)
    assert flow == len(tasks), f"{flow} of {len(tasks)} tasks find a client"
    graph.minimise()
    return {
        task: next(c for c in clients if graph.flow(number, base + c) > 0)
        for task, (number, base) in node.items()
    }
