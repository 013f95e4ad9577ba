"""The cost of optima of large groups and applications as these grow: CPU seconds and peak memory of whole commands on one core.

``python benchmarks/large.py [--write] [WORD...]``; Linux. With words, only questions with one of them are asked. Exit status 1: a target is missed.

- Spread of subtopologies: 20 stateless subtopologies, clients of 1 to 4 threads, nine of ten tasks ran somewhere.
- Topic spread: members in three racks read all of 100 topics, and owned nine of ten partitions at random.
- Two copies: as in end_to_end.py, and with the groups of topic spread.

``--write`` keeps all figures for docs/results/speed.md.
"""

import json
import multiprocessing
import os
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).parents[1] / "docs" / "scripts"))

from end_to_end import Case, cost
from figures import digits, keep, today


def draw_application(tasks: int, clients: int) -> object:
    """Return an application as JSON."""
    from kassay.model.tasks import Application, Client, Task, TaskId  # noqa: PLC0415
    from kassay.model.tasks_json import write_group  # noqa: PLC0415

    r, parts = Random(0), 20
    every = [TaskId(part, n) for part in range(parts) for n in range(tasks // parts)]
    ran: list[list[TaskId]] = [[] for _ in range(clients)]
    for task in every:
        if r.random() < 0.9:
            ran[r.randrange(clients)].append(task)
    return write_group(
        Application(
            tuple(Task(task) for task in every),
            tuple(
                Client(f"00000000-0000-0000-0000-{c + 1:012}", 1 + c % 4, tuple(ran[c]))
                for c in range(clients)
            ),
        )
    )


def draw_equal(partitions: int, members: int) -> object:
    """Return a group whose members read all topics, as JSON."""
    import numpy as np  # noqa: PLC0415
    from topic_spread import drawn  # noqa: PLC0415

    from kassay.model.partitions_json import write_group  # noqa: PLC0415
    from oracles import group_of  # noqa: PLC0415

    problem = drawn(partitions, members, 100, "all", 3)
    moves, far = problem.levels
    assert far.table is not None
    nowhere = np.zeros((len(far.table), 1), np.int64)  # the column of members in no rack
    far = replace(far, table=np.hstack([far.table, nowhere]))
    return write_group(group_of(replace(problem, levels=(moves, far))))


def draw_mixed(partitions: int, members: int) -> object:
    """Return a group of mixed subscriptions, as JSON."""
    from second_opinions.random_problems import synthetic  # noqa: PLC0415

    from kassay.model.partitions_json import write_group  # noqa: PLC0415
    from oracles import group_of  # noqa: PLC0415

    return write_group(group_of(synthetic(partitions, members, min(100, max(2, members // 10)))))


@dataclass(frozen=True)
class Curve:
    """A question, the groups that it is asked of, and the most CPU seconds and MB for the largest of them."""

    question: str
    family: str
    draw: Callable[[int, int], object]
    sizes: tuple[tuple[int, int], ...]
    most_s: float
    most_mb: float
    subscriptions: str = ""
    """The subscriptions, if the same question is asked with others as well."""


CURVES = (
    Curve(
        "balance,subtopology-spread,moves", "streams", draw_application,
        ((1_000, 10), (10_000, 100), (100_000, 1_000)), 20, 2_000,
    ),
    Curve(
        "balance,cross-rack,moves,topic-spread", "consumer", draw_equal,
        ((10_000, 100), (100_000, 1_000), (1_000_000, 10_000)), 60, 2_000,
    ),
    Curve(
        "copies=2,balance,moves,cross-rack", "consumer", draw_mixed,
        ((1_000, 10), (10_000, 100), (100_000, 1_000)), 5, 2_000,
    ),
    Curve(
        "copies=2,balance,moves,cross-rack", "consumer", draw_equal,
        ((1_000, 10), (10_000, 100), (100_000, 1_000)), 5, 2_000, " (equal subscriptions)",
    ),
)  # fmt: skip


def write(path: Path, draw: Callable[[int, int], object], size: tuple[int, int]) -> None:
    """Write a group; in a process of its own, as a child begins with the peak memory of its parent."""
    path.write_text(json.dumps(draw(*size)))


def main() -> int:
    """Print a row for each size, and keep them if asked."""
    words = [word for word in sys.argv[1:] if word != "--write"]
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    rows, missed = {}, 0
    for curve in CURVES:
        if words and not any(word in curve.question for word in words):
            continue
        for items, members in curve.sizes:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "group.json"
                begun = multiprocessing.get_context("spawn").Process(
                    target=write, args=(path, curve.draw, (items, members))
                )
                begun.start()
                begun.join()
                command = f"optimum {curve.question} --family {curve.family}"
                cpu_s, _, memory_mb = cost(Case(command, items, members), path)
            row = f"`{curve.question}`{curve.subscriptions}, {items:,} x {members:,}"
            rows[row] = {"CPU seconds": digits(cpu_s), "peak memory, MB": round(memory_mb)}
            print(row, rows[row], flush=True)
        missed += cpu_s > curve.most_s or memory_mb > curve.most_mb
    if "--write" in sys.argv:
        keep("large-speed", "python benchmarks/large.py --write", today(), {"commands": rows})
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
