"""What a check says: a block for each finding, the verdicts, and how much was tried."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from kassay import __version__
from kassay.check import BROKEN, ERRORED, KEPT, SKIPPED, UNPROMISED, Tally, Verdict
from kassay.distance import Distance
from kassay.families import family
from kassay.family import Grid
from kassay.finding import Finding, as_python
from kassay.output import Block, Case
from kassay.reports.matrix import far, mark, matrix, words


def finding_block(finding: Finding, path: Path) -> Block:
    """Show a broken promise with the smallest group, to be read and to be pasted."""
    group = json.dumps(family(finding.family).write_group(finding.group))
    least = "smallest group" if finding.smallest else "smallest group found in the time there was"
    return Block(
        f"{finding.target} breaks {finding.property}",
        "\n".join(finding.messages),
        grid_of(finding),
        [
            f"{least}, as JSON:   {group}",
            f"{least}, as Python: {as_python(finding.group)}",
            f"replay: kassay explain {path}   (seed {finding.seed}, kassay {__version__})",
        ],
        [{"record": "finding", "file": str(path), **finding.json()}],
    )


def finding_line(finding: Finding, path: Path) -> Block:
    """Name what was found of a property that is not promised."""
    said = f"{finding.target} does not promise {finding.property}, and {finding.messages[0]}   ({path})"
    return Block(text=said, records=[{"record": "finding", "file": str(path), **finding.json()}])


def grid_of(finding: Finding) -> Grid:
    """Show a finding's group and what the target answered."""
    answers = {} if finding.assignment is None else {"is given": finding.assignment}
    return family(finding.family).show(finding.group, answers)


def told(
    specs: Sequence[str],
    verdicts: Sequence[Verdict],
    distances: Sequence[Distance],
    tallies: Sequence[Tally],
    files: Mapping[tuple[str, str], str],
    seed: int,
) -> Iterator[Block]:
    """Say what was kept and broken, then how much was tried."""
    records: list[dict[str, object]] = [
        {
            "record": "verdict",
            "target": v.target,
            "property": v.property,
            "outcome": v.outcome,
            "message": v.message,
        }
        | ({"except_in": list(v.except_in)} if v.except_in else {})
        for v in verdicts
    ]
    cases = [Case(v.target, v.property, v.outcome, v.message) for v in verdicts]
    records += [{"record": "distance", **asdict(distance)} for distance in distances]
    grid = _one(verdicts, distances, files) if len(specs) == 1 else matrix(verdicts, distances)
    yield Block("Verdicts", grid=grid, records=records, cases=cases)
    for reason in dict.fromkeys(v.message for v in verdicts if v.outcome in {ERRORED, SKIPPED}):
        yield Block(text=f"could not tell: {reason}")
    yield from (_tried(tally, seed, whole=len(tallies) == 1) for tally in tallies)
    broken = sum(verdict.outcome == BROKEN for verdict in verdicts)
    promised = sum(verdict.outcome != UNPROMISED for verdict in verdicts)
    kept = sum(verdict.outcome == KEPT for verdict in verdicts)
    rest = promised - kept - broken
    yield Block(
        text=f"{kept} promises kept, {broken} broken" + (f", {rest} could not be told" if rest else "")
    )


def _one(
    verdicts: Sequence[Verdict], distances: Sequence[Distance], files: Mapping[tuple[str, str], str]
) -> Grid:
    because = [_because(v) for v in verdicts]
    rows = [
        [v.property, mark(v), why, files.get((v.target, v.property), "")]
        for v, why in zip(verdicts, because, strict=True)
    ]
    rows += [[f"gap in {one.level}", far(one), f"of {one.compared} groups", ""] for one in distances]
    return Grid(["property", "verdict", "because", "finding"], rows)


def _because(verdict: Verdict) -> str:
    said = [] if verdict.outcome in {ERRORED, SKIPPED} or not verdict.message else [verdict.message]
    return "; ".join([*said, *([f"except in {words(verdict.except_in)}"] if verdict.except_in else [])])


def _tried(tally: Tally, seed: int, *, whole: bool) -> Block:
    met = [f"{name} {count}" for name, count in tally.situations.items() if count]
    never = [name for name, count in tally.situations.items() if not count]
    text = f"{tally.target}: {tally.groups} groups judged with seed {seed}, {len(met)} of {len(tally.situations)} situations met"
    if whole and met:
        text += f": {', '.join(met)}"
    if never:
        text += f"; never met: {', '.join(never)}"
    for reason, count in tally.declined.items():
        text += f"; declined {count}: {reason}"
    record = {
        "record": "tally",
        "target": tally.target,
        "groups": tally.groups,
        "seed": seed,
        "declined": tally.declined,
        "situations": tally.situations,
    }
    return Block(text=text, records=[record])
