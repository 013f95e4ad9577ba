"""The evidence for bugs of old releases: the property that finds each, the smallest group, and the releases that have the bug.

groups.json keeps it. An affected release is checked like any other target. A bug counts as found if the fixed release is correct on the
smallest group. Times are compared on growing groups, for both releases in turn.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
from bug_records import Exhibit
from releases import list_releases, open_release
from timing import SLOWER, Growth, measure_growth

from kassay.defaults import CHECKED
from kassay.engine.check import check
from kassay.engine.finding import Finding
from kassay.engine.judge import find_violations
from kassay.families import family
from kassay.families.family import Family
from kassay.families.shape import Assign
from kassay.targets import Target

GROUPS = Path(__file__).with_name("groups.json")
TIME = "time"


class Evidence(msgspec.Struct, frozen=True, omit_defaults=True):
    """One way in which a bug shows."""

    by: str
    """The property that finds it, or "time"."""
    message: str
    group: Any = None
    """The JSON of the smallest group, None for times."""
    releases: str = ""
    """The tested releases with the bug, such as ``2.2.0 to 2.2.2, 2.5.1``."""
    tested: str = ""
    """The first and the last tested release."""


def read_evidence() -> dict[str, list[Evidence]]:
    """Return the kept evidence by the name of the exhibit."""
    return msgspec.json.decode(GROUPS.read_bytes(), type=dict[str, list[Evidence]])


def save_evidence(found: Mapping[str, Sequence[Evidence]]) -> None:
    """Replace the evidence of these exhibits, and keep the evidence of others."""
    kept = dict(sorted({**read_evidence(), **found}.items()))
    GROUPS.write_bytes(msgspec.json.format(msgspec.json.encode(kept), indent=1) + b"\n")


def find_evidence(exhibit: Exhibit) -> list[Evidence]:
    """Return the evidence for a bug, [] if nothing finds it.

    Its promises are checked first. If they are kept, the other properties are compared with the fixed release.
    """
    with open_release(exhibit.affected) as affected, open_release(exhibit.fixed) as fixed:
        broken = (one for one in check_promises(affected) if is_correct(fixed, one.property, one.group))
        found = [_describe(one) for one in broken if one.property in exhibit.shows]
        if TIME in exhibit.shows:
            found += compare_times(affected, fixed)
        if not found:
            found = [
                _describe(one) for one in compare_others(affected, fixed) if one.property in exhibit.shows
            ]
    return found


def _describe(finding: Finding) -> Evidence:
    message = finding.messages[0].partition(" [at ")[0]  # The stack differs from run to run.
    return Evidence(finding.property, message, family(finding.family).write_group(finding.group))


def check_promises(target: Target) -> Iterator[Finding]:
    """Yield the broken promises of a target, each with its smallest group."""
    forms = family(target.family)
    promised = _list_promises(target)
    yield from _check(target, forms, [name for name in forms.properties if name in promised])


def compare_others(affected: Target, fixed: Target) -> Iterator[Finding]:
    """Yield the properties without promise that the affected release breaks on a group on which the fixed release keeps them."""
    forms = family(affected.family)
    promised = _list_promises(affected)
    names = [name for name in forms.properties if name not in promised]
    laws = forms.laws | {name: partial(_compare, forms, name, fixed) for name in names}
    kept = {name: holds for name, holds in forms.invariants.items() if name in promised}
    yield from _check(affected, replace(forms, invariants=kept, laws=laws), names)


def _compare(forms: Family, name: str, fixed: Target, assign: Assign, group: Any) -> Iterator[str]:
    if name in forms.invariants:
        violations = forms.invariants[name](group, assign(group))
    else:
        violations = forms.laws[name](assign, group)
    first = next(violations, None)
    if first is not None and is_correct(fixed, name, group):
        yield first


def _list_promises(target: Target) -> frozenset[str]:
    return family(target.family).expected if target.promises is None else target.promises


def _check(target: Target, forms: Family, wanted: Sequence[str]) -> Iterator[Finding]:
    results = check(target, forms, examples=CHECKED, wanted=wanted)
    return (item for item in results if isinstance(item, Finding) and not item.known)


def is_correct(target: Target, name: str, group: Any) -> bool:
    """Return True if a target answers a group and keeps a property on it."""
    forms = family(target.family)
    checked = (name, "crash_free") if "crash_free" in forms.laws else (name,)
    return not any(find_violations(forms, each, group, target.assign, target) for each in checked)


def compare_times(affected: Target, fixed: Target) -> Iterator[Evidence]:
    """Yield the kinds of growing groups on which the affected release is much slower than the fixed one."""
    for shape in family(fixed.family).growing:
        growth = measure_growth(shape, affected, fixed)
        if growth is not None and growth.slower > SLOWER:
            yield Evidence(TIME, describe_growth(growth))


def describe_growth(growth: Growth) -> str:
    """Return the sentence on the times of two releases, with ratios alone."""
    return (
        f"{growth.shape}: the time grows {growth.first:.1f}-fold when the group doubles (fixed release: {growth.second:.1f}-fold), "
        f"and is {growth.slower:.0f}-fold on the largest group"
    )


def find_affected_releases(exhibit: Exhibit, found: Sequence[Evidence]) -> list[Evidence]:
    """Return the evidence with the releases that show it: the smallest group is replayed in every release of the assignor.

    Times are known of the affected and the fixed release only.
    """
    versions = list_releases(exhibit)
    affected: dict[str, list[str]] = {one.by: [] for one in found if one.by != TIME}
    groups = {one.by: one.group for one in found}
    for version, spec in versions.items() if affected else ():
        with open_release(spec) as target:
            forms = family(target.family)
            for name, releases in affected.items():
                group = forms.shape.read_group(groups[name])
                if any(find_violations(forms, name, group, target.assign, target)):
                    releases.append(version)
    known = []
    for one in found:
        if one.by == TIME:
            releases, tested = exhibit.version, f"{exhibit.version} and {exhibit.fixed_version}"
        else:
            releases = write_spans(affected[one.by], [*versions])
            tested = f"{next(iter(versions))} to {next(reversed(versions))}"
        known.append(msgspec.structs.replace(one, releases=releases, tested=tested))
    return known


def write_spans(chosen: Sequence[str], versions: Sequence[str]) -> str:
    """Return the chosen versions, with a span for neighbours.

    >>> write_spans(["2.2.0", "2.2.2", "2.4.1"], ["2.2.0", "2.2.2", "2.4.0", "2.4.1"])
    '2.2.0 to 2.2.2, 2.4.1'
    """
    spans: list[list[str]] = []
    for before, version in zip(["", *versions], versions, strict=False):
        if version in chosen:
            if before in chosen:
                spans[-1][1:] = [version]
            else:
                spans.append([version])
    return ", ".join(" to ".join(span) for span in spans)
