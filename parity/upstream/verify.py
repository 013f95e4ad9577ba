"""Verify the patches of the reports for Kafka's developers, and measure which releases are affected.

    python parity/upstream/verify.py [REPORT...] [--groups N] [--seed N] [--releases] [--write]

For each report with a patch: the JUnit test fails with the released classes and passes with the patched ones; each finding is broken by the
released class and kept by the patched one; on generated groups, the patched class breaks no promise that the released one keeps. With --releases,
each finding is replayed with the class of every release. --write keeps the figures next to the report, from which the page is generated.
Exit status 1: something is not so.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "docs" / "scripts"))
sys.path.insert(0, str(Path(__file__).parents[1]))

from classes.differ.counterparts import one_identity_hash
from figures import today
from upstream.patches import RELEASE, Report, patch_classes, read_reports, run_test

from kassay.defaults import cache_folder
from kassay.engine.finding import Finding, load_finding
from kassay.engine.generate import draw_batches
from kassay.engine.judge import cache_answers, judge
from kassay.engine.promises import NONE, Exceptions
from kassay.errors import InputError, SkippedError
from kassay.families import family
from kassay.families.assignors import ASSIGNORS
from kassay.families.family import Family
from kassay.families.shape import Assign
from kassay.model import AssignorError
from kassay.targets import Options, open_target
from kassay.targets.java.releases import KAFKA
from kassay.targets.target import Target

FINDINGS = Path(__file__).parents[2] / "examples" / "findings"
GROUPS = 1000
ENDLESS_S = 3.0
"""Seconds for one answer. The assignors that never end are stopped after them."""
SHARE_OF_NEIGHBOURS = 5
"""The groups for each group next to a finding."""
MOST_STEPS, CANDIDATES = 4, 300
KEPT, BROKEN, KNOWN, NO_ANSWER = "kept", "broken", "known defect", "no answer"


def check_property(
    target: Target, assign: Assign, of_family: Family, name: str, group: Any, known: Exceptions = NONE
) -> str:
    """Return whether a target keeps a property on a group, breaks it, breaks it in a situation of `known` defects, or gives no answer."""
    try:
        breach = judge(of_family, name, group, assign, target, known, messages=1)
    except (AssignorError, SkippedError):
        return NO_ANSWER
    if breach is None:
        return KEPT
    return KNOWN if breach.met else BROKEN


def replay(spec: str, finding: Finding) -> str:
    """Return the outcome of a finding's property on its group with another target."""
    with open_target(spec, Options(family=finding.family, timeout_s=ENDLESS_S)) as target:
        return check_property(
            target, cache_answers(target.assign), family(finding.family), finding.property, finding.group
        )


def measure_releases(reports: Sequence[Report]) -> Iterator[tuple[Report, dict[str, Any], list[str]]]:
    """Yield each report with the releases whose class breaks the property of each finding on its group."""
    findings = {
        file: load_finding(str(FINDINGS / file), trust=True)
        for report in reports
        for file in report.facts["findings"]
    }
    affected: dict[str, list[str]] = {file: [] for file in findings}
    for name in dict.fromkeys(finding.target.rpartition("#")[2] for finding in findings.values()):
        own = {file: each for file, each in findings.items() if each.target.endswith(f"#{name}")}
        for version in KAFKA[name].versions():
            for file in find_broken(f"kafka:{version}#{name}", own):
                affected[file].append(version)
    for report in reports:
        yield report, {"affected": {file: affected[file] for file in report.facts["findings"]}}, []


def find_broken(spec: str, findings: Mapping[str, Finding]) -> list[str]:
    """Return the files whose findings a target shows; [] if there is no such target."""
    with suppress(InputError), open_target(spec, Options(timeout_s=ENDLESS_S)) as target:
        return [
            file
            for file, one in findings.items()
            if check_property(
                target, cache_answers(target.assign), family(one.family), one.property, one.group
            )
            == BROKEN
        ]
    return []


def draw_groups(of_family: Family, released: Target, number: int, seed: int) -> Iterator[Any]:
    """Yield generated groups, and the steps of timelines that the released class plays."""
    for groups, timelines in draw_batches(of_family, number, seed):
        yield from groups
        for timeline in timelines:
            with suppress(AssignorError, SkippedError):
                yield from of_family.shape.play(released.assign, timeline)


def read_answer(assign: Assign, group: Any) -> Any:
    """Return the answer to a group, or None if there is none."""
    try:
        return assign(group)
    except (AssignorError, SkippedError):
        return None


