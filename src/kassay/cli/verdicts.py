"""What a check says: the verdicts, a block for each finding, and how much was tried."""

import json
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from kassay import __version__
from kassay.comparison.distance import Distance
from kassay.comparison.grave import grave_defects, is_grave
from kassay.comparison.unheld import Unheld
from kassay.engine.finding import Finding, as_python
from kassay.engine.verdict import (
    BROKEN,
    ERRORED,
    KEPT,
    KNOWN_DEFECT,
    LIMIT,
    NOT_PROMISED,
    SKIPPED,
    Tally,
    Verdict,
)
from kassay.families import family
from kassay.output import Block, JUnitCase
from kassay.reports.matrix import far, mark, matrix, words
from kassay.shape import TextTable


@dataclass
class Results:
    """All that a check found of its targets; the findings with the files they are saved in."""

    specs: Sequence[str]
    seed: int
    strict: bool
    verdicts: list[Verdict] = field(default_factory=list)
    findings: list[tuple[Finding, Path]] = field(default_factory=list)
    distances: list[Distance] = field(default_factory=list)
    tallies: list[Tally] = field(default_factory=list)
    unheld: list[Unheld] = field(default_factory=list)

    def add(self, item: Finding | Verdict | Distance | Tally | Unheld, folder: Path) -> None:
        """Take one thing that a check yields; a finding is saved into the folder."""
        match item:
            case Finding():
                self.findings.append((item, item.save(folder)))
            case Verdict():
                self.verdicts.append(item)
            case Distance():
                self.distances.append(item)
            case Tally():
                self.tallies.append(item)
            case Unheld():
                self.unheld.append(item)

    def of(self, verdict: Verdict) -> list[tuple[Finding, Path]]:
        """Return the findings that a verdict rests on."""
        return [
            (one, path)
            for one, path in self.findings
            if (one.target, one.property) == (verdict.target, verdict.property)
        ]


DOES = {KNOWN_DEFECT: "has a known defect in", LIMIT: "has a limit in"}
"""Outcome -> what a target does in a property, where it is excepted."""


def told(results: Results) -> Iterator[Block]:
    """Say what was kept and broken, show the smallest groups, then say how much was tried.

    A target that judged no group has no place in the table.
    """
    records = [verdict_record(verdict) for verdict in results.verdicts]
    records += [{"record": "distance", **asdict(distance)} for distance in results.distances]
    cases = [_case(results, verdict) for verdict in results.verdicts]
    ran = {tally.target for tally in results.tallies if tally.groups or tally.declined}
    shown = [verdict for verdict in results.verdicts if verdict.target in ran]
    yield from _graves(results)
    grid = _one(results) if len(results.specs) == 1 else matrix(shown, results.distances)
    yield Block("Verdicts" if ran else "", grid=grid if ran else None, records=records, cases=cases)
    ordered = sorted(
        results.findings, key=lambda one: (one[0].target, one[0].outcome != BROKEN, not is_grave(one[0]))
    )
    for finding, path in ordered if len(results.specs) == 1 else results.findings:
        if finding.outcome == LIMIT and not finding.given:  # a count in the table, and a file
            yield Block(records=[{"record": "finding", "file": str(path), **finding.json()}])
            continue
        brief = not finding.promised or (finding.known and not finding.given and len(results.specs) > 1)
        yield finding_line(finding, path) if brief else finding_block(finding, path)
    for reason in dict.fromkeys(v.message for v in results.verdicts if v.outcome in {ERRORED, SKIPPED}):
        yield Block(text=f"could not tell: {reason}")
    yield from (_tried(tally, results.seed, whole=len(results.tallies) == 1) for tally in results.tallies)
    yield from _left_out(results.distances)
    counts = {
        outcome: sum(v.outcome == outcome for v in results.verdicts)
        for outcome in (KEPT, BROKEN, KNOWN_DEFECT, LIMIT)
    }
    rest = sum(v.outcome != NOT_PROMISED for v in results.verdicts) - sum(counts.values())
    said = [f"{counts[KEPT]} promises kept", f"{counts[BROKEN]} broken"]
    said += [f"{counts[KNOWN_DEFECT]} with known defects"] * bool(counts[KNOWN_DEFECT])
    said += [f"{counts[LIMIT]} with limits"] * bool(counts[LIMIT])
    said += [f"{rest} could not be told"] * bool(rest)
    yield from (_unheld(one, results.distances) for one in results.unheld)
    yield Block(text=", ".join(said))


