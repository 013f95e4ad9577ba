"""All that a check found, its records as JSON, and one finding in words and as a drawn group."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from kassay import __version__
from kassay.engine.check import Unheld
from kassay.engine.failures import Failure, became, failure_of
from kassay.engine.finding import Finding, as_python
from kassay.engine.verdict import Distance, Tally, Verdict, fails
from kassay.errors import UnwritableError
from kassay.families import family
from kassay.families.names import cut, within
from kassay.families.words import plainest_first, when
from kassay.family import Family
from kassay.files.output import usable_folder
from kassay.output.block import BASELINE, PASSES
from kassay.properties.runs import Run
from kassay.sentences import counted, counted_of
from kassay.shape import TextTable

LONG = 20
"""Names of more characters are cut to what tells them apart."""
ARROW = "<-"


def draw_group(
    of: Family, group: Any, answer: Any, runs: Sequence[Run], messages: Sequence[str]
) -> TextTable:
    """Draw a finding, with an arrow at each owner that the first message names; without an answer the group alone."""
    if runs and of.shape.show_change:
        grid = of.shape.show_change(*runs)
    else:
        grid = of.shape.show(group, {} if answer is None else {"is given": answer})
    named = [_mentions(messages[0], row[0]) if messages else False for row in grid.rows]
    pointed = answer is not None and any(named) and not all(named)
    drawn = with_short_names(grid, short_names(of, group, runs))
    rows = [[*row, *[ARROW if here else ""] * pointed] for row, here in zip(drawn.rows, named, strict=True)]
    return TextTable([*grid.columns, *[""] * pointed], rows, grid.note)


def short_names(of: Family, group: Any, runs: Sequence[Run] = ()) -> Mapping[str, str]:
    """Return what the names in a group, and in runs with it, can be cut to in sentences and pictures: long ones, to what tells them apart.

    Names of one kind are cut together, such as those of members, and of topics; JSON has them whole.
    """
    kinds: dict[str, dict[str, None]] = {}
    for each in (group, *(run.group for run in runs)):
        for kind, names in _list_names(of.write_group(each)):
            kinds.setdefault(kind, {}).update(dict.fromkeys(names))
    return {
        name: short
        for names in kinds.values()
        if any(len(name) > LONG for name in names)
        for name, short in cut(names).items()
    }


def with_short_names(grid: TextTable, short: Mapping[str, str]) -> TextTable:
    """Cut the names in a table of a group's."""
    rows = [[within(cell, short) for cell in row] for row in grid.rows] if short else grid.rows
    return TextTable(grid.columns, rows, grid.note)


def _list_names(group: Mapping[str, Any]) -> Iterator[tuple[str, list[str]]]:
    """Yield each kind of what a group's JSON lists, with the names."""
    for kind, listed in group.items():
        if isinstance(listed, list):
            of_kind = [one for one in listed if isinstance(one, dict)]
            for key in ("id", "name", "process_id"):
                yield f"{kind} {key}", [one[key] for one in of_kind if isinstance(one.get(key), str)]


def _mentions(message: str, owner: str) -> bool:
    return bool(re.search(rf"(?<![\w~-]){re.escape(owner)}(?![\w-])", message))


