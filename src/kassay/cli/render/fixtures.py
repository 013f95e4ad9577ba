"""The output of `kassay fixtures`: what was written, what does not hold, what an assignor fails, what changed."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

from kassay.comparison.headline import label_target
from kassay.conformance.fixture_runner import FAILED, KEPT, KNOWN, OUTCOMES, PASSES, Checked, Run, Runner
from kassay.conformance.fixture_writer import Change, Doubt, find_version_part
from kassay.conformance.fixtures import Fixtures
from kassay.families.shape import TextTable
from kassay.output import Block, JUnitCase
from kassay.output.block import BROKEN, KNOWN_DEFECT, LIMIT, MARKS, SKIPPED
from kassay.output.block import KEPT as KEPT_VERDICT
from kassay.sentences import end_sentence, format_count

STATUS = {
    0: "Exit status 0: no new failure.",
    1: "Exit status 1: failures differ from the known ones.",
    3: "Exit status 3: nothing was checked.",
}
"""Exit status -> the last line."""
ROWS = 20
"""The largest number of failures on a terminal; programs and CI systems get all."""
VERDICTS = {
    KEPT: KEPT_VERDICT, KNOWN: KNOWN_DEFECT, FAILED: BROKEN, PASSES: BROKEN, KNOWN_DEFECT: KNOWN_DEFECT, LIMIT: LIMIT,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Ran:
    """A run of the fixtures; `known` is the file of known failures, and a coordinator has no `runner`."""

    spec: str
    family: str
    version: str
    runner: Runner | None
    run: Run
    known: str


def render_written(family: str, cases: int, stale: Sequence[str], *, check: bool) -> Block:
    """Return which files were written, or would be."""
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
    """Yield the result of the verification, and a row for each expectation that does not hold."""
    says = f"{family}: all expectations of {cases} cases hold, verified {by}."
    if found:
        do = "expectations of {cases} cases do" if len(found) > 1 else "expectation of {cases} cases does"
        says = f"{family}: {len(found)} {do.format(cases=cases)} not hold, verified {by}."
    head = {"record": "verified", "family": family, "cases": cases, "doubts": len(found), "classes": classes}
    records = [head, *({"record": "doubt", **asdict(one)} for one in found)]
    suite = "fixtures verify"
    junit = [JUnitCase(suite, f"{family} {one.case}".strip(), "broken", one.says) for one in found]
    junit = junit or [JUnitCase(suite, family, "kept")]
    yield Block(says=says, mark=MARKS[int(bool(found))], records=records, cases=junit)
    if found:
        rows = [[one.case, one.says] for one in found[:ROWS]]
        yield Block(grid=TextTable(["case", "expectation that does not hold"], rows), prose=True)


def render_run(told: Ran) -> Iterator[Block]:
    """Yield the result, the failures, the known failures that pass now, the skipped cases, and the exit status."""
    run = told.run
    failed, passes = run.of(FAILED), run.of(PASSES)
    says, mark = render_headline(told), MARKS[run.status]
    yield Block(says=says, mark=mark, records=_build_records(told), cases=_build_cases(told))
    if failed:
        yield Block(prose=True, grid=_build_table("failure", failed))
        yield Block(grid=_build_known_lines(run.assignor, failed))
    if defects := run.of(KNOWN_DEFECT):
        yield Block(prose=True, grid=_build_table("known defect", defects))
    for one in passes:
        text = f"{one.case.id} {one.check} passes now. Delete its line from {told.known}."
        yield Block(prose=True, text=text)
    for line in run.unchecked:
        yield Block(prose=True, text=f'"{line}" was not checked. Correct it in {told.known}, or delete it.')
    reasons = Counter(why for _, why in run.skipped)
    caveats = []
    skipped = "; ".join(f"{format_count(number, 'case')} ({why})" for why, number in reasons.items())
    if skipped:
        caveats.append(f"Skipped: {skipped}.")
    if told.runner is not None and not told.runner.declared.aims:
        caveats.append(
            "No aims are declared, so loads, moves and other aims were not tested. Add --promises-of consumer/sticky or --aim."
        )
    ends = STATUS[run.status]
    if not run.status and defects:
        ends = "Exit status 0: only known defects. With --strict: 1."
    if run.status == 1 and not (failed or passes or run.unchecked):
        ends = "Exit status 1: known defects, and --strict is set."
    if run.status == 3 and reasons:
        why, number = reasons.most_common(1)[0]
        ends = f"Exit status 3: nothing was checked. {format_count(number, 'case')} {'was' if number == 1 else 'were'} skipped: {end_sentence(why)}"
    yield Block(caveats=caveats)
    yield Block(status=ends)


def render_headline(told: Ran) -> str:
    """Return the number of failed checks in one sentence."""
    run = told.run
    checks, cases = len(run.checked), len({one.case.id for one in run.checked})
    who = label_target(told.spec)
    if not checks:
        return f"{who}: nothing was checked."
    bad, known, passes, defects, limits = (
        len(run.of(outcome)) for outcome in (FAILED, KNOWN, PASSES, KNOWN_DEFECT, LIMIT)
    )
    all_ = f"{format_count(checks, 'check')} of {format_count(cases, 'case')}"
    said = f"fails {bad:,} of {all_}" if bad else f"passes {all_}"
    if known:
        said += f", {'and has' if bad else 'except'} {known:,} known failure{'s' * (known > 1)}"
    if defects:
        said += f"; {defects:,} {'are known defects' if defects > 1 else 'is a known defect'}"
    if limits:
        said += f"; {limits:,} {'are design limits' if limits > 1 else 'is a design limit'}"
    if passes:
        said += f"; {passes:,} known one{'s pass' if passes > 1 else ' passes'} now"
    if lines := len(run.unchecked):
        of_lines = "lines of the known failures were" if lines > 1 else "line of the known failures was"
        said += f"; {lines:,} {of_lines} not checked"
    return f"{who} {said}."


def _build_table(heading: str, found: Sequence[Checked]) -> TextTable:
    """Return the first checks as a table, and how many more there are."""
    shown = found[:ROWS]
    rows = [[one.case.id, one.check, one.case.comment, one.wrong] for one in shown]
    note = "" if len(found) == len(shown) else f"... {len(found) - len(shown)} more: add --json"
    return TextTable(["case", "check", "when", heading], rows, note)


def _build_known_lines(assignor: str, failed: Sequence[Checked]) -> TextTable:
    """Return the lines that make the first failures known ones, as a file of `--known` has them."""
    lines = [[f"{assignor} {one.case.id} {one.check}"] for one in failed[:ROWS]]
    return TextTable(["line for the list of known failures (--known FILE)"], lines)


def _build_records(told: Ran) -> list[dict[str, object]]:
    run = told.run
    counts = {outcome: len(run.of(outcome)) for outcome in OUTCOMES}
    head: dict[str, object] = {
        "record": "fixtures", "target": told.spec, "assignor": run.assignor, "family": told.family,
        "version": told.version, "status": run.status, "checks": len(run.checked), "counts": counts,
    }  # fmt: skip
    if told.runner is not None:
        declared = told.runner.declared
        head |= {"aims": list(declared.aims), "limits": list(declared.limits), "exact": told.runner.exact}
    records = [head]
    records += [
        {"record": "checked", "case": one.case.id, "check": one.check, "outcome": one.outcome, "wrong": one.wrong}
        for one in run.checked
    ]  # fmt: skip
    records += [{"record": "skipped", "case": case.id, "why": why} for case, why in run.skipped]
    records += [{"record": "unchecked", "line": line} for line in run.unchecked]
    return records


def _build_cases(told: Ran) -> list[JUnitCase]:
    run, suite = told.run, f"fixtures {told.run.assignor}"
    found = []
    for one in run.checked:
        name, passes = f"{one.case.id} {one.check}", f"passes now. Delete its line from {told.known}"
        message = passes if one.outcome == PASSES else one.wrong
        found.append(JUnitCase(suite, name, VERDICTS[one.outcome], message, one.case.comment))
    found += [JUnitCase(suite, case.id, SKIPPED, why) for case, why in run.skipped]
    unchecked = f"was not checked. Delete it from {told.known}"
    found += [JUnitCase(suite, line, BROKEN, unchecked) for line in run.unchecked]
    return found or [JUnitCase(suite, "something was checked", "errored", "nothing was checked")]


def build_badge(told: Ran) -> str:
    """Return a badge in the endpoint schema of shields.io: kept checks of all, red if something is not as it is known."""
    run = told.run
    good = len(run.of(KEPT)) + len(run.of(PASSES))
    message = f"{good} of {len(run.checked)}" if run.checked else "nothing checked"
    kept = "yellow" if run.of(KNOWN) or run.of(KNOWN_DEFECT) else "brightgreen"
    colour = {0: kept, 1: "red"}.get(run.status, "lightgrey")
    label = f"Kafka fixtures {told.version}"
    return json.dumps({"schemaVersion": 1, "label": label, "message": message, "color": colour}) + "\n"


def render_changes(old: Fixtures, new: Fixtures, found: list[Change]) -> Iterator[Block]:
    """Yield the changes, and the version part that has to be increased."""
    kinds = Counter(change.kind for change in found)
    wanted = find_version_part(found)
    counts = ", ".join(f"{number} {kind}" for kind, number in sorted(kinds.items())) or "nothing changed"
    asks = f". The new version must be a {wanted} version" if wanted else ""
    head = {"record": "diff", "old": old.version, "new": new.version, "asks_for": wanted, **kinds}
    records = [head, *({"record": "change", **asdict(change)} for change in found)]
    yield Block(says=f"{old.version} to {new.version}: {counts}{asks}.", records=records)
    if found:
        rows = [[one.case, one.kind, ", ".join(one.what)] for one in found]
        yield Block(grid=TextTable(["case", "change", "fields"], rows))
    yield Block(status="Exit status 0: the files are compared, with any changes.")
