"""Hold the references against Kafka's own classes on a million groups each, or as many as are asked for.

    python tests/java/million.py [--groups N] [--seed N] [--state FOLDER] [--stamp COMMIT] [PATTERN...]

Broken off, it goes on from the state in the folder (in the cache by default). Exit status 1: some group is answered differently; the state holds it.
"""

import argparse
import json
import sys
import time
from fnmatch import fnmatchcase
from pathlib import Path

from held import PAIRS, SOURCES

from kassay.differential import Course, Pair, resumed, run
from kassay.families import family
from kassay.maven.fetching import cache_folder
from kassay.targets import Options, open_target
from kassay.targets.java.opening import open_kafka


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "patterns", nargs="*", metavar="PATTERN", help="of Kafka targets, such as '*:4.4.0#*'"
    )
    parser.add_argument("--groups", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--state", type=Path, default=cache_folder() / "differential")
    parser.add_argument("--stamp", default="", help="what a state must rest on to be gone on from")
    asked = parser.parse_args()
    status = 0
    for java, reference in PAIRS:
        if asked.patterns and not any(fnmatchcase(java, pattern) for pattern in asked.patterns):
            continue
        for source in SOURCES:
            status |= hold(java, reference, source, asked)
    return status


def hold(java: str, reference: str, source: str, asked: argparse.Namespace) -> int:
    """Hold one pair against each other on the groups of one source."""
    state = asked.state / f"{java.replace(':', '-').replace('#', '-').replace('/', '-')}-{source}.json"
    options = Options(timeout_s=60.0)
    with open_kafka(java, java.partition(":")[2], options) as one, open_target(reference, options) as other:
        course = resumed(state, Course(java, reference, asked.seed, asked.stamp))
        pair = Pair(one, other, family("consumer"))
        start = time.perf_counter()
        for difference in run(
            pair, course, asked.groups // len(SOURCES), source=SOURCES[source](asked.seed), state=state
        ):
            print(f"{json.dumps(difference.group)}\n  {difference.answer}\n  {difference.other}", flush=True)
        seconds = time.perf_counter() - start
    print(f"{java} {source}: {course.groups} groups, {course.differing} differ, {seconds:.0f} s", flush=True)
    return int(course.differing > 0)


if __name__ == "__main__":
    sys.exit(main())
