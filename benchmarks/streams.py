"""How fast the references of Kafka Streams are beside Kafka's own classes, on the sizes of Kafka's test of scale.

``python benchmarks/streams.py [--graph] [--points TEXT] [--turns N] [--write]``; needs the package JPype1 and, once, Maven Central.

Both sides run by turns in this process on the same application, Java warm and timed around `assign` alone, and their answers must
be equal. Measured is the CPU time of the thread: Java's compilers and garbage collector do not count. Each size is assigned new,
and again with what that gave where that has not too many lags to hand over. ``--graph`` measures the min-cost flow instead, as the high-availability assignor asks for it;
700x35 takes Kafka's class minutes. ``--write`` keeps what was measured for docs/results/speed.md, beside what is kept of other points. Exit status 1: a target is missed, or answers differ.

The sizes are those of StreamsAssignmentScaleTest (Kafka has no JMH benchmark of these classes), and 6,000 tasks on 50 clients.
"""

import argparse
import random
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from kassay.model import Topic, TopicPartition
from kassay.model.tasks import RUNNING, Application, Client, Settings, Task, TaskAssignment, TaskId
from kassay.reference import ASSIGNORS

sys.path.insert(0, str(Path(__file__).parents[1] / "parity"))
sys.path.insert(0, str(Path(__file__).parents[1] / "docs" / "scripts"))

from classes.recorder.java_streams import prepared, start_java
from figures import FIGURES, keep, record, today

CLASSES = {
    "high-availability": "HighAvailabilityTaskAssignor",
    "legacy-sticky": "LegacyStickyTaskAssignor",
    "fallback-prior": "FallbackPriorTaskAssignor",
}
MEAN, GREATEST, GRAPH = 5.0, 20.0, 5.0
"""The targets: how many times as long as Kafka's class, in the geometric mean, at worst, and for the flow."""
WARM_S, FASTER = 1.0, 0.9
"""For how long Java must have become no faster."""
MOST_LAGS = 400_000
"""More lags, each client's own, take minutes to hand over to Java."""
LOG = 10**6
RACKS = 5


class Point(NamedTuple):
    """An assignor with the sizes of an application; `racks` asks for the min-cost flow."""

    assignor: str
    tasks: int
    clients: int
    threads: int = 1
    standbys: int = 1
    racks: bool = False

    def __str__(self) -> str:
        """Say its name, such as ``high-availability/1000x100x1/50``."""
        return f"{self.assignor}/{self.tasks}x{self.clients}x{self.threads}/{'racks' if self.racks else self.standbys}"


SIZES = {
    "high-availability": [(6000, 2, 1, 1), (6000, 50, 1, 1), (1000, 1000, 1, 1), (1000, 100, 1, 50), (1000, 10, 1000, 1)],
    "legacy-sticky": [(2000, 2, 1, 1), (1000, 1000, 1, 1), (1000, 100, 1, 20), (1000, 10, 1000, 1)],
    "fallback-prior": [(2000, 2, 1, 1), (1000, 1000, 1, 1), (1000, 100, 1, 20), (1000, 10, 1000, 1)],
}  # fmt: skip
FLOWS = [(100, 10), (200, 20), (400, 20), (700, 35)]


def main() -> int:
    """Measure all points, print a row for each, and say whether the targets are met."""
    options = _options()
    start_java()
    rows: dict[str, dict[str, float]] = {}
    if options.graph:
        points = [Point("high-availability", *size, standbys=0, racks=True) for size in FLOWS]
    else:
        points = [Point(name, *size) for name, sizes in SIZES.items() for size in sizes]
    print(f"{'point':40} {'':6} {'Kafka s':>10} {'ours s':>10} {'ratio':>7}")
    for point in (point for point in points if options.points in str(point)):
        application = new(point)
        for kind in (
            ("new", "again") if point.tasks * point.clients <= MOST_LAGS and not point.racks else ("new",)
        ):
            theirs, ours, answer = measured(point.assignor, application, options.turns)
            row = rows[f"{point}, {kind}"] = {
                "Kafka's class, CPU s": round(theirs, 4),
                "reference, CPU s": round(ours, 4),
                "ratio": round(ours / theirs, 3),
            }
            print(f"{point!s:40} {kind:6} {theirs:10.4f} {ours:10.4f} {row['ratio']:7.2f}", flush=True)
            application = again(application, answer)
    ratios = [row["ratio"] for row in rows.values()]
    mean = statistics.geometric_mean(ratios)
    print(f"geometric mean {mean:.2f}, greatest {max(ratios):.2f} of {len(ratios)}")
    if options.write:
        kept = (
            record("streams-speed").figures["measured"] if (FIGURES / "streams-speed.json").exists() else {}
        )
        keep(
            "streams-speed",
            "python benchmarks/streams.py --write",
            today(),
            {"measured": dict(sorted((kept | rows).items()))},
        )
    limits = (GRAPH, GRAPH) if options.graph else (MEAN, GREATEST)
    return int(mean > limits[0] or max(ratios) > limits[1])


