"""Ask Kafka's own classes the same again, and print how often they answer otherwise.

    python parity/classes/differ/repeats.py [--groups N] [--times N] [PATTERN...]

Java orders partitions that share a slot and a hash in a table by identity hashes, and Kafka's public sticky assignor the tasks that
have standbys; these differ from time to time. Exit status 1: of two answers to one group, one keeps a property that the other
breaks, or has other loads: numbers of partitions, or of active tasks.
"""

import argparse
import sys
from fnmatch import fnmatchcase
from itertools import islice
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from classes.differ.counterparts import COUNTERPARTS

from kassay.families import family
from kassay.families.family import Family
from kassay.model import AssignorError
from kassay.model.tasks import TaskAssignment
from kassay.targets import Options
from kassay.targets.java import open_kafka


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "patterns",
        nargs="*",
        default=["*"],
        metavar="PATTERN",
        help="of references; of streams with a strategy",
    )
    parser.add_argument("--groups", type=int, default=10_000)
    parser.add_argument("--times", type=int, default=4)
    asked = parser.parse_args()
    status = 0
    for held in COUNTERPARTS:
        if any(fnmatchcase(held.name, pattern) for pattern in asked.patterns):
            forms, groups = family(held.family), list(islice(held.stream(0), asked.groups))
            with open_kafka(
                held.classes[-1], held.classes[-1].partition(":")[2], Options(timeout_s=20.0)
            ) as java:
                every = list(zip(*(java.answers(groups) for _ in range(asked.times)), strict=True))
            differing = [n for n, answers in enumerate(every) if len(set(map(str, answers))) > 1]
            unlike = [
                n for n in differing if len({_judged(forms, groups[n], answer) for answer in every[n]}) > 1
            ]
            print(
                f"{held.name}: {len(differing)} of {len(groups)} groups answered otherwise, {len(unlike)} with other properties or loads",
                flush=True,
            )
            status |= bool(unlike)
    return status


def _judged(forms: Family, group: Any, answer: Any) -> Any:
    """Say what an answer keeps, and its loads, whoever has them."""
    if isinstance(answer, AssignorError):
        return str(answer).partition(":")[0]
    sound = [name for name in forms.invariants if name in forms.expected | forms.legal]
    kept = tuple(name for name in sound if next(iter(forms.invariants[name](group, answer)), None) is None)
    return kept, tuple(sorted(_loads(answer)))


def _loads(answer: Any) -> list[int]:
    """Count the partitions of each member, or the active tasks of each client."""
    if isinstance(answer, TaskAssignment):
        return [len(given.active) for given in answer.clients.values()]
    return [len(given) for given in answer.values()]


if __name__ == "__main__":
    sys.exit(main())