@dataclass
class Results:
    """All that a check found of its targets, each finding with the file in which it is saved."""

    specs: Sequence[str]
    seeds: Sequence[int]
    strict: bool
    usual: bool = False
    """Whether no target was named, so that these are Kafka's own."""
    known: bool = False
    """Whether all known defects are to be shown."""
    before: Sequence[Failure] = ()
    """What failed in the last run, which was tried first."""
    baseline: Sequence[Failure] = ()
    """What is known to fail."""
    written: str = ""
    """The file that was made the baseline."""
    accepted: list[tuple[Finding, Path]] = field(default_factory=list)
    """The findings that the baseline knows; they are none of the others any more."""
    verdicts: list[Verdict] = field(default_factory=list)
    findings: list[tuple[Finding, Path]] = field(default_factory=list)
    distances: list[Distance] = field(default_factory=list)
    tallies: list[Tally] = field(default_factory=list)
    unheld: list[Unheld] = field(default_factory=list)
    unwritable: UnwritableError | None = None
    """Why the first file could not be written, if one could not."""
    unsaved: bool = False
    """True if a finding could not be saved."""

    def add(self, item: Finding | Verdict | Distance | Tally | Unheld, folder: Path) -> None:
        """Take one thing that a check yields; a finding is saved into the folder."""
        match item:
            case Finding():
                try:
                    path = item.save(folder)
                except UnwritableError as wrong:
                    path = folder / item.file_name()
                    self.unwritable = self.unwritable or wrong
                    self.unsaved = True
                self.findings.append((item, path))
            case Verdict():
                self.verdicts.append(item)
            case Distance():
                self.distances.append(item)
            case Tally():
                self.tallies.append(item)
            case Unheld():
                self.unheld.append(item)

    def try_folder(self, folder: Path) -> None:
        """Note why a folder cannot be written to, if it cannot."""
        try:
            usable_folder(folder)
        except UnwritableError as wrong:
            self.unwritable = wrong

    def accept(self) -> None:
        """Move the findings that the baseline knows to `accepted`, and mark verdicts that the baseline knows or that pass now."""
        known = {one.key for one in self.baseline}
        self.accepted = [
            (one, path)
            for one, path in self.findings
            if fails(one.outcome, strict=self.strict) and failure_of(one).key in known
        ]
        paths = {path for _, path in self.accepted}
        self.findings = [(one, path) for one, path in self.findings if path not in paths]
        accepted = {(one.target, one.property) for one, _ in self.accepted}
        passing = {(one.target, one.promise) for one in self.passing()}
        for n, verdict in enumerate(self.verdicts):
            place = (verdict.target, verdict.property)
            if fails(verdict.outcome, strict=self.strict):
                new = any(one.outcome == verdict.outcome for one, _ in self.of(verdict))
                if place in accepted and not new:
                    self.verdicts[n] = replace(verdict, outcome=BASELINE)
            elif place in passing:
                message = "the baseline says that it is broken; take that out"
                self.verdicts[n] = replace(verdict, outcome=PASSES, message=message)

    def passing(self) -> list[Failure]:
        """Return what the baseline says is broken and is not."""
        outcomes = [(one, became(one, self.tallies)) for one in self.baseline]
        return [
            one for one, outcome in outcomes if outcome is not None and not fails(outcome, strict=self.strict)
        ]

    def of(self, verdict: Verdict) -> list[tuple[Finding, Path]]:
        """Return the findings that a verdict rests on."""
        return [
            (one, path)
            for one, path in self.findings
            if (one.target, one.property) == (verdict.target, verdict.property)
        ]


def build_verdict_record(verdict: Verdict) -> dict[str, object]:
    """Return a verdict as JSON."""
    return {
        "record": "verdict", "target": verdict.target, "property": verdict.property, "outcome": verdict.outcome,
        "message": verdict.message, "judged": verdict.judged, "breaches": verdict.breaches,
        **({"reduced": verdict.reduced} if verdict.reduced else {}),
        **({"except_in": list(verdict.except_in)} if verdict.except_in else {}),
    }  # fmt: skip


def describe_sizes(finding: Finding) -> str:
    """Return the sizes of the group of a finding: 2 members, 1 partition."""
    shape = family(finding.family).shape
    return ", ".join(counted_of(size(finding.group), name) for name, size in shape.sizes.items())


def describe_finding(finding: Finding) -> list[str]:
    """Return what is wrong, on how many groups, whether that is known, and where the target's own code failed."""
    given = f", the given one {finding.given} among them" if finding.given else ""
    said = [*shorten_messages(finding), f"seen on {counted(finding.count, 'group')}{given}"]
    of = family(finding.family)
    if finding.left_its_exceptions:
        plain = " or ".join(when(of, each) for each in plainest_first(finding.seen_in))
        said.append(f"all with {plain}, where it is known; made smaller, one of them breaks it beyond that")
    if finding.known:
        said.append(describe_known_defect(finding))
    return [*said, *(f"  {frame}" for frame in finding.stack.splitlines())]


def shorten_messages(finding: Finding) -> list[str]:
    """Return what is wrong, with names cut to what tells them apart."""
    short = short_names(family(finding.family), finding.group, finding.runs)
    return [within(one, short) for one in finding.messages]


def describe_known_defect(finding: Finding) -> str:
    """Return why a breach is a known defect, or a limit."""
    of = family(finding.family)
    return f"{finding.outcome} when there is {' or '.join(when(of, each) for each in plainest_first(finding.met))} ({finding.property})"


def render_as_code(finding: Finding, path: Path) -> list[str]:
    """Return the group as JSON and as Python, and the command that shows it again."""
    group = json.dumps(family(finding.family).write_group(finding.group))
    least = "smallest group" if finding.smallest else "smallest group found"
    return [
        f"{least}, as JSON:   {group}",
        f"{least}, as Python: {as_python(finding.group)}",
        f"replay: {finding.replay(path)}   (seed {finding.seed}, kassay {__version__})",
    ]
