"""How long frontiers take, and how many points they have: ``python benchmarks/frontier.py [--write]``.

Groups have mixed subscriptions, three racks, and owners of nine in ten partitions. Applications have three racks, partitions in two of
them, one standby for seven tasks in ten, and copies anywhere before. Measured is CPU time; no search goes on for longer than a minute.
``--write`` keeps it for docs/results/speed.md.
"""

import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random

from oracles import group_of, synthetic

sys.path.insert(0, str(Path(__file__).parents[1] / "docs" / "scripts"))

from figures import digits, keep, today

from kassay.model import Topic, TopicPartition
from kassay.model.tasks import Application, Client, Settings, Task, TaskId
from kassay.oracles.assignment.frontier.fronts import find_frontier, find_role_frontier
from kassay.oracles.assignment.frontier.pareto import Front
from kassay.oracles.partitions.encoding import encode_group
from kassay.oracles.partitions.question import parse_question
from kassay.oracles.tasks.frontier import SQUARES, encode_levels

LIMIT_S = 60.0
GROUPS = (
    (1_000, 50, 10, True),
    (10**5, 10**3, 1, True),
    (10**5, 10**3, 100, True),
    (60, 8, 3, False),
    (200, 20, 3, False),
)
"""Partitions, members, topics, and whether at the most even loads."""
APPLICATIONS = ((24, 6, False), (60, 10, True), (60, 10, False), (200, 20, True))
"""Tasks, clients, and whether at the most even loads."""
RACKS = ("a", "b", "c")
FOUND: dict[str, dict[str, dict[str, float | str]]] = {"groups": {}, "applications": {}}


def application(tasks: int, clients: int) -> Application:
    """Draw an application."""
    r = Random(0)
    names = [f"00000000-0000-0000-0000-{n + 1:012}" for n in range(clients)]
    topics = tuple(
        Topic(name, tasks, tuple(tuple(r.sample(RACKS, 2)) for _ in range(tasks))) for name in ("in", "log")
    )
    every = tuple(
        Task(TaskId(0, n), n % 10 < 7, (TopicPartition("in", n),), (TopicPartition("log", n),) * (n % 10 < 7))
        for n in range(tasks)
    )
    ran: dict[str, tuple[list[TaskId], list[TaskId]]] = {name: ([], []) for name in names}
    for task in every:
        active, standby = r.sample(names, 2)
        ran[active][0].append(task.id)
        if task.stateful:
            ran[standby][1].append(task.id)
    lags = {task.id: 0 for task in every if task.stateful}
    return Application(
        every,
        tuple(Client(name, 1, rack=r.choice(RACKS), active=tuple(ran[name][0]), standby=tuple(ran[name][1]), lags=lags) for name in names),
        Settings(num_standby_replicas=1),
        topics,
    )  # fmt: skip


def timed(table: str, row: str, search: Callable[..., Front]) -> None:
    """Search for a frontier, print what came of it, and keep that."""
    begun = time.process_time()
    found = search(deadline=time.monotonic() + LIMIT_S)
    taken = time.process_time() - begun
    said = "all" if found.whole else "all extreme ones" if found.extreme else "not all extreme ones"
    points = len(found.points)
    FOUND[table][row] = {
        "points": points if found.whole else f"at least {points}",
        "of them unsupported": sum(point.proof is None for point in found.points),
        "found in a minute at most": said,
        "CPU seconds": digits(taken),
    }
    print(row, FOUND[table][row], flush=True)


def main() -> None:
    """Search for all, and keep them where that is asked."""
    trade = ("moves", "cross-rack")
    for partitions, members, topics, even in GROUPS:
        group = group_of(synthetic(partitions, members, topics))
        (case,) = encode_group(group, parse_question(",".join(trade)))
        row = f"{partitions:,} x {members:,}, {topics}, {'even' if even else 'any loads'}"
        timed("groups", row, partial(find_frontier, case.problem, trade, even=even))
    pair = ("moves", "joint")
    for tasks, clients, even in APPLICATIONS:
        encoded = encode_levels(application(tasks, clients), pair)
        levels = pair if even else (SQUARES, *pair)
        row = f"{tasks} x {clients}, {'even' if even else 'any loads'}"
        timed("applications", row, partial(find_role_frontier, encoded.problem, levels, even=even))
    if "--write" in sys.argv:
        keep("frontier-speed", "python benchmarks/frontier.py --write", today(), FOUND)


if __name__ == "__main__":
    main()
