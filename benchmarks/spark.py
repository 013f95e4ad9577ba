"""What Spark costs a sweep: the same groups judged by a bare loop and by Spark, by turns, as ratios of CPU time.

``python benchmarks/spark.py [ROUNDS] [GROUPS]``; Linux. Shown are: CPU seconds for each row in a bare loop and in Spark's
workers with its Java machine, of a session that is warm; rows for each second of a core; 1 core against 2; and how long a
session takes to be ready. Wall times mean something on an idle machine only, CPU times mostly.
"""

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.console import Console

from kassay.families.shape import TextTable
from kassay.output.pretty import build_table
from kassay.reports.sweep.folder import create_run
from kassay.reports.sweep.grid import parse_grid
from kassay.reports.sweep.judge_rows import Judge, open_limited
from kassay.reports.sweep.manifest import Run, TargetSpec, iterate_groups
from kassay.reports.sweep.spark.jobs import create_jobs
from kassay.reports.sweep.spark.session import open_session
from kassay.reports.sweep.sweeping import sweep_waves

GRID = Path(__file__).parents[1] / "grids" / "quick.toml"
TICK = os.sysconf("SC_CLK_TCK")


def run_of(groups: int) -> Run:
    """Return a run of one wave of the quick grid's kinds, with about so many groups."""
    lines = GRID.read_text().splitlines()
    total = sum(int(line.partition("=")[2]) for line in lines if line.startswith("groups ="))
    text = "\n".join(
        f"groups = {max(1, int(line.partition('=')[2]) * groups // total)}"
        if line.startswith("groups =")
        else line
        for line in lines
    )
    grid = parse_grid(text.replace("wave = 2000", "wave = 1000000"))
    return create_run(grid, tuple(TargetSpec(target, ()) for target in grid.targets), "benchmark")


def below(pid: int) -> list[int]:
    """Return a process and all it started, directly or not."""
    found = [pid]
    for thread in Path(f"/proc/{pid}/task").iterdir():
        try:
            found += [one for child in (thread / "children").read_text().split() for one in below(int(child))]
        except OSError:
            continue
    return found


def cpu_of(pids: list[int], *, of_children: bool = True) -> float:
    """Return the CPU seconds of processes, by default with those of children that have ended."""
    total = 0
    for pid in pids:
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        total += sum(map(int, fields[11 : 15 if of_children else 13]))
    return total / TICK


def bare(run: Run, judge: Judge) -> tuple[int, float, float]:
    """Judge a run in a loop: rows, CPU seconds, seconds."""
    start, began = time.process_time(), time.monotonic()
    rows = sum(1 for at in iterate_groups(run, 0) for _ in judge.rows(at))
    return rows, time.process_time() - start, time.monotonic() - began


def spark_of(spark: Any, run: Run) -> Callable[[], tuple[float, float]]:
    """Return what judges a run by Spark: CPU seconds of all processes, seconds."""

    def judged() -> tuple[float, float]:
        with tempfile.TemporaryDirectory() as folder:
            before, began = cpu_of(below(os.getpid())), time.monotonic()
            for _ in sweep_waves(spark, create_jobs(spark), Path(folder), run, 8, lambda _: None):
                pass
            return cpu_of(below(os.getpid())) - before, time.monotonic() - began

    return judged


def main() -> None:
    """Print the table."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    groups = int(sys.argv[2]) if len(sys.argv) > 2 else 3000
    run = run_of(groups)
    judge = Judge(run, [open_limited(name, run.family, run.timeout_s, run.memory_mb) for name in run.names])
    bare(run_of(60), judge)
    seconds: dict[str, list[float]] = {name: [] for name in ("bare", "spark", "ratio", "speed", "ready")}
    walls: dict[int, list[float]] = {1: [], 2: []}
    rows = 0
    for _ in range(rounds):
        for cores in (1, 2):
            began = time.monotonic()
            with open_session(f"local[{cores}]") as spark:
                seconds["ready"].append(time.monotonic() - began)
                judged = spark_of(spark, run)
                rows, cpu, _ = bare(run, judge)
                spark_of(
                    spark, run_of(200)
                )()  # so that workers are there and warm: Spark ends those idle for a minute
                in_spark, wall = judged()
                seconds["bare"].append(cpu / rows * 1e6)
                seconds["spark"].append(in_spark / rows * 1e6)
                seconds["ratio"].append(in_spark / cpu)
                seconds["speed"].append(rows / in_spark)
                walls[cores].append(wall)
    median = {name: statistics.median(values) for name, values in seconds.items()}
    lines = [
        ["CPU microseconds a row, bare loop", f"{median['bare']:.0f}"],
        ["CPU microseconds a row, Spark", f"{median['spark']:.0f}"],
        [
            "Spark / bare loop",
            f"{median['ratio']:.3f} ({min(seconds['ratio']):.3f} to {max(seconds['ratio']):.3f})",
        ],
        ["rows a second and core, Spark", f"{median['speed']:.0f}"],
        ["1 core / 2 cores, wall", f"{statistics.median(walls[1]) / statistics.median(walls[2]):.2f}"],
        ["first session ready, seconds", f"{seconds['ready'][0]:.1f}"],
    ]
    Console(width=100).print(build_table(TextTable(["quick.toml's groups", f"{rows} rows"], lines)))


if __name__ == "__main__":
    main()
