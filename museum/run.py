"""Judge released assignors with known faults as any other, and print which faults are found.

    python museum/run.py [ISSUE...] [--json]

Each affected release is judged with the default settings of `kassay check`. A fault is found where the smallest group
that breaks a property in which it shows is answered well by the fixed release. As each property is judged up to its
first violation, another fault may come first; where that happens the release is judged once more, with the fixed one as
the measure: only what that one does well can be done wrong. Exit status 1: some fault was not found.
"""

import argparse
import json
import sys
import time
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from growth import growth

from kassay.check import check, violations
from kassay.families import family
from kassay.family import Assign, Family
from kassay.finding import Finding
from kassay.targets import Options, Target
from kassay.targets.java.opening import open_kafka

FILE = Path(__file__).with_name("museum.toml")
EXAMPLES = 2_000
WORSE = 1.5  # a time that grows so much faster when members double is a fault
COLUMNS = ("issue", "affected", "fixed", "found", "by", "seconds", "smallest group")


@dataclass(frozen=True)
class Exhibit:
    """A release with a known fault and the first one without it, as museum.toml lists them."""

    issue: str
    affected: str
    fixed: str
    shows: list[str]
    about: str


@dataclass(frozen=True)
class Outcome:
    """What became of an exhibit: whether it was found, by what, after how long, and the smallest group as JSON."""

    found: str
    by: str
    seconds: float
    group: Any = None


def exhibits(wanted: list[str]) -> list[Exhibit]:
    """Read the exhibits, all or those of some issues."""
    every = [Exhibit(**entry) for entry in tomllib.loads(FILE.read_text())["exhibit"]]
    return [one for one in every if not wanted or one.issue in wanted]


def judged(exhibit: Exhibit) -> Outcome:
    """Judge an exhibit by all properties of its family, or by its time."""
    start = time.perf_counter()
    with opened(exhibit.affected) as affected, opened(exhibit.fixed) as fixed:
        if exhibit.shows == ["time"]:
            return by_time(affected, fixed, start)
        of_target = family(affected.family)
        for found, forms in (("yes", of_target), ("against the fixed release", only_worse(of_target, fixed))):
            for finding in findings(affected, forms):
                good = not violations(of_target, finding.property, finding.group, fixed.assign, fixed)
                if finding.property in exhibit.shows and good:
                    group = of_target.write_group(finding.group)
                    return Outcome(found, finding.property, time.perf_counter() - start, group)
    return Outcome("no", "", time.perf_counter() - start)


def opened(spec: str) -> Target:
    """Open a release with the usual options."""
    return open_kafka(spec, spec.partition(":")[2], Options())


def findings(target: Target, forms: Family) -> Iterator[Finding]:
    """Yield the findings of a check by all properties, as they are made."""
    told = check(target, forms, examples=EXAMPLES, promised=frozenset(forms.properties))
    return (item for item in told if isinstance(item, Finding))


def only_worse(forms: Family, fixed: Target) -> Family:
    """Demand of each property only what the fixed release does."""

    def invariant(name: str, group: Any, assignment: Any) -> Iterator[str]:
        said = list(forms.invariants[name](group, assignment))
        return iter([] if said and violations(forms, name, group, fixed.assign, fixed) else said)

    def law(name: str, assign: Assign, group: Any) -> Iterator[str]:
        said = list(forms.laws[name](assign, group))
        return iter([] if said and violations(forms, name, group, fixed.assign, fixed) else said)

    return replace(
        forms,
        invariants={name: partial(invariant, name) for name in forms.invariants},
        laws={name: partial(law, name) for name in forms.laws},
    )


def by_time(affected: Target, fixed: Target, start: float) -> Outcome:
    """Compare how the time grows."""
    one, other = growth(affected), growth(fixed)
    found = "yes" if one > WORSE * other else "no"
    said = f"time: x {one:.1f} when members double, against x {other:.1f}"
    return Outcome(found, said, time.perf_counter() - start)


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("issues", nargs="*")
    parser.add_argument("--json", action="store_true", help="print one JSON object per exhibit, not a table")
    options = parser.parse_args()
    if not options.json:
        print(f"| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}")
    status = 0
    for exhibit in exhibits(options.issues):
        outcome = judged(exhibit)
        status |= outcome.found == "no"
        if options.json:
            print(json.dumps(vars(exhibit) | vars(outcome)), flush=True)
            continue
        group = f"`{json.dumps(outcome.group)}`" if outcome.group else ""
        cells = (
            exhibit.issue,
            exhibit.affected,
            exhibit.fixed,
            outcome.found,
            outcome.by,
            f"{outcome.seconds:.0f}",
            group,
        )
        print(f"| {' | '.join(cells)} |", flush=True)
    return status


if __name__ == "__main__":
    sys.exit(main())
