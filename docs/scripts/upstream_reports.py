"""The generated part of docs/upstream: the reports for Kafka's developers, from parity/upstream and examples/findings.

The facts of a report are in ``report.toml``, its test and patch are files, and ``measured.json`` has what ``parity/upstream/verify.py`` measured.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bug_records import FINDINGS, ROOT, FindingRecord, FoundBug, Observation, read_bugs
from findings import FOLDER, describe_size, name_anchors, shorten
from spread import RUNS

from kassay.cli.render.findings import shorten_messages
from kassay.engine.finding import load_finding
from kassay.protocol.simulation.known_defects import DEFECTS
from kassay.sentences import read_first_sentence

sys.path.insert(0, str(ROOT / "parity"))

from upstream.patches import HERE, Report, read_reports

NOT_REPORTED = ("kafka-streams-fallback-prior-probing.json",)
"""Findings that Kafka intends."""
MOST_DOMINATED = "the same, one comes, different"
"""The row of docs/results/topic-balance.md that the KIP draft is about."""


def read_own_bugs() -> dict[str, FoundBug]:
    """Return the bugs of examples/findings/findings.toml by file, or by title if they have none."""
    bugs = read_bugs(FINDINGS)
    return {
        bug.file if isinstance(bug, FindingRecord) else bug.title: bug
        for bug in (*bugs["finding"], *bugs["observation"])
    }


def write_reports() -> str:
    """Return all reports: a table, and a section for each in the form of Kafka's issue tracker."""
    reports, entries = read_reports(), read_own_bugs()
    titles = [f"{report.facts['number']}. {report.facts['summary']}" for report in reports]
    lines = ["| report | component | test | patch |", "| --- | --- | --- | --- |"]
    for report, title, anchor in zip(reports, titles, name_anchors(titles), strict=True):
        parts = ("yes" if part else "no" for part in (report.test, report.patch))
        lines.append(f"| [{title}](#{anchor}) | {report.facts['component']} | {' | '.join(parts)} |")
    for report, title in zip(reports, titles, strict=True):
        lines += ["", f"## {title}", "", *write_report(report, entries)]
    return "\n".join([*lines, ""])


def write_report(report: Report, entries: Mapping[str, FoundBug]) -> Iterator[str]:
    """Yield the lines of one report."""
    facts = report.facts
    found = [entries[name] for name in (*facts["findings"], *facts.get("observations", ()))]
    yield f"- **Type:** Bug. **Priority:** {facts['priority']}. **Component:** {facts['component']}"
    yield f"- **Affects versions:** {write_versions(report, found)}"
    yield from (f"- **Upstream:** <{entry.issue}>" for entry in found if entry.issue)
    yield "\n**Description**\n"
    yield from (f"- {entry.effect} It happens when {entry.when}" for entry in found)
    yield from (f"- {defect}" for defect in describe_known(report))
    yield "\n**Steps to reproduce**\n"
    yield from write_steps(report, found)
    yield f"\n**Expected:** {facts['expected']}\n"
    yield from write_actual(facts["findings"])
    yield f"**Cause:** {join_lines(facts['cause'])}\n"
    yield from write_patch(report)


def write_versions(report: Report, found: Sequence[FoundBug]) -> str:
    """Return the affected releases of a report's findings."""
    versions = list(dict.fromkeys(entry.since for entry in found if entry.since))
    known = [each for each in DEFECTS if each.name in report.facts.get("known", ())]
    versions += sorted(
        {each.removeprefix("kafka@") for one in known for each in one.coordinators if "@" in each}
    )
    return "; ".join(versions) or "4.4.0"


def describe_known(report: Report) -> list[str]:
    """Return a sentence on each known defect of the coordinator that a report names, and what it breaks."""
    wanted = report.facts.get("known", ())
    said = {each.name: read_first_sentence(each.meets.__doc__ or "") for each in DEFECTS}
    breaks = {name: ", ".join(f"`{one.breaks}`" for one in DEFECTS if one.name == name) for name in wanted}
    return [f"{said[name].rstrip('.')}. It breaks {breaks[name]}." for name in wanted]


def write_steps(report: Report, found: Sequence[FoundBug]) -> Iterator[str]:
    """Yield the commands that show the defect, and the test."""
    commands = [f"kassay explain examples/findings/{file} --trust" for file in report.facts["findings"]]
    commands += [report.facts["command"]] if "command" in report.facts else []
    if commands:
        yield "\n".join(["```sh", *commands, "```"])
    yield from (f"Evidence: {entry.evidence}." for entry in found if isinstance(entry, Observation))
    if "known" in report.facts:
        yield "\nEach defect has a schedule in [test_known_defects.py](../../tests/simulation/test_known_defects.py)."
    if report.test:
        yield f"\nThe test fails: [{report.test.name}](../../{report.test.relative_to(ROOT)}).\n"
        yield f"```java\n{report.test.read_text(encoding='utf-8').rstrip()}\n```"


