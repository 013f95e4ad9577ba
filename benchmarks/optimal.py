"""How long consumer/optimal takes beside Kafka's own StickyAssignor, warm in its JVM, on the same groups.

``python benchmarks/optimal.py [--limit SECONDS] [PARTITIONSxMEMBERS...]``; 100000x1000 and 1000000x10000 where none is named.
Three racks, replicas in two of them; 100 topics and subscriptions that differ, or one topic. Each is measured three times over:
nobody owns anything yet; a member leaves a group that has settled on the optimum; claims are at random. Both sides run by turns
and are timed around the assignor alone, in CPU time of the thread; ours proves its answer within that time. Where Java takes longer
than the limit, the ratio is a lower bound. Exit status 1 where Java is faster although subscriptions differ.
"""

import argparse
import sys
import time
from collections.abc import Iterator
from dataclasses import replace

from jmh.java import JavaClass
from jmh.turns import warm_up

from kassay.model import Group
from kassay.optimal.consumer.assignor import assign
from kassay.oracles.partitions.optima import optima
from kassay.properties.partitions.rounds import after
from kassay.targets.java.class_path import newest_kafka
from oracles import group_of, synthetic

SIZES = ["100000x1000", "1000000x10000"]
KINDS = {"mixed": 100, "alike": 1}
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
    options = parser.parse_args()
    slower = False
    with JavaClass(newest_kafka().version, "consumer/sticky", options.limit) as java:
        warm_up(java, "sticky")
        for size in options.sizes:
            partitions, members = map(int, size.split("x"))
            for kind, topics in KINDS.items():
                for what, group in _groups(partitions, members, topics):
                    ours, theirs = _by_turns(group, java)
                    least = options.limit if theirs is None else theirs
                    said = f"over {least:.0f} s" if theirs is None else f"{theirs:.3f} s"
                    print(
                        f"{size:<15}{kind:<7}{what:<17}{ours:>7.3f} s   Java {said:<11}{least / ours:>9.2f} times",
                        flush=True,
                    )
                    slower |= kind == "mixed" and least < ours
    return 1 if slower else 0


def _groups(partitions: int, members: int, topics: int) -> Iterator[tuple[str, Group]]:
    at_random = group_of(synthetic(partitions, members, topics))
    nobody = replace(
        at_random, members=tuple(replace(m, owned=(), generation=None) for m in at_random.members)
    )
    settled = after(nobody, assign(nobody))
    yield "all new", nobody
    yield "a member leaves", replace(settled, members=settled.members[1:])
    yield "claims at random", at_random


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
            warm_up(java, "sticky")  # another process
            break
    known = optima(group)
    reached = {gap.level: gap.over for gap in known.gaps(answer)}
    assert reached["balance"] == 0, reached
    return min(ours), min(theirs, default=None)


if __name__ == "__main__":
    sys.exit(main())
