"""Alter true answers of every kind by the hundred thousand: ``python tests/oracles/forge.py [--cases N] [--first N] [KIND...]``.

The checker must accept true answers and no false ones, and no answer may end in a traceback. Case n of a kind is always the
same. Each fault is printed with its group and its answer, and gives status 1. The tests do a part each day (`forging/test_forger.py`).
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parent)]

from forging.cases import KINDS  # noqa: E402  # found by the line before
from forging.forger import PER_CASE, Tally, describe_tallies, forge  # noqa: E402

CASES = 46
"""This number of cases of each kind makes 100,000 alterations."""


def main() -> int:
    """Forge, print what came of it, and return the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "kinds", nargs="*", choices=[[], *KINDS], metavar="KIND", help=f"of {', '.join(KINDS)}; default: all"
    )
    parser.add_argument(
        "--cases", type=int, default=CASES, metavar="N", help=f"cases of each kind; default: {CASES}"
    )
    parser.add_argument(
        "--first", type=int, default=0, metavar="N", help="the number of the first case; default: 0"
    )
    parser.add_argument(
        "--each", type=int, default=PER_CASE, metavar="N", help=f"alterations of a case; default: {PER_CASE}"
    )
    asked = parser.parse_args()
    tallies: dict[str, Tally] = {}
    with tempfile.TemporaryDirectory() as folder:
        for kind in asked.kinds or KINDS:
            began, tally = time.monotonic(), tallies.setdefault(kind, Tally())
            for number in range(asked.first, asked.first + asked.cases):
                forge(kind, number, Path(folder), tally, asked.each)
            print(
                f"{kind}: {tally.altered:,} in {time.monotonic() - began:.0f} s, {len(tally.faults)} faults",
                file=sys.stderr,
            )
    for fault in (fault for tally in tallies.values() for fault in tally.faults):
        print(fault)
    print("\n".join(describe_tallies(tallies)))
    return int(any(tally.faults for tally in tallies.values()))


if __name__ == "__main__":
    sys.exit(main())
