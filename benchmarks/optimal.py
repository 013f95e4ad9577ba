"""How long consumer/optimal takes beside Kafka's own StickyAssignor, warm in its JVM, on the same groups.

``python benchmarks/optimal.py [--limit SECONDS] [--write] [PARTITIONSxMEMBERS...]``; 10000x100, 100000x1000 and 1000000x10000 where none is named.
Three racks, replicas in two of them; 100 topics and subscriptions that differ, or one topic. Each is measured three times over:
nobody owns anything yet; a member leaves a group that has settled on the optimum; claims are at random. Both sides run by turns
and are timed around the assignor alone, in CPU time of the thread; ours proves its answer within that time. Where Java takes longer
than the limit, the ratio is a lower bound. ``--write`` keeps the figures for docs/results/speed.md. Exit status 1 where Java is faster although subscriptions differ.
"""

import argparse
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "docs" / "scripts"))

from figures import keep, today
from jmh.java import JavaClass
from jmh.points import group_of as group_of_point
from jmh.points import small
from jmh.turns import warm_up

from kassay.families.optimal.consumer import assign
from kassay.model import Group
from kassay.oracles.partitions.optima import compute_optima
from kassay.properties.partitions.rounds import apply_assignment
from kassay.targets.java import find_newest_kafka
from oracles import group_of, synthetic

SIZES = ["10000x100", "100000x1000", "1000000x10000"]
KINDS = {"mixed": 100, "the same": 1}
"""Kind of subscriptions -> how many topics there are."""
TURNS = 3


def main() -> int:
    """Print a line for each group."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sizes", nargs="*", default=SIZES, metavar="PARTITIONSxMEMBERS")
    parser.add_argument(
        "--limit", type=float, default=20.0, metavar="SECONDS", help="of CPU, for one run of Java's"
    )
    parser.add_argument("--write", action="store_true", help="keep the figures")
    options = parser.parse_args()
    slower = False
    rows: dict[str, dict[str, float | str]] = {}
    with JavaClass(find_newest_kafka().version, "consumer/sticky", options.limit) as java:
        _warm(java)
        for size in options.sizes:
            partitions, members = map(int, size.split("x"))
            for kind, topics in KINDS.items():
                for what, group in _groups(partitions, members, topics):
                    ours, theirs = _by_turns(group, java)
                    least = options.limit if theirs is None else theirs
                    over = "over " if theirs is None else ""
                    row = f"{partitions:,} x {members:,}, {kind}, {what}"
                    rows[row] = {
                        "optimal, CPU s": round(ours, 3),
                        "sticky in Java": f"{over}{least:.3g}",
                        "times as fast": f"{over}{float(f'{least / ours:.2g}'):g}",
                    }
                    print(row, rows[row], flush=True)
                    slower |= kind == "mixed" and least < ours
    if options.write:
        keep(
            "optimal-speed",
            f"nox -s bench -- optimal --limit {options.limit:g} --write",
            today(),
            {"measured": rows},
        )
    return 1 if slower else 0


def _warm(java: JavaClass) -> None:
    warm_up(java, map(group_of_point, small("sticky")))


def _groups(partitions: int, members: int, topics: int) -> Iterator[tuple[str, Group]]:
    at_random = group_of(synthetic(partitions, members, topics))
    nobody = replace(
        at_random, members=tuple(replace(m, owned=(), generation=None) for m in at_random.members)
    )
    settled = apply_assignment(nobody, assign(nobody))
    yield "nothing yet", nobody
    yield "all, and a member has left", replace(settled, members=settled.members[1:])
    yield "nine in ten, at random", at_random


def _by_turns(group: Group, java: JavaClass) -> tuple[float, float | None]:
    """Return the least CPU seconds of either side; None where Java's takes longer than the limit."""
    java.take(group)
    ours, theirs = [], []
    for _ in range(TURNS):
        start = time.thread_time()
        answer = assign(group)
        ours.append(time.thread_time() - start)
        try:
            theirs += java.seconds(1)
        except TimeoutError:
            _warm(java)  # another process
            break
    known = compute_optima(group)
    reached = {gap.level: gap.over for gap in known.gaps(answer)}
    assert reached["balance"] == 0, reached
    return min(ours), min(theirs, default=None)


if __name__ == "__main__":
    sys.exit(main())
