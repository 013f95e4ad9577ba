"""Hold every reference to its promises at the seed of the day: `python tests/references.py [--whole] [PATTERN...]`.

The seed is the number of the day, or KASSAY_SEED; it is printed, so that what was found comes again. `kassay check` and `kassay fixtures run`
must be green on each reference as users run them, without options (`.ci/run`). With `--whole` each is tried by all properties on 2,000 groups, as far as
ten minutes of CPU go, at seed 0 and at the seed of the day (`nox -s long -- references`). A breach where a promise has no exception is printed with
its smallest group, and gives status 1.
"""

import argparse
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, as_completed
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from fnmatch import fnmatchcase
from io import StringIO
from multiprocessing import get_context
from tempfile import TemporaryDirectory
from types import FrameType
from typing import NamedTuple, NoReturn

from whole import SEED, seed_of_the_day

import kassay.cli
from kassay.cli.render.findings import describe_finding, render_as_code
from kassay.defaults import CHECKED
from kassay.engine.check import try_generated
from kassay.engine.finding import Finding
from kassay.engine.promises import read_promises
from kassay.engine.trial import Trial
from kassay.families import family
from kassay.families.assignors import ASSIGNORS
from kassay.families.words import does
from kassay.output.block import BROKEN
from kassay.targets import Options, open_target

WHOLE_S = 600.0
"""The seconds of CPU for one reference with --whole: streams/optimal may take minutes for a single application."""
COMMANDS: Sequence[tuple[str, ...]] = (("check", "--no-replay"), ("fixtures", "run"))
"""The commands that must be green on every reference as users give them; `check` takes the seed, too."""
SLOWEST = ("broker/optimal", "streams/high-availability", "connect/incremental-cooperative")
"""The references that take longest: they are begun first, so that the workers end together."""


class TimeIsUpError(BaseException):
    """The time of a part is over; nothing that an assignor raises, and nothing that what judges it may take for that."""


class Tried(NamedTuple):
    """What was found of one reference, on how many groups, and whether there was no time for more."""

    broken: list[Finding]
    groups: int
    cut: bool = False


class Asked(NamedTuple):
    """One reference, and on how many groups of which seed it is tried."""

    name: str
    examples: int
    seed: int


class Ran(NamedTuple):
    """One command on one reference, its exit status, and what it printed."""

    command: str
    status: int
    printed: str


def run_commands(name: str, seed: int) -> list[Ran]:
    """Run the commands on a reference in this process, in a folder that is deleted."""
    found = []
    for words in COMMANDS:
        seeded = [f"--seed={seed}"] if words[0] == "check" else []
        printed = StringIO()
        with TemporaryDirectory() as folder, redirect_stdout(printed), redirect_stderr(printed):
            try:
                status = kassay.cli.main([*words, name, *seeded, "-o", folder])
            except SystemExit as ended:  # argparse refuses the line
                status = int(ended.code or 0)
        found.append(Ran(" ".join(("kassay", *words[:2], name, *seeded)), status, printed.getvalue()))
    return found


def tried(asked: Asked) -> Tried:
    """Return how a reference breaks its promises outside their exceptions, as `kassay check` finds it."""
    target = open_target(asked.name, Options())
    record = family(target.family)
    promises = read_promises(target, record)
    wanted = [name for name in record.properties if name in promises.names]
    trial = Trial(target, record, wanted, promises, asked.seed, measured=True, recorded=False)
    cut = False
    try:
        with bounded(WHOLE_S):
            try_generated(trial, asked.examples)
    except TimeIsUpError:
        cut = True
    if not trial.answered:
        sys.exit(f"{asked.name}: answered none of {trial.groups} groups")
    return Tried([one for one in trial.findings() if one.outcome == BROKEN], trial.groups, cut)


@contextmanager
def bounded(cpu_s: float) -> Iterator[None]:
    """Raise TimeIsUpError in what is done inside after so many seconds of this process's CPU."""

    def ends(_number: int, _frame: FrameType | None) -> NoReturn:
        raise TimeIsUpError

    before = signal.signal(signal.SIGPROF, ends)
    signal.setitimer(signal.ITIMER_PROF, cpu_s)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)


def find_names(patterns: list[str]) -> list[str]:
    """Return the references that a pattern matches, those that take longest first."""
    found = [name for name in ASSIGNORS if any(fnmatchcase(name, pattern) for pattern in patterns)]
    return sorted(found, key=lambda name: (name not in SLOWEST, not name.startswith("streams")))


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("patterns", nargs="*", default=["*"])
    parser.add_argument("--whole", action="store_true")
    options = parser.parse_args()
    seed = seed_of_the_day()
    names = find_names(options.patterns)
    if not names:
        sys.exit(f"no reference matches {' '.join(options.patterns)}. Known are {', '.join(ASSIGNORS)}")
    print(f"references at seed {seed} ({SEED}={seed} tries the same again)", flush=True)
    with ProcessPoolExecutor(os.cpu_count(), get_context("spawn")) as pool:
        if options.whole:
            status = print_whole(
                pool, [Asked(name, CHECKED, each) for each in {0: 0, seed: 0} for name in names]
            )
        else:
            status = print_commands(pool, names, seed)
    return status


def print_commands(pool: Executor, names: Sequence[str], seed: int) -> int:
    """Print what the commands say of each reference, and return 1 if a status is not 0."""
    failed = 0
    for done in as_completed([pool.submit(run_commands, name, seed) for name in names]):
        for ran in done.result():
            failed += bool(ran.status)
            print(f"{ran.command}: exit status {ran.status}", flush=True)
            if ran.status:
                print(ran.printed, flush=True)
    number = len(names) * len(COMMANDS)
    print(
        f"{number} commands on {len(names)} references; {f'{failed} failed' if failed else 'all are green'}"
    )
    return int(bool(failed))


def print_whole(pool: Executor, all_asked: Sequence[Asked]) -> int:
    """Print how each reference kept its promises, and return 1 if one is broken."""
    status = 0
    running = {pool.submit(tried, asked): asked for asked in all_asked}
    for done in as_completed(running):
        asked, found = running[done], done.result()
        end = f" in {WHOLE_S:g} s, no time for more" if found.cut else ""
        kept = "broken" if found.broken else "all promises hold"
        print(f"{asked.name} at seed {asked.seed}: {found.groups:,} groups{end}; {kept}", flush=True)
        for one in found.broken:
            status = 1
            title = f"{one.target} {does(family(one.family), one.property)} ({one.property})"
            again = render_as_code(one, f"kassay check {asked.name} --seed {asked.seed}")
            print("\n".join((title, *describe_finding(one), *again)), flush=True)
    print(f"{len(all_asked)} times a reference was tried; {'broken' if status else 'all promises hold'}")
    return status


if __name__ == "__main__":
    sys.exit(main())
