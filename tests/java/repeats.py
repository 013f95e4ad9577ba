"""Ask Kafka's own classes the same again, and print how often they answer otherwise.

    python tests/java/repeats.py [--groups N] [--times N] [PATTERN...]

Java orders partitions that share a slot and a hash in a table by identity hashes, which differ from time to time. Exit
status 1: of two answers to one group, one keeps a property that the other breaks, or has other loads.
"""

import argparse
import sys
from fnmatch import fnmatchcase
from itertools import islice
from typing import Any

from held import HELD, random_timelines

from kassay.model import AssignorError, Group
from kassay.properties.consumer import INVARIANTS
from kassay.targets import Options
from kassay.targets.java.opening import open_kafka

SOUND = ("complete", "exclusive", "subscribed", "existing", "every_member")


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("patterns", nargs="*", default=["*"], metavar="PATTERN", help="of references")
    parser.add_argument("--groups", type=int, default=10_000)
    parser.add_argument("--times", type=int, default=4)
    asked = parser.parse_args()
    groups = list(islice(random_timelines.stream(0), asked.groups))
    status = 0
    for held in HELD:
        if any(fnmatchcase(held.reference, pattern) for pattern in asked.patterns):
            with open_kafka(
                held.classes[-1], held.classes[-1].partition(":")[2], Options(timeout_s=20.0)
            ) as java:
                every = list(zip(*(java.answers(groups) for _ in range(asked.times)), strict=True))
            differing = [n for n, answers in enumerate(every) if len(set(map(str, answers))) > 1]
            unlike = [n for n in differing if len({_judged(groups[n], answer) for answer in every[n]}) > 1]
            print(
                f"{held.classes[-1]}: {len(differing)} of {len(groups)} groups answered otherwise, {len(unlike)} with other properties or loads",
                flush=True,
            )
            status |= bool(unlike)
    return status


def _judged(group: Group, answer: Any) -> Any:
    """Say what an answer keeps, and its loads, whoever has them."""
    if isinstance(answer, AssignorError):
        return str(answer).partition(":")[0]
    kept = tuple(name for name in SOUND if next(INVARIANTS[name](group, answer), None) is None)
    return kept, tuple(sorted(map(len, answer.values())))


if __name__ == "__main__":
    sys.exit(main())
