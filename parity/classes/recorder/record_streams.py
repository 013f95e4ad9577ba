"""Record what Kafka's own task assignors answer, so that tests without Java can hold the references against it.

    python parity/classes/recorder/record_streams.py [--write] [PATTERN...]

asks again for ../answers/streams-*.json, one for each class and strategy: of each answer a few hex digits of its hash.
Where costs are huge, classes may never answer: these are asked in a process of their own.
Exit status 1 names a file that would be another one; --write writes it.
"""

import argparse
import sys
from collections.abc import Sequence
from fnmatch import fnmatchcase
from itertools import islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from classes.differ.counterparts import one_identity_hash
from classes.groups import costly_applications
from classes.groups.random_applications import drawn as applications
from classes.recorder.answers import Recorded, kept
from classes.recorder.java_streams import INTERNAL_CLASSES, PUBLIC_CLASSES, RELEASE, assignor
from classes.recorder.streams_answers import (
    COSTLY,
    COSTLY_MANY,
    FEW,
    HELD,
    MANY,
    SEED,
    SIGHTED,
    hash_of_applications,
    hash_of_assignment,
    hash_of_outcome,
    place,
)

from kassay.model.tasks import Application
from kassay.targets import Options, open_target

LONGEST_S = 3.0
"""A class that has not answered by then never does."""


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "patterns", nargs="*", default=["*"], metavar="PATTERN", help="of names and strategies: NAME/STRATEGY"
    )
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    status = 0
    for name, strategy in (*HELD, *((name, COSTLY) for name in SIGHTED)):
        if not any(fnmatchcase(f"{name}/{strategy}", pattern) for pattern in asked.patterns):
            continue
        if strategy == COSTLY:
            drawn = list(islice(costly_applications.applications(SEED), COSTLY_MANY))
            answers = costly_answers(name, drawn)
        else:
            drawn = list(islice(applications(SEED, strategy), MANY))
            assign = assignor(name)
            answers = [hash_of_assignment(assign(application)) for application in drawn]
        classes = (f"kafka-streams:{RELEASE}#{(INTERNAL_CLASSES | PUBLIC_CLASSES)[name]}",)
        text = Recorded(f"streams/{name}", classes, SEED, hash_of_applications(drawn[:FEW]), answers).text()
        status |= not kept(place(name, strategy), text, check=not asked.write)
    return status


def costly_answers(name: str, drawn: Sequence[Application]) -> list[str]:
    """Ask a class in a process of its own, which is started again where it hangs."""
    one_identity_hash()
    with open_target(f"kafka:{RELEASE}#streams/{name}", Options(timeout_s=LONGEST_S)) as target:
        return [hash_of_outcome(answer) for answer in target.answers(drawn)]


if __name__ == "__main__":
    raise SystemExit(main())
