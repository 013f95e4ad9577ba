"""Random graphs, and clients with consumers: a seed gives the same ones everywhere."""

import random
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from kassay.model.tasks import RUNNING, UNKNOWN, TaskId

END = 10_000
"""The end offsets of all changelogs."""
COSTS = (
    (0, 1),
    (0, 1, 2),
    (0, 1, 10, 11),
    tuple(range(20)),
    (1, 11, 21),
    (0, 99, 100, 101, 1000),
    (0, 1, 10**6, 10**6 + 1),
    (0, 1, 2**31 - 2, 2**31 - 1),
    (0, 2**30, 1 - 2**31, 2**31 - 1),
)
"""Costs beside each other; -2^31 is not among them, as it may keep Kafka's class busy for ever."""


def graph(rng: random.Random) -> dict[str, Any]:
    """Make a graph with a flow, as of tasks with clients or of any other kind; edges are start, end, capacity, cost and flow."""
    kind = rng.random()
    if kind < 0.5:
        return _layers(rng)
    edges = _anyhow(rng)
    return {"edges": edges, "source": -1, "sink": 1 + max(edge[0] for edge in edges), "maximise": kind < 0.75}


def _layers(rng: random.Random) -> dict[str, Any]:
    tasks, clients, costs = rng.randint(1, 14), rng.randint(1, 6), rng.choice(COSTS)
    owner = [rng.randrange(clients) for _ in range(tasks)]
    edges = []
    for n in range(tasks):
        edges += [[n, tasks + k, 1, rng.choice(costs), int(owner[n] == k)] for k in range(clients)]
        edges.append([-1, n, 1, 0, 1])
    edges += [[tasks + k, tasks + clients, owner.count(k), 0, owner.count(k)] for k in range(clients)]
    return {"edges": edges, "source": -1, "sink": tasks + clients, "maximise": False}


def _anyhow(rng: random.Random) -> list[list[int]]:
    nodes, least = rng.randint(2, 8), rng.choice((-1, -3, -20))
    edges = {(-1, 0): [2, 0, 0]}
    for a in range(nodes):
        edges[a, nodes] = [rng.randint(1, 3), rng.randint(least, 20), 0]
        for b in range(nodes):
            if a != b and (b, a) not in edges and rng.random() < 0.4:
                edges[a, b] = [rng.randint(1, 3), rng.randint(least, rng.choice((5, 20))), 0]
    return [[*ends, *rest] for ends, rest in edges.items()]


@dataclass(frozen=True)
class Owned:
    """What the consumers of a client had, with the client's lags of all stateful tasks, and all stateless ones."""

    consumers: dict[str, list[TaskId]]
    lags: dict[TaskId, int]
    stateless: list[TaskId]

    def asked(self) -> dict[str, Any]:
        """Say it in offsets, as a client does."""
        sums = {task: lag if lag in (RUNNING, UNKNOWN) else END - lag for task, lag in self.lags.items()}
        return {
            "consumers": {
                name: {str(task): sums.get(task, 7) for task in had} for name, had in self.consumers.items()
            },
            "ends": {str(task): END for task in self.lags},
        }


def owned(rng: random.Random) -> Owned:
    """Make a client; some of its tasks have another consumer or none, or are gone."""
    large = rng.random() < 0.15
    stateful: list[TaskId] = []
    stateless: list[TaskId] = []
    for subtopology in rng.sample(range(12), rng.randint(1, 6 if large else 4)):
        kind = stateful if rng.random() < 0.7 else stateless
        kind += [TaskId(subtopology, n) for n in range(rng.randint(1, 40 if large else 6))]
    names = [_name(rng, n) for n in range(1, rng.randint(1, 7) + 1)]
    rng.shuffle(names)
    had: dict[str, list[TaskId]] = {name: [] for name in names}
    for task in stateful:
        if rng.random() < 0.75:
            had[rng.choice(names) if rng.random() < 0.7 else names[0]].append(task)
        if rng.random() < 0.08 and task not in had[other := rng.choice(names)]:
            had[other].append(task)
    if rng.random() < 0.2:
        had[names[0]].append(TaskId(99, 0))
    known = {task for tasks in had.values() for task in tasks}
    lags = {
        task: rng.choice((RUNNING, RUNNING, 0, 5, 5, 100, UNKNOWN, rng.randint(0, 1000)))
        if task in known
        else END
        for task in stateful
    }
    return Owned(had, lags, stateless)


def _name(rng: random.Random, n: int) -> str:
    if rng.random() < 0.5:
        return f"app-{UUID(int=rng.getrandbits(128))}-StreamThread-{n}-consumer"
    return rng.choice(("c", "Z", "é", "\U0001f600", "")) + str(n)