def _graves(results: Results) -> Iterator[Block]:
    """Say first what is known and grave: when it happens, in which releases, on how small a group, and the way out."""
    paths = {id(finding): path for finding, path in results.findings}
    for one in grave_defects([finding for finding, _ in results.findings]):
        least = ", ".join(f"{name} {number}" for name, number in one.sizes.items())
        said = [
            f"{one.target} {one.does}, when there is {one.when} ({one.property}, a known defect that is grave)"
        ]
        said += [f"releases of Kafka that do so: {one.releases}"] * bool(one.releases)
        said += [f"way out: {one.way_out}"] * bool(one.way_out)
        said.append(f"seen on {one.groups:,} groups, the smallest with {least}: {paths[id(one.finding)]}")
        yield Block(text="\n".join(said), records=[{**one.json(), "file": str(paths[id(one.finding)])}])


def verdict_record(verdict: Verdict) -> dict[str, object]:
    """Return a verdict as JSON."""
    limits = {"except_in": list(verdict.except_in)} if verdict.except_in else {}
    return {
        "record": "verdict",
        "target": verdict.target,
        "property": verdict.property,
        "outcome": verdict.outcome,
        "message": verdict.message,
        "judged": verdict.judged,
        "breaches": verdict.breaches,
        **({"reduced": verdict.reduced} if verdict.reduced else {}),
        **limits,
    }


def finding_block(finding: Finding, path: Path) -> Block:
    """Show a broken promise with the smallest group, to be read and to be pasted; a known defect in fewer lines.

    A known defect that a given group shows has all lines.
    """
    short = finding.known and not finding.given
    does = DOES.get(finding.outcome, "breaks")
    lines = pasted(finding, path)
    return Block(
        f"{finding.target} {does} {finding.property}",
        "\n".join(sentences(finding)),
        None if short else grid_of(finding),
        [lines[0], lines[-1]] if short else lines,
        [{"record": "finding", "file": str(path), **finding.json()}],
    )


def sentences(finding: Finding) -> list[str]:
    """Say what is wrong, on how many groups, whether that is known, and where the target's own code failed."""
    said = [*finding.messages]
    groups = "1 group" if finding.count == 1 else f"{finding.count:,} groups"
    said.append(
        f"seen on {groups}" + (f", the given one {finding.given} among them" if finding.given else "")
    )
    if finding.left_its_exceptions:
        said.append(
            f"all in {words(finding.seen_in)}, where it is known; made smaller, one of them breaks it beyond that"
        )
    if finding.known:
        said.append(known_defect(finding))
    return [*said, *(f"  {frame}" for frame in finding.stack.splitlines())]


def known_defect(finding: Finding) -> str:
    """Say why a breach is a known defect, or a limit."""
    return f"{finding.outcome}: {finding.property} is promised except in {words(finding.except_in)}; here {words(finding.met)}"


def pasted(finding: Finding, path: Path) -> list[str]:
    """Write the group as JSON and as Python, and the command that shows it again."""
    group = json.dumps(family(finding.family).write_group(finding.group))
    least = "smallest group" if finding.smallest else "smallest group found in the time there was"
    return [
        f"{least}, as JSON:   {group}",
        f"{least}, as Python: {as_python(finding.group)}",
        f"replay: {finding.replay(path)}   (seed {finding.seed}, kassay {__version__})",
    ]


def finding_line(finding: Finding, path: Path) -> Block:
    """Name in a line what was found of a property that is not promised, or a known defect."""
    does = DOES.get(finding.outcome, "does not promise")
    said = f"{finding.target} {does} {finding.property}: {finding.messages[0]}   ({path})"
    return Block(text=said, records=[{"record": "finding", "file": str(path), **finding.json()}])


def grid_of(finding: Finding) -> TextTable:
    """Show a finding's group and what the target answered."""
    answers = {} if finding.assignment is None else {"is given": finding.assignment}
    return family(finding.family).shape.show(finding.group, answers)


def _case(results: Results, verdict: Verdict) -> JUnitCase:
    outcome = BROKEN if results.strict and verdict.outcome == KNOWN_DEFECT else verdict.outcome
    body = [line for one, path in results.of(verdict) for line in (*sentences(one), *pasted(one, path), "")]
    return JUnitCase(verdict.target, verdict.property, outcome, _because(verdict), "\n".join(body).strip())