def measured(name: str, application: Application, turns: int) -> tuple[float, float, TaskAssignment]:
    """Return the medians of both sides' seconds, and the answer, which must be the same; exits where it is not."""
    assign = ASSIGNORS[f"streams/{name}"].assign

    def theirs() -> tuple[float, TaskAssignment]:
        ask, read = prepared(CLASSES[name], application)
        seconds, probing = timed(ask)
        return seconds, read(probing)

    seconds, wanted = theirs()
    spent = 0.0
    while spent < WARM_S:
        now, _ = theirs()
        spent = 0.0 if now < FASTER * seconds else spent + now
        seconds = min(seconds, now)
    rows = []
    for _ in range(turns):
        java, _ = theirs()
        ours, answer = timed(lambda: assign(application))
        if answer != wanted:
            raise SystemExit(f"{name}: the answers differ")
        rows.append((java, ours))
    java_s, ours_s = (statistics.median(side) for side in zip(*rows, strict=True))
    return java_s, ours_s, wanted


def timed(ask: Callable[[], Any]) -> tuple[float, Any]:
    """Return the CPU seconds of the thread that a call takes, and what it returns."""
    start = time.thread_time()
    answer = ask()
    return time.thread_time() - start, answer


def new(point: Point) -> Application:
    """Make the application of a point, which never ran: one subtopology, every client with all of the log to restore."""
    draw = random.Random(1)
    racks = [f"rack{n}" for n in range(RACKS)]
    topics = tuple(
        Topic(name, point.tasks, tuple(tuple(draw.sample(racks, 2)) for _ in range(point.tasks)))
        for name in ("orders", "orders-changelog")
    )
    tasks = tuple(
        Task(TaskId(0, n), True, (TopicPartition("orders", n),), (TopicPartition("orders-changelog", n),))
        for n in range(point.tasks)
    )
    lags = {task.id: LOG for task in tasks}
    clients = tuple(
        Client(f"00000000-0000-0000-0000-{n + 1:012x}", point.threads, lags=lags, rack=racks[n % RACKS])
        for n in range(point.clients)
    )
    strategy = "min_traffic" if point.racks else "none"
    return Application(tasks, clients, Settings(num_standby_replicas=point.standbys, rack_aware_assignment_strategy=strategy), topics)  # fmt: skip


def again(application: Application, answer: TaskAssignment) -> Application:
    """Return the application as it joins again with what it was given, all of it restored."""
    clients = []
    for client in application.clients:
        active, standby = answer.clients[client.id]
        running, kept = set(active), set(standby)
        lags = {task: RUNNING if task in running else 0 if task in kept else LOG for task in client.lags}
        clients.append(replace(client, active=active, standby=standby, lags=lags))
    return replace(application, clients=tuple(clients))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--graph", action="store_true", help="measure the min-cost flow")
    parser.add_argument(
        "--points", default="", metavar="TEXT", help="measure points with this text in their name alone"
    )
    parser.add_argument(
        "--turns", type=int, default=3, metavar="N", help="how often both sides run, 3 by default"
    )
    parser.add_argument(
        "--write", action="store_true", help="keep what was measured beside what is kept of other points"
    )
    options = parser.parse_args()
    if options.write and options.graph:
        parser.error("--write keeps nothing of --graph: leave out one of them")
    return options


if __name__ == "__main__":
    raise SystemExit(main())
