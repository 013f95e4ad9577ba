"""Judge released assignors with known faults as any other, and print which faults are found.

    python museum/run.py [ISSUE...] [--json | --write]

Each affected release is judged as `kassay check` judges it: by what the newest release promises, with the usual settings and
seed. A fault is found where the smallest group that breaks a promise in which it shows is answered well by the fixed
release. Then both releases are timed by turns on growing groups. Where neither shows it, every property that is not promised is
judged beside the fixed release: it counts as broken on groups on which that one keeps it. Faults of the group protocol are found by
simulating whole groups (by_schedule.py); what happens is told for those that are named. Exit status 1: some fault was not found.
"""

import argparse
import json
import sys
import time
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import by_schedule
from releases import opened
from timing import SLOWER, growths

sys.path.insert(0, str(Path(__file__).parents[1] / "docs" / "scripts"))

from figures import put

from kassay.defaults import CHECKED
from kassay.engine.check import check
from kassay.engine.finding import Finding
from kassay.engine.judge import find_violations
from kassay.families import family
from kassay.families.family import Family
from kassay.families.shape import Assign
from kassay.targets import Target

FILE = Path(__file__).with_name("museum.toml")
PAGE = Path(__file__).parents[1] / "docs" / "results" / "old-bugs.md"
TIME = "time"
COLUMNS = ("issue", "affected", "fixed", "found by", "seconds", "smallest group or schedule")


@dataclass(frozen=True)
class Exhibit:
    """A release with a known fault and a later one without it, as museum.toml lists them."""

    issue: str
    affected: str
    fixed: str
    shows: list[str]
    about: str


@dataclass(frozen=True)
class Shown:
    """How a fault was found: by which property, after how many seconds, what was said, and the smallest group as JSON."""

    by: str
    seconds: float
    said: str
    group: Any = None


def exhibits(wanted: list[str]) -> list[Exhibit]:
    """Read the exhibits, all or those of some issues."""
    every = [Exhibit(**entry) for entry in tomllib.loads(FILE.read_text())["exhibit"]]
    return [one for one in every if not wanted or one.issue in wanted]


def shown(exhibit: Exhibit) -> list[Shown]:
    """Judge an exhibit by its promises and by time, and tell where its fault shows."""
    start = time.perf_counter()
    with opened(exhibit.affected) as affected, opened(exhibit.fixed) as fixed:
        found = [_told(one, start) for one in broken(affected) if does_well(fixed, one.property, one.group)]
        shows = [one for one in found if one.by in exhibit.shows]
        if TIME in exhibit.shows or not shows:
            shows += [one for one in by_time(affected, fixed) if TIME in exhibit.shows]
        if shows:
            return shows
        beside = (_told(one, start) for one in broken_beside(affected, fixed))
        return [one for one in beside if one.by in exhibit.shows]


def _told(finding: Finding, start: float) -> Shown:
    group = family(finding.family).write_group(finding.group)
    return Shown(finding.property, time.perf_counter() - start, finding.messages[0], group)


def broken(target: Target) -> Iterator[Finding]:
    """Yield what a check finds of the promises that are held against a target."""
    forms = family(target.family)
    promised = _promised(target)
    yield from _found(target, forms, [name for name in forms.properties if name in promised])


def broken_beside(affected: Target, fixed: Target) -> Iterator[Finding]:
    """Yield what a check finds of the properties that are not promised, on groups on which the fixed release keeps them."""
    forms = family(affected.family)
    promised = _promised(affected)
    names = [name for name in forms.properties if name not in promised]
    laws = forms.laws | {name: partial(_apart, forms, name, fixed) for name in names}
    kept = {name: holds for name, holds in forms.invariants.items() if name in promised}
    yield from _found(affected, replace(forms, invariants=kept, laws=laws), names)


def _apart(forms: Family, name: str, fixed: Target, assign: Assign, group: Any) -> Iterator[str]:
    """Say how an assignor breaks a property on a group on which the fixed release keeps it."""
    if name in forms.invariants:
        said = forms.invariants[name](group, assign(group))
    else:
        said = forms.laws[name](assign, group)
    first = next(said, None)
    if first is not None and does_well(fixed, name, group):
        yield first


