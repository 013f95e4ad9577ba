"""Record what Kafka's own task assignors answer, so that tests without Java can hold the references against it.

    python tests/kafka/record_streams.py [--check] [PATTERN...]

writes answers/streams-*.json beside this file, one for each class and strategy: of each answer a few hex digits of its hash.
With --check nothing is written: exit status 1 names a file that would be another one.
"""

import argparse
from fnmatch import fnmatchcase
from itertools import islice

from answers import Recorded, kept
from java_streams import INTERNAL_CLASSES, PUBLIC_CLASSES, RELEASE, assignor
from random_applications import drawn as applications
from streams_answers import FEW, HELD, MANY, SEED, hash_of_applications, hash_of_assignment, place


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "patterns", nargs="*", default=["*"], metavar="PATTERN", help="of names and strategies: NAME/STRATEGY"
    )
    parser.add_argument("--check", action="store_true")
    asked = parser.parse_args()
    status = 0
    for name, strategy in HELD:
        if not any(fnmatchcase(f"{name}/{strategy}", pattern) for pattern in asked.patterns):
            continue
        drawn = list(islice(applications(SEED, strategy), MANY))
        assign = assignor(name)
        answers = [hash_of_assignment(assign(application)) for application in drawn]
        classes = (f"kafka-streams:{RELEASE}#{(INTERNAL_CLASSES | PUBLIC_CLASSES)[name]}",)
        text = Recorded(f"streams/{name}", classes, SEED, hash_of_applications(drawn[:FEW]), answers).text()
        status |= not kept(place(name, strategy), text, check=asked.check)
    return status


if __name__ == "__main__":
    raise SystemExit(main())
