"""Record the answers of one checkout: ``python tests/recorded_set/record.py CHECKOUT --into FOLDER``.

Each case becomes a text file of the folder, which holds exit statuses, output and written files. ``compare.py``
takes such a folder in place of a checkout.
"""

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import TypeVar

sys.path.insert(0, str(Path(__file__).parents[1]))

from recorded_set.cases import Case, read_cases, select_cases
from recorded_set.recording import count_commands, open_checkout, record_case

T = TypeVar("T")
STEP = 20
"""The number of cases between two lines of progress."""


def add_run_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that choose the cases and the number of processes."""
    parser.add_argument(
        "-j", type=int, default=2, metavar="N", dest="jobs", help="cases at a time (default: 2)"
    )
    parser.add_argument(
        "--only", action="append", default=[], metavar="GLOB", help="only cases with such names, as 'check/*'"
    )
    parser.add_argument(
        "--slowest", type=int, default=0, metavar="N", help="also print the N cases that take longest"
    )


def choose_cases(patterns: Sequence[str]) -> tuple[Case, ...]:
    """Return the cases that the patterns select; exit with a message if there are none."""
    cases = select_cases(read_cases(), patterns)
    if not cases:
        sys.exit(
            f"--only {' '.join(patterns)}: no case has such a name. See the files in tests/recorded_set/cases."
        )
    return cases


def run_cases(
    work: Callable[[Case], T], cases: Sequence[Case], jobs: int, slowest: int
) -> Iterator[tuple[Case, T]]:
    """Yield each case with its result as soon as it is done, and print the progress to standard error."""
    started, seconds = time.monotonic(), {}

    def run_timed(case: Case) -> T:
        """Run one case and note how long it takes."""
        begun = time.monotonic()
        result = work(case)
        seconds[case.name] = time.monotonic() - begun
        return result

    with ThreadPoolExecutor(jobs) as pool:
        running = {pool.submit(run_timed, case): case for case in cases}
        for number, done in enumerate(as_completed(running), 1):
            yield running[done], done.result()
            if number % STEP == 0 or number == len(cases):
                spent = time.monotonic() - started
                print(f"{number} of {len(cases)} cases, {spent:.0f} s", file=sys.stderr, flush=True)
    for name in sorted(seconds, key=seconds.__getitem__, reverse=True)[:slowest]:
        print(f"{seconds[name]:6.1f} s  {name}", file=sys.stderr)


def main() -> int:
    """Record one checkout and return the exit status."""
    parser = argparse.ArgumentParser(description="Record the answers of one checkout as text files.")
    parser.add_argument("checkout", type=Path, help="the root of a checkout of kassay")
    parser.add_argument(
        "--into", type=Path, required=True, metavar="FOLDER", help="the folder of the text files"
    )
    parser.add_argument(
        "--python", type=Path, help="a Python with kassay's dependencies (default: the checkout's .venv)"
    )
    parser.add_argument(
        "--hash-seed", default="1", metavar="N", help="PYTHONHASHSEED of the commands (default: 1)"
    )
    add_run_options(parser)
    args = parser.parse_args()
    checkout, cases = open_checkout(args.checkout, args.python, args.hash_seed), choose_cases(args.only)
    for case, text in run_cases(lambda case: record_case(case, checkout), cases, args.jobs, args.slowest):
        file = args.into / f"{case.name}.txt"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    print(f"{len(cases)} cases with {count_commands(cases)} commands are in {args.into}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