@dataclass
class Difference:
    """How the answers of a patched class differ from those of the released one."""

    groups: int = 0
    different: int = 0
    """The groups with another answer."""
    unneeded: int = 0
    """The groups with another answer on which the released class keeps all promises."""
    released: Counter[str] = field(default_factory=Counter)
    """Promise -> the groups on which the released class breaks it."""
    repaired: Counter[str] = field(default_factory=Counter)
    """Promise -> the groups of these on which the patched class keeps it."""
    known: int = 0
    """The promises that only the patched class breaks, on groups in a situation of another known defect."""
    worse: list[str] = field(default_factory=list)
    """The promises that only the patched class breaks otherwise, with their groups."""

    def note(self, before: Mapping[str, str], after: Mapping[str, str], group: str, *, same: bool) -> None:
        """Add a group, with the outcome of each promise for both classes."""
        self.groups += 1
        self.different += not same
        self.unneeded += not same and {*before.values()} == {KEPT}
        for name, outcome in before.items():
            if outcome in (BROKEN, KNOWN):
                self.released[name] += 1
                self.repaired[name] += after[name] == KEPT
            elif outcome == KEPT:
                self.known += after[name] == KNOWN
                self.worse += [f"{name}: {group}"] * (after[name] in (BROKEN, NO_ANSWER))

    def write(self) -> dict[str, Any]:
        """Return the figures."""
        broken = {name: [count, self.repaired[name]] for name, count in sorted(self.released.items())}
        return {
            "groups": self.groups,
            "different": self.different,
            "unneeded": self.unneeded,
            "known": self.known,
            "worse": len(self.worse),
            "broken": broken,
        }


def compare(assignor: str, specs: Mapping[str, str], number: int, seed: int) -> dict[str, Difference]:
    """Compare patched classes with the released one on the same generated groups, by all promises of the reference.

    `specs` are the targets by the name of the report.
    """
    reference = ASSIGNORS[assignor]
    of_family = family(reference.family)
    names = [name for name in of_family.properties if name in reference.promises]
    known = {name: Exceptions(terms) for name, terms in reference.except_in.items()}
    options = Options(family=reference.family, timeout_s=ENDLESS_S)
    found = {name: Difference() for name in specs}
    with ExitStack() as stack:
        released = stack.enter_context(open_target(f"kafka:{RELEASE}#{assignor}", options))
        patched = {name: stack.enter_context(open_target(spec, options)) for name, spec in specs.items()}

        def judge_all(target: Target, group: Any) -> tuple[Any, dict[str, str]]:
            assign = cache_answers(target.assign)
            outcomes = {
                name: check_property(target, assign, of_family, name, group, known.get(name, NONE))
                for name in names
            }
            return read_answer(assign, group), outcomes

        for group in draw_groups(of_family, released, number, seed):
            answer, before = judge_all(released, group)
            text = json.dumps(of_family.write_group(group))
            for name, target in patched.items():
                other, after = judge_all(target, group)
                found[name].note(before, after, text, same=answer == other)
    return found


def draw_neighbours(of_family: Family, group: Any, number: int, seed: int) -> Iterator[Any]:
    """Yield groups that a few steps of the minimiser lead to from a group."""
    chance = Random(seed)
    for _ in range(number):
        reached = group
        for _ in range(chance.randint(1, MOST_STEPS)):
            smaller = list(islice(of_family.shape.smaller(reached), CANDIDATES))
            if not smaller:
                break
            reached = chance.choice(smaller)
        yield reached


def compare_neighbours(
    report: Report, classes: Path, number: int, seed: int
) -> tuple[dict[str, int], list[str]]:
    """Compare answers next to the findings of a report: return how many differ or are missing, and the invariants that only the patched class breaks."""
    found: Counter[str] = Counter(groups=0, different=0, unanswered=0, unanswered_when_patched=0)
    worse = []
    for file in report.facts["findings"]:
        finding = load_finding(str(FINDINGS / file), trust=True)
        of_family, name = family(finding.family), finding.target.rpartition("#")[2]
        invariants = [each for each in of_family.invariants if each in ASSIGNORS[name].promises]
        options = Options(family=finding.family, timeout_s=ENDLESS_S)
        with ExitStack() as stack:
            specs = (f"kafka:{RELEASE}#{name}", report.write_target(name, classes))
            targets = [stack.enter_context(open_target(spec, options)) for spec in specs]
            for group in draw_neighbours(of_family, finding.group, number, seed):
                assigns = [cache_answers(target.assign) for target in targets]
                before, after = (read_answer(assign, group) for assign in assigns)
                found.update(
                    groups=1,
                    different=before != after,
                    unanswered=before is None,
                    unanswered_when_patched=after is None,
                )
                for each in invariants:
                    known = Exceptions(ASSIGNORS[name].except_in.get(each, frozenset()))
                    outcomes = [
                        check_property(target, assign, of_family, each, group, known)
                        for target, assign in zip(targets, assigns, strict=True)
                    ]
                    if outcomes == [KEPT, BROKEN]:
                        worse.append(f"{name}: {each}: {json.dumps(of_family.write_group(group))}")
    return dict(found), worse


