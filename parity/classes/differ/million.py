"""Hold the references of all releases against Kafka's own classes on a million groups each, or as many as are asked for.

    python parity/classes/differ/million.py [--groups N] [--master M] [--state FOLDER] [--seed N] [--stamp COMMIT] [--status] [--write] [PATTERN...]

On Spark: all cores of this machine, or a master whose workers have this folder at the same path. Broken off, it goes on from the
state in the folder (in the cache by default); --status prints the state and does nothing, --write keeps how many were compared.
Exit status 1: some group is answered differently; the state holds it.
"""

import argparse
import json
import os
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

import msgspec
from classes.differ.counterparts import COUNTERPARTS, Counterpart
from classes.differ.holding import CHUNKS_A_TASK, COLUMN, hold_chunks
from pyspark.sql import SparkSession

from kassay.defaults import cache_folder
from kassay.engine.differential import CHUNK, Course, load_course
from kassay.reports.sweep.spark.jobs import create_jobs
from kassay.reports.sweep.spark.session import open_session

sys.path.insert(0, str(Path(__file__).parents[3] / "docs" / "scripts"))

from figures import FIGURES, keep, record, today

TASKS_A_CORE = 8
"""Between two writings of the state."""

OF_COORDINATORS = ("broker", "share", "streams-group")
"""Families whose assignors run in brokers, which are counted together, too."""
AT_ONCE = 7
"""Behaviours that are asked about the same groups; each takes one or two Java machines in each worker."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "patterns",
        nargs="*",
        metavar="PATTERN",
        help="of references, such as '*@2.*'; of streams with a strategy, '*/none'",
    )
    parser.add_argument("--groups", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--master", help="a Spark master; all cores of this machine by default")
    parser.add_argument("--state", type=Path, default=cache_folder() / "differential")
    parser.add_argument("--stamp", default="", help="what a state must rest on to be gone on from")
    parser.add_argument("--status", action="store_true", help="print how far it came")
    parser.add_argument(
        "--write", action="store_true", help="keep how many were compared for docs/explanation/equality.md"
    )
    asked = parser.parse_args(arguments)
    wanted = [
        held for held in COUNTERPARTS if any(fnmatchcase(held.name, p) for p in asked.patterns or ["*"])
    ]
    if asked.status:
        for held in wanted:
            print(_line(_course(held, asked)))
        return 0
    courses = {held: _course(held, asked) for held in wanted}
    paths = [str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")]
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, paths))  # of the workers
    with open_session(asked.master) as spark, closing(create_jobs(spark)) as named:
        most = CHUNKS_A_TASK * TASKS_A_CORE * named.count_parallel()
        for every in _together(courses):
            course = courses[every[0]]
            while (missing := asked.groups - course.groups - course.declined) > 0:
                for parts in held_by_spark(
                    spark, [courses[held] for held in every], min(-(-missing // CHUNK), most)
                ):
                    for held, part in zip(every, parts, strict=True):
                        for new in courses[held].add(part):
                            print(f"{json.dumps(new.group)}\n  {new.answer}\n  {new.other}", flush=True)
                for held in every:
                    courses[held].save(_state(held, asked))
                    print(_line(courses[held]), flush=True)
    if asked.write:
        kept = record("million").figures if (FIGURES / "million.json").exists() else {}
        keep("million", "nox -s parity -- million --write", today(), {**kept, **compared(courses)})
    return int(any(course.differing for course in courses.values()))


def compared(courses: Mapping[Counterpart, Course]) -> dict[str, dict[str, int]]:
    """Count what was compared of each family and each of its assignors: behaviours, groups, classes, their answers and the groups that differ."""
    counts: dict[str, Counter[str]] = {}
    for held, course in courses.items():
        one = {
            "behaviours": 1, "groups": course.groups, "classes": len(held.classes),
            "answers of classes": course.groups * len(held.classes), "groups that differ": course.differing,
        }  # fmt: skip
        together = ["group coordinators"] * (held.family in OF_COORDINATORS)
        for name in {held.family, held.name.partition("@")[0], *together}:
            counts.setdefault(name, Counter()).update(one)
    return {name: dict(counts[name]) for name in sorted(counts)}


def _together(courses: Mapping[Counterpart, Course]) -> Iterator[list[Counterpart]]:
    """Take those together that are to answer the same groups next, which are then drawn and written only once."""
    alike: dict[tuple[str, str, int], list[Counterpart]] = {}
    for held, course in courses.items():
        alike.setdefault((held.family, held.kind, course.chunks), []).append(held)
    for every in alike.values():
        yield from (every[at : at + AT_ONCE] for at in range(0, len(every), AT_ONCE))


def held_by_spark(spark: SparkSession, courses: Sequence[Course], chunks: int) -> Iterator[Sequence[Course]]:
    """Compare the next so many chunks of some courses, a few in each task; yields what came of them in the order of chunks."""
    first, names = courses[0], [course.against for course in courses]
    tasks = -(-chunks // CHUNKS_A_TASK)
    held = partial(hold_chunks, names, first.seed, first.chunks, first.chunks + chunks)
    for row in spark.range(0, tasks, 1, tasks).mapInArrow(held, f"{COLUMN} string").collect():
        yield msgspec.json.decode(row[COLUMN], type=list[Course])


def _state(held: Counterpart, asked: argparse.Namespace) -> Path:
    return Path(asked.state / f"{held.file_name}.json")


def _course(held: Counterpart, asked: argparse.Namespace) -> Course:
    start = Course(list(held.classes), held.name, asked.seed, asked.stamp)
    path = _state(held, asked)
    if asked.status and path.exists():
        return msgspec.json.decode(path.read_bytes(), type=Course)
    return load_course(path, start)


def _line(course: Course) -> str:
    return (
        f"{course.against} against {' and '.join(course.targets)}: {course.groups} groups, "
        f"{course.differing} differ, {course.endless} without an answer"
    )


if __name__ == "__main__":
    sys.exit(main())
