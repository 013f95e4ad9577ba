"""How fast the exact optimum of active tasks across racks is: beside Kafka's Graph class, and from arrays at sizes beyond it.

``python benchmarks/active.py [--graph] [--points TEXT] [--write]``; ``--graph`` needs the package JPype1 and, once, Maven Central. There Kafka's
high-availability assignor places new applications with rack.aware.assignment.strategy min_traffic, which its min-cost flow takes
nearly all the time of; both sides keep every client's count, and must come to one cost. 700x35 takes Kafka's class minutes.
Without it, problems of many tasks in three racks are solved from arrays, each in a process of its own, whose memory is shown.
Measured is CPU time; ``--write`` keeps it for docs/results/speed.md. Exit status 1: costs differ, or a target is missed.
"""

import argparse
import resource
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "docs" / "scripts"))

from figures import digits, keep, today

from kassay.oracles.assignment.active_standby.check import compute_values, is_proof
from kassay.oracles.assignment.active_standby.problem import RoleLevel, RoleProblem
from kassay.oracles.tasks.encoding import encode_application
from kassay.oracles.tasks.optimum import compute_flow_optimum
from kassay.oracles.tasks.question import parse_question
from kassay.properties.tasks.measures import cross_rack

ASKED = ("balance", "total-balance", "active", "moves")
GRAPHS = {"400x20": 0, "500x25": 0, "700x35": 10_000}
"""Tasks x clients -> how many times as fast as Kafka's class the optimum must be."""
ARRAYS = {"100000x1000": (0.05, 300), "1000000x10000": (0.5, 300)}
"""Tasks x clients -> the seconds and the megabytes that it may take."""
TURNS = 5
FOUND: dict[str, dict[str, float]] = {}
"""What is measured: tasks x clients -> what -> CPU seconds, megabytes, or a ratio."""


def main() -> int:
    """Measure the points asked for, print a row for each, and say whether the targets are met."""
    options = _options()
    if options.one:
        print(*arrays(*map(int, options.one.split("x"))))
        return 0
    points = GRAPHS if options.graph else ARRAYS
    missed = [
        beside_kafka(each) if options.graph else alone(each) for each in points if options.points in each
    ]
    if options.write:
        name, option = ("active-beside-kafka", " --graph") if options.graph else ("active-speed", "")
        keep(name, f"python benchmarks/active.py{option} --write", today(), {"tasks x clients": FOUND})
    return int(any(missed))


def beside_kafka(point: str) -> bool:
    """Print a row for Kafka's class and the optimum of one application; say whether a target is missed."""
    from streams import Point, new, prepared, start_java, timed  # noqa: PLC0415

    start_java()
    tasks, clients = map(int, point.split("x"))
    application = new(Point("high-availability", tasks, clients, standbys=0, racks=True))
    both = tuple(replace(task, inputs=task.inputs + task.changelogs) for task in application.tasks)
    application = replace(application, tasks=both)  # two partitions each, so that some are read across racks
    ask, read = prepared("HighAvailabilityTaskAssignor", application)
    kafka_s, probing = timed(ask)
    answer = read(probing)
    asked = parse_question("balance,active")  # the counts that Kafka keeps are even
    case = encode_application(application, asked)
    ours_s = []
    for _ in range(TURNS):
        start = time.process_time()
        owners, certificate = compute_flow_optimum(case.problem, asked.levels)
        ours_s.append(time.process_time() - start)
    if not is_proof(case.problem, asked.levels, owners, certificate):
        raise SystemExit(f"{point}: no optimum is proved")
    cost = compute_values(case.problem, asked.levels, owners)[-1]
    theirs, ratio = cross_rack(application, answer), kafka_s / min(ours_s)
    print(
        f"{point:16} Kafka {kafka_s:9.3f} s, ours {min(ours_s):.5f} s, {ratio:10,.0f} times; cost {theirs} and {cost}",
        flush=True,
    )
    FOUND[point] = {
        "Kafka's class, CPU seconds": digits(kafka_s), "the optimum, CPU milliseconds": digits(1000 * min(ours_s)), "times as fast": digits(ratio),
    }  # fmt: skip
    return cost != theirs or ratio < GRAPHS[point]


def alone(point: str) -> bool:
    """Print a row for a problem from arrays; say whether a target is missed."""
    done = subprocess.run(
        [sys.executable, __file__, "--one", point], capture_output=True, text=True, check=True
    )
    seconds, megabytes, cost = done.stdout.split()
    print(f"{point:16} {float(seconds):.4f} s, {megabytes} MB, active and moves {cost}", flush=True)
    FOUND[point] = {"CPU seconds": digits(float(seconds)), "peak memory, MB": int(megabytes)}
    most_s, most_mb = ARRAYS[point]
    return float(seconds) > most_s or int(megabytes) > most_mb


def arrays(tasks: int, clients: int, racks: int = 3, partitions: int = 2) -> tuple[float, int, str]:
    """Solve a problem of tasks that ran somewhere, with partitions of one replica; return CPU seconds, peak memory, values."""
    draw = np.random.default_rng(1)
    home = draw.integers(0, racks, (tasks, partitions))
    far = partitions - (home[:, :, None] == np.arange(racks)).sum(axis=1)
    codes = far @ (partitions + 1) ** np.arange(racks)
    profiles, first, profile_of = np.unique(codes, return_index=True, return_inverse=True)
    table = np.hstack([far[first], np.zeros((len(profiles), 1), np.int64)])
    ran = np.ones(clients, np.int64)
    moves = RoleLevel("moves", None, None, np.append(0, ran), ran)
    problem = RoleProblem(
        draw.integers(0, racks, clients), ran, np.empty((0, clients), np.int64), profile_of,
        np.zeros(tasks, np.int64), (RoleLevel("active", table), moves), draw.integers(0, clients + 1, tasks),
        np.append(0, np.arange(clients + 1)), np.arange(clients),
    )  # fmt: skip
    compute_flow_optimum(problem, ASKED)  # imports the solver
    spent = []
    for _ in range(TURNS):
        start = time.process_time()
        owners, _ = compute_flow_optimum(problem, ASKED)
        spent.append(time.process_time() - start)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return min(spent), peak, ",".join(map(str, compute_values(problem, ASKED[-2:], owners)))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--graph", action="store_true", help="measure beside Kafka's class")
    parser.add_argument(
        "--points", default="", metavar="TEXT", help="measure points with this text in their name alone"
    )
    parser.add_argument("--write", action="store_true", help="keep what is measured, of all points")
    parser.add_argument("--one", metavar="POINT", help="one problem from arrays, in this process")
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
