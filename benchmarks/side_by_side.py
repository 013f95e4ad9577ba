"""How fast the reference assignors are beside Kafka's own classes, on the grid of Kafka's own benchmark.

``python benchmarks/side_by_side.py [--servers] [--whole] [--points TEXT] [--most N] [--show] [--write] [--out FOLDER]``

Java is warm and measured inside its own process, around `assign` alone; both sides run by turns on the same group, and
their answers must be equal. Measured is the CPU time of the thread: Java's compilers and garbage collector do not count. Results go to FOLDER: rows.jsonl, from which a run that was broken off goes on; rows.csv,
summary.md, and the plot as speed.svg and speed.png. ``--write`` keeps the tables for docs/results/speed.md. Exit status 1: a target is missed, or answers differ.
"""

import argparse
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "docs" / "scripts"))

from figures import keep, today
from jmh.java import JavaClass
from jmh.plot import draw
from jmh.points import NAMES, SERVERS, Point, grid, group_of, quick, reference, small
from jmh.rows import Row, append, csv, read
from jmh.summary import figures, markdown, missed
from jmh.turns import measure, warm_up

from kassay.files.output import write_whole
from kassay.targets.java import find_newest_kafka

STRIDE = 31
"""Sizes come round again and again, so that a run that is broken off has seen all of them."""


def main() -> int:
    """Measure what is not measured yet, and write all of it."""
    options = _options()
    points = [
        point
        for point in (grid if options.whole else quick)([*SERVERS] if options.servers else NAMES)
        if options.points in str(point) and point.partitions <= options.most
    ]
    points = [point for start in range(STRIDE) for point in points[start::STRIDE]]
    options.out.mkdir(parents=True, exist_ok=True)
    file = options.out / "rows.jsonl"
    if not options.show:
        _measure(points, file, options.kafka, options.limit)
    names = set(map(str, points))
    rows = [row for row in read(file) if row.point in names]
    text = f"{len(rows)} of {len(points)} points.\n\n{markdown(rows, options.kafka)}"
    write_whole(options.out / "rows.csv", csv(rows))
    write_whole(options.out / "summary.md", text)
    draw(rows, options.out)
    print(text)
    if options.write:
        _keep(rows, options)
    return 1 if missed(rows) else 0


def _keep(rows: Sequence[Row], options: argparse.Namespace) -> None:
    words = [word for word in sys.argv[1:] if word != "--show"]
    name = "speed-servers" if options.servers else "speed-clients"
    keep(name, " ".join(["nox -s bench -- side_by_side", *words]), today(), figures(rows))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--servers", action="store_true", help="assignors of group coordinators")
    parser.add_argument("--whole", action="store_true", help="the whole grid (hours) instead of 32 points")
    parser.add_argument("--show", action="store_true", help="measure nothing, show what is measured so far")
    parser.add_argument("--write", action="store_true", help="keep the tables for docs/results/speed.md")
    parser.add_argument("--points", default="", metavar="TEXT", help="only points with this in their names")
    parser.add_argument("--most", type=int, default=10**6, metavar="N", help="only up to so many partitions")
    parser.add_argument("--out", type=Path, default=Path("build/speed"), metavar="FOLDER")
    parser.add_argument("--limit", type=float, default=60.0, metavar="SECONDS", help="of CPU, for one run")
    parser.add_argument("--kafka", default=find_newest_kafka().version, metavar="VERSION")
    return parser.parse_args()


def _measure(points: Sequence[Point], file: Path, version: str, limit_s: float) -> None:
    """Add what is not in the file yet; what takes too long is not tried with more members."""
    known = {row.point: row for row in read(file)}
    too_long: dict[Point, tuple[int, str]] = {}
    with ExitStack() as stack:
        classes: dict[str, JavaClass] = {}
        for number, point in enumerate(points, 1):
            row, kind = known.get(str(point)), replace(point, members=0)
            members, why = too_long.get(kind, (point.members, ""))
            if row is None:
                if members < point.members:
                    row = Row(str(point), point.partitions, skipped=f"{why} with {members} members already")
                else:
                    if point.assignor not in classes:
                        classes[point.assignor] = stack.enter_context(
                            JavaClass(version, reference(point.assignor), limit_s)
                        )
                        warm_up(classes[point.assignor], map(group_of, small(point.assignor)))
                    row = measure(point, group_of, classes[point.assignor], limit_s)
                append(file, row)
                print(f"{number}/{len(points)}: {row.said()}", flush=True)
            if row.skipped.endswith(" s") and (not why or point.members < members):
                too_long[kind] = (point.members, row.skipped)


if __name__ == "__main__":
    sys.exit(main())
