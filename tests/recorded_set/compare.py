"""Compare the answers of two checkouts: ``python tests/recorded_set/compare.py CHECKOUT_A CHECKOUT_B``.

Both run every case, each with its own source and another PYTHONHASHSEED. Each case whose recordings differ is printed as
a unified diff, and the exit status is then 1. A case that differs is run once more before that. A folder that ``record.py`` wrote can stand for a checkout.
"""

import argparse
import difflib
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

sys.path.insert(0, str(Path(__file__).parents[1]))

from recorded_set.cases import Case
from recorded_set.record import add_run_options, choose_cases, run_cases
from recorded_set.recording import count_commands, open_checkout, record_case

HASH_SEEDS = ("1", "2")
"""The PYTHONHASHSEED of each checkout; they differ, so an answer that depends on the order of a set is reported."""
WIDE = 160
"""The length above which a line of JSON or HTML is broken in a diff."""
Side: TypeAlias = Callable[[Case], str]
"""The function that gives the recording of a case."""
NO_RECORDING = "(no recording)\n"


def open_side(place: Path, python: Path | None, hash_seed: str) -> Side:
    """Return the function that gives the recording of a case: from a folder of recordings, or by running a checkout."""
    if not (place / "src" / "kassay").is_dir():
        if not any(place.rglob("*.txt")):
            sys.exit(
                f"{place}: this is neither a checkout nor a folder of recordings. Write one with record.py."
            )
        return lambda case: read_recording(place / f"{case.name}.txt")
    checkout = open_checkout(place, python, hash_seed)
    return lambda case: record_case(case, checkout)


def record_pair(case: Case, first: Side, second: Side) -> tuple[str, str, bool]:
    """Return both recordings, and True if they are the second ones because the first ones differed.

    kassay has time limits, which a busy machine can reach. A difference of the code shows in the second run, too.
    """
    before, after = first(case), second(case)
    if before == after:
        return before, after, False
    return first(case), second(case), True


def read_recording(file: Path) -> str:
    """Return a stored recording, or a remark if there is no such file."""
    return file.read_text() if file.exists() else NO_RECORDING


def split_lines(text: str) -> list[str]:
    """Return the lines of a text; long lines of JSON or HTML are broken after commas and brackets."""
    return [
        piece
        for line in text.splitlines()
        for piece in (re.split(r"(?<=[,>}\]])(?=.)", line) if len(line) > WIDE else [line])
    ]


def describe_difference(before: str, after: str, most: int) -> Iterator[str]:
    """Yield the lines of a unified diff, at most ``most`` lines, with the command of each part."""
    old, new = split_lines(before), split_lines(after)
    lines = list(difflib.unified_diff(old, new, "A", "B", lineterm="", n=2))
    for line in lines[:most]:
        if found := re.match(r"@@ -(\d+)", line):
            commands = [each for each in old[: int(found[1]) + 2] if each.startswith("$ ")]
            yield f"{line} {commands[-1] if commands else ''}".rstrip()
        else:
            yield line
    if len(lines) > most:
        yield f"... {len(lines) - most} more lines. Use --most {len(lines)} to see them."


def main() -> int:
    """Compare two checkouts and return 1 if an answer differs."""
    parser = argparse.ArgumentParser(
        description="Compare the answers of two checkouts, or of recordings of them."
    )
    parser.add_argument("a", type=Path, metavar="A", help="a checkout, or a folder that record.py wrote")
    parser.add_argument("b", type=Path, metavar="B", help="another one")
    parser.add_argument(
        "--python-a", type=Path, help="a Python for A (default: that checkout's .venv, or this Python)"
    )
    parser.add_argument(
        "--python-b", type=Path, help="a Python for B (default: that checkout's .venv, or this Python)"
    )
    parser.add_argument(
        "--most", type=int, default=60, metavar="N", help="lines of a diff to print (default: 60)"
    )
    add_run_options(parser)
    args = parser.parse_args()
    cases = choose_cases(args.only)
    first = open_side(args.a, args.python_a, HASH_SEEDS[0])
    second = open_side(args.b, args.python_b, HASH_SEEDS[1])
    different, unstable = [], []
    for case, (before, after, again) in run_cases(
        lambda case: record_pair(case, first, second), cases, args.jobs, args.slowest
    ):
        if before != after:
            different.append(case.name)
            print(
                f"=== {case.name}", *describe_difference(before, after, args.most), "", sep="\n", flush=True
            )
        elif again:
            unstable.append(case.name)
    print(f"{len(different)} of {len(cases)} cases differ ({count_commands(cases)} commands).")
    if unstable:
        print(
            f"Differed in the first run only, such as a time limit on a busy machine: {', '.join(unstable)}."
        )
    return int(bool(different))


if __name__ == "__main__":
    sys.exit(main())
