"""Hold every reference to its promises at the seed of the day: `python tests/references.py [--whole] [PATTERN...]`.

The seed is the number of the day, or KASSAY_SEED; it is printed, so that what was found comes again. A part is
tried (`.ci/run`, under a minute), or with `--whole` 2,000 groups, as far as ten minutes of CPU go, at seed 0 and at the seed of the day
(`nox -s long -- references`). A breach where a promise has no exception is printed with its smallest group, and gives status 1.
"""

import argparse
import os
import signal
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from fnmatch import fnmatchcase
from multiprocessing import get_context
from types import FrameType
from typing import NamedTuple, NoReturn

from whole import SEED, seed_of_the_day

from kassay.assignors import ASSIGNORS
from kassay.cli.saying.checking.findings import pasted, sentences
from kassay.defaults import CHECKED
from kassay.engine.check import generated
from kassay.engine.finding import Finding
from kassay.engine.promises import own_promises
from kassay.engine.trial import Trial
from kassay.engine.verdict import BROKEN
from kassay.families import family
from kassay.families.words import does
from kassay.targets import Options, open_target

PART = {
    "consumer": 160, "broker": 200, "share": 200, "connect": 160, "streams": 40, "streams-group": 60,
}  # fmt: skip
"""Family -> how many groups of each of its references are tried in a part: about as long as the others."""
PART_S, WHOLE_S = 12.0, 600.0
"""So many seconds of CPU a reference has in a part, and in the whole: to streams/optimal a single application may be a matter of minutes."""


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
    whole: bool

    @property
    def cpu_s(self) -> float:
        """How many seconds of CPU it has."""
        return WHOLE_S if self.whole else PART_S


def tried(asked: Asked) -> Tried:
    """Return how a reference breaks its promises outside their exceptions, as `kassay check` finds it.

    In a part known defects are not made smaller, so one that also breaks a promise elsewhere is found by the whole alone.
    """
    target = open_target(asked.name, Options())
    record = family(target.family)
    promises = own_promises(target, record)
    wanted = [name for name in record.properties if name in promises.names]
    trial = Trial(target, record, wanted, promises, asked.seed, measured=asked.whole, recorded=False)
    cut = False
    try:
        with bounded(asked.cpu_s):
            generated(trial, asked.examples)
    except TimeIsUpError:
        cut = True
    if not trial.answered:
        sys.exit(f"{asked.name}: answered none of {trial.groups} groups")
    if not asked.whole and all(cause.met for cause in trial.seen):
        return Tried([], trial.groups, cut)
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


def asked_for(patterns: list[str], seeds: list[int], *, whole: bool) -> Iterator[Asked]:
    """Yield what is to be tried, what takes longest first."""
    for seed in seeds:
        for name in sorted(ASSIGNORS, key=lambda name: not name.startswith("streams")):
            if any(fnmatchcase(name, pattern) for pattern in patterns):
                yield Asked(name, CHECKED if whole else PART[ASSIGNORS[name].family], seed, whole)


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("patterns", nargs="*", default=["*"])
    parser.add_argument("--whole", action="store_true")
    options = parser.parse_args()
    seed = seed_of_the_day()
    all_asked = list(
        asked_for(options.patterns, [*{0: 0, seed: 0}] if options.whole else [seed], whole=options.whole)
    )
    if not all_asked:
        sys.exit(f"no reference matches {' '.join(options.patterns)}; known are {', '.join(ASSIGNORS)}")
    print(f"references at seed {seed} ({SEED}={seed} tries the same again)", flush=True)
    status = 0
    with ProcessPoolExecutor(os.cpu_count(), get_context("spawn")) as pool:
        running = {pool.submit(tried, asked): asked for asked in all_asked}
        for done in as_completed(running):
            asked, found = running[done], done.result()
            end = f" in {asked.cpu_s:g} s, no time for more" if found.cut else ""
            kept = "broken" if found.broken else "all promises hold"
            print(f"{asked.name} at seed {asked.seed}: {found.groups:,} groups{end}; {kept}", flush=True)
            for one in found.broken:
                status = 1
                title = f"{one.target} {does(family(one.family), one.property)} ({one.property})"
                again = pasted(one, f"kassay check {asked.name} --seed {asked.seed}")
                print("\n".join((title, *sentences(one), *again)), flush=True)
    print(f"{len(all_asked)} times a reference was tried; {'broken' if status else 'all promises hold'}")
    return status


if __name__ == "__main__":
    sys.exit(main())