def _one(results: Results) -> TextTable:
    rows = []
    for verdict in results.verdicts:
        files = [str(path) for _, path in results.of(verdict)]
        rows.append(
            [verdict.property, mark(verdict), f"{verdict.judged:,}", _because(verdict), " ".join(files)]
        )
    rows += [
        [f"gap in {one.level}", far(one), f"{one.compared:,} of {one.groups:,}", "", ""]
        for one in results.distances
    ]
    return TextTable(["property", "verdict", "groups", "because", "finding"], rows)


def _because(verdict: Verdict) -> str:
    said = [] if verdict.outcome in {ERRORED, SKIPPED} or not verdict.message else [verdict.message]
    if verdict.outcome == ERRORED and verdict.judged:
        said.append(f"kept on {verdict.judged:,} groups until it could not be asked any more")
    if verdict.outcome in {BROKEN, KNOWN_DEFECT, LIMIT}:
        said.append(_where(verdict))
    if verdict.except_in:
        known = "not made for" if verdict.outcome == LIMIT else "known to be broken in"
        said.append(f"{known} {words(verdict.except_in)}")
    return "; ".join(said)


def _unheld(one: Unheld, distances: Sequence[Distance]) -> Block:
    """Say of a target that promises nothing what it was not held to, and how to hold it to that."""
    gaps = [f"{each.level} {far(each)}" for each in distances if each.target == one.target and each.compared]
    said = [
        f"{one.target} names no promises: it was held to the {len(one.held)} that every assignor must keep, and not to {len(one.not_held)} others"
    ]
    if one.broken:
        said.append(f"of these it breaks {len(one.broken)} on {one.groups} groups:")
        said += [f"  {name}: {sentence}" for name, sentence in one.broken.items()]
    if gaps:
        said.append(f"above the optimum: {'; '.join(gaps)}")
    breaks = (
        f", of which it breaks {', '.join(one.breaks)}" if one.breaks else ", none of which it breaks there"
    )
    said.append(f"what fits it best are the {one.promises} of {one.fits}{breaks}:")
    return Block(
        text="\n".join(said),
        code=[f"kassay check {shlex.quote(one.target)} --promises-of {one.fits}"],
        records=[{"record": "unheld", **asdict(one)}],
    )


def _left_out(distances: Sequence[Distance]) -> Iterator[Block]:
    """Say of how many groups no optimum was proved, and where a sample was measured, once for all levels of a target."""
    missing = {one.target: (one.unproved, one.unproved_why) for one in distances if one.unproved}
    for target, (number, why) in missing.items():
        groups = "1 group" if number == 1 else f"{number:,} groups"
        yield Block(text=f"{target}: its gaps leave out {groups} without a proved optimum: {why}")
    samples = {one.target: (one.groups, one.tried) for one in distances if one.sampled}
    for target, (number, tried) in samples.items():
        yield Block(text=f"{target}: its gaps are those of a sample, {number:,} of {tried:,} groups")


def _where(verdict: Verdict) -> str:
    """Say on how many groups a breach was seen; never on none."""
    if verdict.breaches or not verdict.reduced:
        return f"on {verdict.breaches:,} of {verdict.judged:,} groups"
    return f"on a group made smaller from one of {verdict.reduced:,} (of {verdict.judged:,}) that break it where that is known"


def _tried(tally: Tally, seed: int, *, whole: bool) -> Block:
    met = [f"{name} {count}" for name, count in tally.situations.items() if count]
    never = [name for name, count in tally.situations.items() if not count]
    text = f"{tally.target}: {tally.groups} groups judged with seed {seed}, {len(met)} of {len(tally.situations)} situations met"
    if not tally.groups:
        text = f"{tally.target}: no group judged"
    elif whole and met:
        text += f": {', '.join(met)}"
    if tally.groups and never:
        text += f"; never met: {', '.join(never)}"
    if tally.sampled is not None:
        text += f"; by laws of several runs a sample of {tally.sampled:,}, with --examples {tally.groups} all of them"
    for reason, count in tally.declined.items():
        text += f"; declined {count}: {reason}"
    record = {
        "record": "tally",
        "target": tally.target,
        "groups": tally.groups,
        "seed": seed,
        "declined": tally.declined,
        "situations": tally.situations,
        **({} if tally.sampled is None else {"sampled": tally.sampled}),
    }
    return Block(text=text, records=[record])