def _promised(target: Target) -> frozenset[str]:
    return family(target.family).expected if target.promises is None else target.promises


def _found(target: Target, forms: Family, wanted: Sequence[str]) -> Iterator[Finding]:
    told = check(target, forms, examples=CHECKED, wanted=wanted)
    return (item for item in told if isinstance(item, Finding) and not item.known)


def does_well(fixed: Target, name: str, group: Any) -> bool:
    """Say whether the fixed release answers a group, and keeps a property on it."""
    forms = family(fixed.family)
    judged = (name, "crash_free") if "crash_free" in forms.laws else (name,)
    return not any(find_violations(forms, each, group, fixed.assign, fixed) for each in judged)


def by_time(affected: Target, fixed: Target) -> Iterator[Shown]:
    """Tell on which shapes of groups the affected release takes much longer than the fixed one."""
    start = time.perf_counter()
    for one in growths(affected, fixed):
        if one.slower > SLOWER:
            said = (
                f"{one.shape}: x {one.first:.1f} when the group doubles, against x {one.second:.1f}; "
                f"{one.slower:.0f} times as long at last"
            )
            yield Shown(TIME, time.perf_counter() - start, said)


def cells(exhibit: Exhibit, found: list[Shown]) -> Iterator[tuple[str, ...]]:
    """Make the rows of the table for an exhibit: one for each way in which it was found."""
    for one in found:
        group = f"`{json.dumps(one.group)}`" if one.group else one.said
        yield exhibit.issue, exhibit.affected, exhibit.fixed, one.by, f"{one.seconds:.0f}", group
    if not found:
        yield exhibit.issue, exhibit.affected, exhibit.fixed, "NOT FOUND", "", ""


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("issues", nargs="*")
    parser.add_argument("--json", action="store_true", help="print one JSON object per exhibit, not a table")
    parser.add_argument(
        "--write", action="store_true", help="write the table of all into docs/results/old-bugs.md"
    )
    parser.add_argument("--record", action="store_true", help="keep the smallest schedules in schedules.json")
    options = parser.parse_args()
    if options.write and (options.issues or options.json):
        parser.error("--write writes the table of all")
    table = [f"| {' | '.join(COLUMNS)} |", f"|{'---|' * len(COLUMNS)}"]
    if not options.json:
        print(*table, sep="\n")
    status = 0
    for exhibit in exhibits(options.issues):
        found = shown(exhibit)
        status |= not found
        if options.json:
            print(json.dumps(vars(exhibit) | {"found": [vars(one) for one in found]}), flush=True)
        else:
            for row in cells(exhibit, found):
                table.append(f"| {' | '.join(row)} |")
                print(table[-1], flush=True)
    if options.write:
        put(PAGE, "nox -s museum -- --write", "\n".join(table) + "\n")
    for staged in by_schedule.staged(options.issues):
        status |= not _staged(staged, options)
    return status


def _staged(staged: by_schedule.Staged, options: argparse.Namespace) -> bool:
    """Look for a fault of the protocol, print how it was found, and say whether it was."""
    found = by_schedule.caught(staged)
    if options.json:
        print(json.dumps(vars(staged) | {"found": found and by_schedule.plain(found)}), flush=True)
        return found is not None
    if found is None:
        print(
            f"| {staged.issue} | {staged.affected} | {staged.fixed} | NOT FOUND | | |",
            flush=True,
        )
        return False
    told = by_schedule.said(found.schedule)
    cells = staged.issue, staged.affected, staged.fixed, found.breaks, f"{found.seconds:.0f}", told
    print(f"| {' | '.join(cells)} |", flush=True)
    if options.issues:
        print(f"\n{staged.about}\n\n{by_schedule.told(staged, found.schedule)}", flush=True)
    if options.record:
        by_schedule.record({staged.issue: found})
    return True


if __name__ == "__main__":
    sys.exit(main())