def write_actual(files: Sequence[str]) -> Iterator[str]:
    """Yield what the class does on the smallest group of each finding."""
    for file in files:
        finding = load_finding(str(FOLDER / file))
        message = shorten(shorten_messages(finding)[0])
        yield f"**Actual** ({describe_size(finding)}, `{finding.target}`): {message}.\n"


def write_patch(report: Report) -> Iterator[str]:
    """Yield the patch with its risk and the figures, or the reason for none."""
    facts = report.facts
    if not report.patch:
        yield f"**No patch:** {join_lines(facts['no_patch'])}"
        return
    yield f"**Patch** ([fix.patch](../../{report.patch.relative_to(ROOT)})):\n"
    yield f"```diff\n{report.patch.read_text(encoding='utf-8').rstrip()}\n```\n"
    yield f"**Risk:** {join_lines(facts['risk'])}\n"
    yield from describe_figures(report.measured)


def describe_figures(measured: Mapping[str, Any]) -> Iterator[str]:
    """Yield sentences on what verify.py measured."""
    near = measured["neighbours"]
    yield (
        f"**Measured** on {measured['on']}: next to the findings ({near['groups']:,} groups), the released class gives no answer on {near['unanswered']:,}, "
        f"and the patched class on {near['unanswered_when_patched']:,}. {near['different']:,} answers differ.\n"
    )
    yield "| assignor | generated groups | other answers | of these, all promises were kept before | promise broken before, repaired | broken by the patch only | broken by the patch only, next to another known defect |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    for assignor, one in measured["compared"].items():
        repaired = ", ".join(
            f"`{name}` {fixed} of {before}" for name, (before, fixed) in one["broken"].items() if fixed
        )
        yield f"| {assignor} | {one['groups']:,} | {one['different']:,} | {one['unneeded']:,} | {repaired or 'none'} | {one['worse']} | {one['known']} |"


def join_lines(text: str) -> str:
    """Return a text of several lines as one line."""
    return " ".join(text.split())


def write_proposal_figures() -> str:
    """Return the table of the KIP draft: how often the answer is dominated, now and with the proposed change."""
    measured = Report(HERE / "kip-topic-balance").measured
    kept = RUNS.read_counts()
    counts = next(
        one["counts"]
        for one in kept["rows"]
        if (one["of"], one["assignor"]) == (MOST_DOMINATED, "consumer/sticky")
    )
    share = f"{100 * counts['dominated'] / counts['answers']:.0f} of 100"
    kept_line = f"A member comes to {counts['answers']:,} groups with topics of different sizes: sticky's answer is dominated on {share} (`{kept['command']}`, {kept['date']})."
    lines = [
        kept_line,
        "",
        f"{measured['groups']} groups a row: the class of the newest release with sources, and the same class with the change; `{measured['command']}`, {measured['on']}.",
        "",
        "| subscriptions, group, sizes | dominated today | dominated with the change | mean excess today | mean excess with the change | moves today | moves with the change |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for row in measured["rows"]:
        pair = [row["released"], row["proposed"]]
        shares = [f"{one['dominated']} of {one['answers']}" for one in pair]
        excess = [f"{one['excess'] / one['answers']:.1f}" for one in pair]
        moves = [f"{one['moves']:,}" for one in pair]
        lines.append(f"| {row['row']} | {' | '.join([*shares, *excess, *moves])} |")
    return "\n".join([*lines, ""])


def write_proposal_patch() -> str:
    """Return the change that the KIP draft proposes."""
    text = (HERE / "kip-topic-balance" / "fix.patch").read_text(encoding="utf-8")
    return f"```diff\n{text.rstrip()}\n```\n"


VIEWS = {
    "upstream_reports": write_reports,
    "proposal_figures": write_proposal_figures,
    "proposal_patch": write_proposal_patch,
}
"""Part of a page -> the function that writes it."""


def list_covered() -> set[str]:
    """Return the findings and observations that a report covers, or that are not reported on purpose."""
    facts = [report.facts for report in read_reports()]
    return {
        *NOT_REPORTED,
        *(name for each in facts for name in (*each["findings"], *each.get("observations", ()))),
    }
