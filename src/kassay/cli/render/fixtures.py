"""What `kassay fixtures` says: what was written, what does not hold, what an assignor fails, what changed."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

from kassay.comparison.headline import label_of
from kassay.conformance.case import Fixtures
from kassay.conformance.making import Change, Doubt, asks_for
from kassay.conformance.running import FAILED, KEPT, KNOWN, OUTCOMES, PASSES, Checked, Run, Runner
from kassay.engine.verdict import BROKEN, KNOWN_DEFECT, LIMIT, SKIPPED
from kassay.engine.verdict import KEPT as KEPT_VERDICT
from kassay.output import Block, JUnitCase
from kassay.output.block import MARKS
from kassay.sentences import counted
from kassay.shape import TextTable

STATUS = {
    0: "Exit status 0: nothing fails but what is known to.",
    1: "Exit status 1: something is not as it is known.",
    3: "Exit status 3: could not tell.",
}
"""Exit status -> the last line."""
ROWS = 20
"""So many failures are shown on a terminal; programs and CI systems get all."""
VERDICTS = {
    KEPT: KEPT_VERDICT, KNOWN: KNOWN_DEFECT, FAILED: BROKEN, PASSES: BROKEN, KNOWN_DEFECT: KNOWN_DEFECT, LIMIT: LIMIT,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Ran:
    """A run, of what and on what; `known` is the file of known failures, and a coordinator has no `runner`."""

    spec: str
    family: str
    version: str
    runner: Runner | None
    run: Run
    known: str


def render_written(family: str, cases: int, stale: Sequence[str], *, check: bool) -> Block:
    """Say which files were written, or would be."""
    what = ("would change" if check else "written") if stale else "unchanged"
    text = f"{family}: {cases} cases, {what}{': ' if stale else ''}{', '.join(stale)}."
    status = int(check and bool(stale))
    record = {"record": "wrote", "family": family, "cases": cases, "files": list(stale), "check": check}
    return Block(
        says=text,
        mark=MARKS[status] if check else "",
        records=[record],
        cases=[JUnitCase("fixtures write", family, "broken" if status else "kept", text if status else "")],
    )


def render_verified(
    family: str, cases: int, found: Sequence[Doubt], by: str, *, classes: bool
) -> Iterator[Block]:
    """Say whether every expectation holds, by what, and what does not."""
    says = (
        f"{family}: all that {cases} cases expect holds, {by}."
        if not found
        else f"{family}: {len(found)} of what {cases} cases expect {'do' if len(found) > 1 else 'does'} not hold, {by}."
    )
    records = [
        {"record": "verified", "family": family, "cases": cases, "doubts": len(found), "classes": classes}
    ]
    junit = [
        JUnitCase("fixtures verify", f"{family} {one.case}".strip(), "broken", one.says) for one in found
    ]
    junit = junit or [JUnitCase("fixtures verify", family, "kept")]
    yield Block(
        says=says,
        mark=MARKS[int(bool(found))],
        records=[*records, *({"record": "doubt", **asdict(one)} for one in found)],
        cases=junit,
    )
    if found:
        yield Block(
            grid=TextTable(["case", "what does not hold"], [[one.case, one.says] for one in found[:ROWS]]),
            prose=True,
        )


def render_run(told: Ran) -> Iterator[Block]:
    """Say how an assignor did: the answer first, then what fails, what passes now, what was skipped, and the exit status in words."""
    run = told.run
    failed, passes = run.of(FAILED), run.of(PASSES)
    yield Block(
        says=render_headline(told), mark=MARKS[run.status], records=_records(told), cases=_cases(told)
    )
    if failed:
        yield Block(prose=True, grid=_build_table("what is wrong", failed))
    if defects := run.of(KNOWN_DEFECT):
        yield Block(prose=True, grid=_build_table("known defect", defects))
    for one in passes:
        yield Block(
            prose=True, text=f"{one.case.id} {one.check} passes now: delete its line from {told.known}."
        )
    for line in run.unchecked:
        yield Block(prose=True, text=f'"{line}" was not checked: delete it from {told.known}, or correct it.')
    reasons = Counter(why for _, why in run.skipped)
    if reasons:
        yield Block(
            prose=True,
            text="Skipped: "
            + "; ".join(f"{counted(number, 'case')} ({why})" for why, number in reasons.items())
            + ".",
        )
    if told.runner is not None and not told.runner.declared.aims:
        yield Block(
            prose=True,
            text="It declares no aims, so loads, moves and the rest were not tested: --promises-of consumer/sticky or --aim.",
        )
    yield Block(prose=True, text=_render_status(run))


def _render_status(run: Run) -> str:
    """Return the exit status in words."""
    if not run.status and run.of(KNOWN_DEFECT):
        return "Exit status 0: nothing but known defects. With --strict it is 1."
    if run.status == 1 and not (run.of(FAILED) or run.of(PASSES) or run.unchecked):
        return "Exit status 1: there are known defects, and --strict is set."
    return STATUS[run.status]


def render_headline(told: Ran) -> str:
    """Say in one sentence how the assignor did."""
    run = told.run
    checks, cases = len(run.checked), len({one.case.id for one in run.checked})
    who = label_of(told.spec)
    if not checks:
        return f"{who}: nothing was checked."
    bad, known, passes, defects, limits = (
        len(run.of(outcome)) for outcome in (FAILED, KNOWN, PASSES, KNOWN_DEFECT, LIMIT)
    )
    all_ = f"{counted(checks, 'check')} of {counted(cases, 'case')}"
    said = f"fails {bad:,} of {all_}" if bad else f"fails none of {all_}"
    said += (
        f"{', but for' if not bad else ', beside'} {known:,} known failure{'s' * (known > 1)}"
        if known
        else ""
    )
    said += f"; {defects:,} {'are known defects' if defects > 1 else 'is a known defect'}" if defects else ""
    said += f"; {limits:,} {'are limits' if limits > 1 else 'is a limit'}" if limits else ""
    said += f"; {passes:,} known one{'s pass' if passes > 1 else ' passes'} now" if passes else ""
    lines = len(run.unchecked)
    said += (
        f"; {lines:,} line{'s' * (lines > 1)} of the known failures {'were' if lines > 1 else 'was'} not checked"
        if lines
        else ""
    )
    return f"{who} {said}."


def _build_table(heading: str, found: Sequence[Checked]) -> TextTable:
    """Return the first checks as a table, and how many more there are."""
    shown = found[:ROWS]
    rows = [[one.case.id, one.check, one.case.comment, one.wrong] for one in shown]
    note = "" if len(found) == len(shown) else f"{len(found) - len(shown)} more; --json shows all"
    return TextTable(["case", "check", "when", heading], rows, note)


def _records(told: Ran) -> list[dict[str, object]]:
    run = told.run
    counts = {outcome: len(run.of(outcome)) for outcome in OUTCOMES}
    head: dict[str, object] = {
        "record": "fixtures", "target": told.spec, "assignor": run.assignor, "family": told.family,
        "version": told.version, "status": run.status, "checks": len(run.checked), "counts": counts,
    }  # fmt: skip
    if told.runner is not None:
        declared = told.runner.declared
        head |= {"aims": list(declared.aims), "limits": list(declared.limits), "exact": told.runner.exact}
    checked: list[dict[str, object]] = [
        {
            "record": "checked",
            "case": one.case.id,
            "check": one.check,
            "outcome": one.outcome,
            "wrong": one.wrong,
        }
        for one in run.checked
    ]
    skipped: list[dict[str, object]] = [
        {"record": "skipped", "case": case.id, "why": why} for case, why in run.skipped
    ]
    unchecked: list[dict[str, object]] = [{"record": "unchecked", "line": line} for line in run.unchecked]
    return [head, *checked, *skipped, *unchecked]


def _cases(told: Ran) -> list[JUnitCase]:
    run, suite = told.run, f"fixtures {told.run.assignor}"
    found = [
        JUnitCase(
            suite,
            f"{one.case.id} {one.check}",
            VERDICTS[one.outcome],
            _said(one, told.known),
            one.case.comment,
        )
        for one in run.checked
    ]
    found += [JUnitCase(suite, case.id, SKIPPED, why) for case, why in run.skipped]
    found += [
        JUnitCase(suite, line, BROKEN, f"was not checked: delete it from {told.known}")
        for line in run.unchecked
    ]
    return found or [JUnitCase(suite, "something was checked", "errored", "nothing was checked")]


def _said(one: Checked, known: str) -> str:
    return f"passes now: delete its line from {known}" if one.outcome == PASSES else one.wrong


def build_badge(told: Ran) -> str:
    """Write what shields.io shows as a badge (its endpoint schema): kept checks of all, red where something is not as it is known."""
    run = told.run
    good = len(run.of(KEPT)) + len(run.of(PASSES))
    message = f"{good} of {len(run.checked)}" if run.checked else "nothing checked"
    colour = {0: "yellow" if run.of(KNOWN) or run.of(KNOWN_DEFECT) else "brightgreen", 1: "red"}.get(
        run.status, "lightgrey"
    )
    label = f"Kafka fixtures {told.version}"
    return json.dumps({"schemaVersion": 1, "label": label, "message": message, "color": colour}) + "\n"


def render_changes(old: Fixtures, new: Fixtures, found: list[Change]) -> Iterator[Block]:
    """Say what changed and which part of the version has to count up."""
    kinds = Counter(change.kind for change in found)
    wanted = asks_for(found)
    counts = ", ".join(f"{number} {kind}" for kind, number in sorted(kinds.items())) or "nothing changed"
    says = f"{old.version} to {new.version}: {counts}" + (
        f"; asks for a {wanted} version." if wanted else "."
    )
    records = [{"record": "diff", "old": old.version, "new": new.version, "asks_for": wanted, **kinds}]
    yield Block(says=says, records=[*records, *({"record": "change", **asdict(change)} for change in found)])
    if found:
        yield Block(
            grid=TextTable(
                ["case", "change", "fields"], [[one.case, one.kind, ", ".join(one.what)] for one in found]
            )
        )
