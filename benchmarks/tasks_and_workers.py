"""How fast the references of streams groups and of Connect are beside Kafka's own classes.

``python benchmarks/tasks_and_workers.py [--whole] [--points TEXT] [--show] [--write] [--out FOLDER]``

Java is warm and measured inside its own process, around the assignor alone; both sides run by turns on the same group, and
their answers must be equal. Measured is the CPU time of the thread: Java's compilers and garbage collector do not count. Results go to
FOLDER: rows.jsonl, from which a run that was broken off goes on; summary.md, and the plot as speed.svg and speed.png.
``--write`` keeps the tables for docs/results/speed.md. Exit status 1: a target is missed, or answers differ.
"""

import argparse
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "docs" / "scripts"))

from figures import keep, today
from jmh.java import JavaClass
from jmh.rows import append, read
from jmh.summary import figures, markdown, missed
from jmh.task_plot import draw
from jmh.task_points import Point, grid, group_of, quick, small
from jmh.turns import measure, warm_up

from kassay.files.output import write_whole
from kassay.targets.java.releases import KAFKA

STRIDE = 11
"""Sizes come round again and again, so that a run that is broken off has seen all of them."""
LIMIT_S = 60.0
"""Of CPU, for one run."""
WORDS = {
    "streams-group": ("new", "joined", "0-standby", "1-standby", "1-thread", "5-thread"),
    "connect": ("eager", "incremental-cooperative", "new", "joined", "left"),
}
"""Family -> what its table has a line for."""


def main() -> int:
    """Measure what is not measured yet, and write all of it."""
    options = _options()
    points = [point for point in (grid if options.whole else quick)() if options.points in str(point)]
    points = [point for start in range(STRIDE) for point in points[start::STRIDE]]
    options.out.mkdir(parents=True, exist_ok=True)
    file = options.out / "rows.jsonl"
    if not options.show:
        _measure(points, file)
    names = set(map(str, points))
    rows = [row for row in read(file) if row.point in names]
    text = f"{len(rows)} of {len(points)} points.\n"
    kept = {}
    for family, words in WORDS.items():
        if some := [row for row in rows if row.point.startswith(f"{family}/")]:
            text += f"\n{markdown(some, _version(some[0].point), words, 'tasks')}"
            kept |= {f"{family}, {title}": table for title, table in figures(some, words, "tasks").items()}
    write_whole(options.out / "summary.md", text)
    draw(rows, options.out)
    print(text)
    if options.write:
        words = [word for word in sys.argv[1:] if word != "--show"]
        keep("speed-tasks", " ".join(["nox -s bench -- tasks_and_workers", *words]), today(), kept)
    return 1 if missed(rows) else 0


def _measure(points: Sequence[Point], file: Path) -> None:
    """Add what is not in the file yet."""
    known = {row.point for row in read(file)}
    with ExitStack() as stack:
        classes: dict[str, JavaClass] = {}
        for number, point in enumerate(points, 1):
            if str(point) in known:
                continue
            name = point.assignor
            if name not in classes:
                classes[name] = stack.enter_context(JavaClass(_version(name), name, LIMIT_S))
                warm_up(classes[name], map(group_of, small(name)))
            row = measure(point, group_of, classes[name], LIMIT_S)
            append(file, row)
            print(f"{number}/{len(points)}: {row.said()}", flush=True)


def _version(point: str) -> str:
    """Return the newest release of Kafka that has the class of a point or an assignor."""
    return KAFKA["/".join(point.split("/")[:2])].versions()[-1]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--whole", action="store_true", help="the whole grid instead of 12 points")
    parser.add_argument("--show", action="store_true", help="measure nothing, show what is measured so far")
    parser.add_argument("--write", action="store_true", help="keep the tables for docs/results/speed.md")
    parser.add_argument("--points", default="", metavar="TEXT", help="only points with this in their names")
    parser.add_argument("--out", type=Path, default=Path("build/speed-tasks"), metavar="FOLDER")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
