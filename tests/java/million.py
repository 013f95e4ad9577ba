"""Hold the references of all releases against Kafka's own classes on a million groups each, or as many as are asked for.

    python tests/java/million.py [--groups N] [-j N] [--state FOLDER] [--seed N] [--stamp COMMIT] [--status] [PATTERN...]

Broken off, it goes on from the state in the folder (in the cache by default); --status prints the state and does nothing.
Exit status 1: some group is answered differently; the state holds it.
"""

import argparse
import json
import resource
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import ExitStack
from fnmatch import fnmatchcase
from pathlib import Path

import msgspec
from held import HELD, Held, hostile, one_identity_hash

from kassay.differential import Comparison, Course, resumed, run
from kassay.families import family
from kassay.maven.fetching import cache_folder
from kassay.targets import Options, open_target
from kassay.targets.java.opening import open_kafka

STEP = 50_000
"""Groups between two lines of progress."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("patterns", nargs="*", metavar="PATTERN", help="of references, such as '*@2.*'")
    parser.add_argument("--groups", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("-j", type=int, default=2, metavar="N", help="behaviours held at a time")
    parser.add_argument("--state", type=Path, default=cache_folder() / "differential")
    parser.add_argument("--stamp", default="", help="what a state must rest on to be gone on from")
    parser.add_argument("--status", action="store_true", help="print how far it came")
    asked = parser.parse_args(arguments)
    wanted = [held for held in HELD if any(fnmatchcase(held.reference, p) for p in asked.patterns or ["*"])]
    if asked.status:
        for held in wanted:
            print(_line(_course(held, asked)))
        return 0
    status = 0
    with ProcessPoolExecutor(asked.j, max_tasks_per_child=1) as pool:
        for done in as_completed([pool.submit(hold, held, asked) for held in wanted]):
            status |= done.result()
    return status


def hold(held: Held, asked: argparse.Namespace) -> int:
    """Hold one reference against its classes, and print how it goes."""
    one_identity_hash()
    course, state, options = _course(held, asked), _state(held, asked), Options(timeout_s=10.0)
    start = course.groups
    with ExitStack() as opened:
        targets = [
            opened.enter_context(open_kafka(one, one.partition(":")[2], options)) for one in held.classes
        ]
        comparison = Comparison(targets, open_target(held.reference, options), family("consumer"))
        for most in range(start // STEP * STEP + STEP, asked.groups + STEP, STEP):
            for difference in run(
                comparison, course, min(most, asked.groups), source=hostile(asked.seed), state=state
            ):
                print(
                    f"{json.dumps(difference.group)}\n  {difference.answer}\n  {difference.other}", flush=True
                )
            print(_line(course), flush=True)
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    seconds = sum(one.ru_utime + one.ru_stime for one in used)
    if course.groups > start:
        print(f"{held.reference}: {(course.groups - start) / seconds:.0f} groups per CPU second", flush=True)
    return int(course.differing > 0)


def _state(held: Held, asked: argparse.Namespace) -> Path:
    return Path(asked.state / f"{held.file_name}.json")


def _course(held: Held, asked: argparse.Namespace) -> Course:
    start = Course(list(held.classes), held.reference, asked.seed, asked.stamp)
    path = _state(held, asked)
    if asked.status and path.exists():
        return msgspec.json.decode(path.read_bytes(), type=Course)
    return resumed(path, start)


def _line(course: Course) -> str:
    return (
        f"{course.against} against {' and '.join(course.targets)}: {course.groups} groups, "
        f"{course.differing} differ, {course.endless} without an answer"
    )


if __name__ == "__main__":
    sys.exit(main())