def verify_test(report: Report, into: Path, classes: Path) -> tuple[int, list[str]]:
    """Return the number of a test's methods, and sentences on what is not as it should be of the test and the findings."""
    before, after = run_test(report, into), run_test(report, into, [classes])
    wrong = []
    if before["successful"] or after["failed"]:
        wrong.append(f"the test has {before} with the released class, and {after} with the patched one")
    for file in report.facts["findings"]:
        finding = load_finding(str(FINDINGS / file), trust=True)
        name = finding.target.rpartition("#")[2]
        outcomes = [
            replay(spec, finding) for spec in (f"kafka:{RELEASE}#{name}", report.write_target(name, classes))
        ]
        if outcomes != [BROKEN, KEPT]:
            wrong.append(
                f"{file}: {finding.property} is {outcomes[0]} before the patch and {outcomes[1]} after it"
            )
    return sum(before.values()), wrong


def verify_failing(reports: Sequence[Report]) -> Iterator[tuple[Report, dict[str, Any], list[str]]]:
    """Yield each report with a test and without a patch, and a sentence if the test does not fail with the released class."""
    for report in reports:
        if report.test and not report.patch:
            found = run_test(report, cache_folder() / "upstream" / report.name)
            wrong = [f"the test has {found} with the released class"] if found["successful"] else []
            yield report, {"tests": sum(found.values())}, wrong


def verify(
    reports: Sequence[Report], number: int, seed: int
) -> Iterator[tuple[Report, dict[str, Any], list[str]]]:
    """Yield each report with its figures, and sentences on what is not as it should be."""
    made = {
        report.name: patch_classes(report, cache_folder() / "upstream" / report.name) for report in reports
    }
    tested = {
        report.name: verify_test(report, made[report.name].parent, made[report.name]) for report in reports
    }
    one_identity_hash()  # not before, as javac then refuses some correct sources
    near = {
        report.name: compare_neighbours(report, made[report.name], number // SHARE_OF_NEIGHBOURS, seed)
        for report in reports
    }
    compared: dict[str, dict[str, Difference]] = {report.name: {} for report in reports}
    for assignor in dict.fromkeys(each for report in reports for each in report.facts["assignors"]):
        specs = {
            report.name: report.write_target(assignor, made[report.name])
            for report in reports
            if assignor in report.facts["assignors"]
        }
        for name, difference in compare(assignor, specs, number, seed).items() if number else ():
            compared[name][assignor] = difference
    for report in reports:
        tests, wrong = tested[report.name]
        found = compared[report.name]
        figures = {
            "tests": tests,
            "neighbours": near[report.name][0],
            "compared": {assignor: one.write() for assignor, one in found.items()},
        }
        yield (
            report,
            figures,
            [
                *wrong,
                *near[report.name][1],
                *(f"{assignor}: {each}" for assignor, one in found.items() for each in one.worse),
            ],
        )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "reports", nargs="*", metavar="REPORT", help="folders of parity/upstream (default: all)"
    )
    parser.add_argument("--groups", type=int, default=GROUPS, help="generated groups for each assignor")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--releases", action="store_true", help="replay the findings with every release instead"
    )
    parser.add_argument("--write", action="store_true", help="keep the figures next to the report")
    asked = parser.parse_args(arguments)
    reports = [report for report in read_reports() if report.name in asked.reports or not asked.reports]
    status = 0
    if asked.releases:
        made = measure_releases(reports)
    else:
        made = chain(
            verify_failing(reports), verify([one for one in reports if one.patch], asked.groups, asked.seed)
        )
    for report, figures, wrong in made:
        print(f"{report.name}: {json.dumps(figures)}", *wrong, sep="\n  ", flush=True)
        status |= bool(wrong)
        if asked.write and not wrong:
            report.write_measured({**figures, "on": today()})
    return status


if __name__ == "__main__":
    raise SystemExit(main())
