"""Hold our coordinator against Kafka's own of each release: in the named scenarios of simulated groups, and on random sequences, 40,000 for each by default.

    python parity/coordinator/differ.py [--sequences N] [--seed N] [--release RELEASE]... [--state FOLDER] [--figures]

Broken off, it goes on from the state in the folder (in the cache by default) as long as neither coordinator nor sequences are other ones.
Exit status 1: some sequence went differently; its seed, both sides and the smallest part of it that still does are printed.
``--figures`` keeps how much was compared for docs/explanation/equality.md.
"""

import argparse
import hashlib
import json
import random
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "docs" / "scripts"))

import msgspec
from against_kafka import judge, run, smallest
from figures import keep, today
from of_simulation import sequence as of_schedule
from random_actions import sequence

from kassay.defaults import cache_folder
from kassay.protocol.simulation.schedule import SCENARIOS
from kassay.reference.group import behaviour, coordinator
from kassay.reference.group.behaviour import RELEASES

AT_ONCE = 64
HERE = Path(__file__).parent


class Course(msgspec.Struct):
    """How far a release has come; `stamp` says of which code."""

    release: str
    seed: int
    stamp: str
    sequences: int = 0
    steps: int = 0
    differing: list[str] = []
    """The seeds of sequences that went differently."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sequences", type=int, default=40_000, help="how many for each release")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--release", action="append", choices=RELEASES)
    parser.add_argument("--state", type=Path, default=cache_folder() / "coordinator")
    parser.add_argument("--figures", action="store_true", help="keep how much was compared")
    asked = parser.parse_args(arguments)
    asked.state.mkdir(parents=True, exist_ok=True)
    releases = asked.release or RELEASES
    stories = {release: scenarios(release) for release in releases}
    courses = [go_on(release, asked) for release in releases]
    if asked.figures and not asked.release:
        found = {
            course.release: {
                "sequences": course.sequences,
                "steps": course.steps,
                "differ": len(course.differing),
                "steps of the scenarios": stories[course.release][0],
                "differ there": stories[course.release][1],
            }
            for course in courses
        }
        command = f"nox -s parity -- coordinator --sequences {asked.sequences} --seed {asked.seed} --figures"
        keep("coordinator-parity", command, today(), {"scenarios": len(SCENARIOS), "releases": found})
    return int(any(differ for _, differ in stories.values()) or any(course.differing for course in courses))


def scenarios(release: str) -> tuple[int, int]:
    """Put what the coordinator is asked in each scenario to both; return how many steps that is, and how many scenarios go differently."""
    names = [*SCENARIOS]
    made = [of_schedule(SCENARIOS[name].schedule(f"kafka@{release}")) for name in names]
    with closing(judge(release)) as java:
        steps, differences = run(java, release, made)
    for number, difference in sorted(differences.items()):
        print(f"{release}: {names[number]} goes differently: {json.dumps(difference.args)}")
    print(f"{release}: {len(names)} scenarios, {steps} steps, {len(differences)} differ", flush=True)
    return steps, len(differences)


def go_on(release: str, asked: argparse.Namespace) -> Course:
    """Hold what is left of a release's sequences."""
    path = asked.state / f"{release}-{asked.seed}.json"
    course = Course(release, asked.seed, stamp())
    if path.exists():
        before = msgspec.json.decode(path.read_bytes(), type=Course)
        course = before if before.stamp == course.stamp else course
    with closing(judge(release)) as java:
        while course.sequences < asked.sequences:
            numbers = range(course.sequences, min(course.sequences + AT_ONCE, asked.sequences))
            seeds = [f"{asked.seed}/{number}" for number in numbers]
            steps, differences = run(java, release, [sequence(random.Random(seed)) for seed in seeds])
            for number, difference in sorted(differences.items()):
                course.differing.append(seeds[number])
                print(f"{release}: seed {seeds[number]} goes differently: {json.dumps(difference.args)}")
                smaller = smallest(java, release, sequence(random.Random(seeds[number])))
                print(f"  the smallest part: {json.dumps(smaller)}", flush=True)
            course.sequences += len(seeds)
            course.steps += steps
            path.write_bytes(msgspec.json.encode(course))
    print(
        f"{release}: {course.sequences} sequences, {course.steps} steps, {len(course.differing)} differ",
        flush=True,
    )
    return course


def stamp() -> str:
    """Return a digest of the coordinator, of Kafka's and of the sequences, so that a state of other code is not gone on from."""
    folder = Path(str(coordinator.__file__)).parent
    files = [Path(behaviour.__file__), *folder.rglob("*.py"), *HERE.rglob("*.java"), *HERE.glob("*.py")]
    digest = hashlib.sha256()
    for path in sorted(files):
        digest.update(f"{path.name}\n".encode() + path.read_bytes())
    return digest.hexdigest()[:16]


if __name__ == "__main__":
    sys.exit(main())
