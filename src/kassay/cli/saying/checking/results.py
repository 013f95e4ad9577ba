"""All that a check found, and its records as JSON.

A finding in words: the sizes of its group, what is wrong, the group drawn, and as JSON and Python.
"""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from kassay import __version__
from kassay.cli.saying.picture import picture, short_names
from kassay.engine.distance import Distance
from kassay.engine.failures import Failure, became, failure_of
from kassay.engine.finding import Finding, as_python
from kassay.engine.unheld import Unheld
from kassay.engine.verdict import BASELINE, PASSES, Tally, Verdict, fails
from kassay.errors import UnwritableError
from kassay.families import family
from kassay.families.names import within
from kassay.families.words import plainest_first, when
from kassay.files.output import usable_folder
from kassay.sentences import counted, counted_of
from kassay.shape import TextTable


@dataclass
class Results:
    """All that a check found of its targets; the findings with the files they are saved in."""

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
                self.findings.append((item, self._save(item, folder)))
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

    def _save(self, finding: Finding, folder: Path) -> Path:
        """Save a finding, or note why it cannot be saved; returns its path."""
        try:
            return finding.save(folder)
        except UnwritableError as wrong:
            self.unwritable = self.unwritable or wrong
            self.unsaved = True
            return folder / finding.file_name()

    def accept(self) -> None:
        """Take out the findings that the baseline knows, and say of each promise of it whether that passes now."""
        known = {one.key for one in self.baseline}
        self.accepted = [
            (one, path)
            for one, path in self.findings
            if fails(one.outcome, strict=self.strict) and failure_of(one).key in known
        ]
        accepted = {path for _, path in self.accepted}
        broken = self.verdicts
        self.findings = [(one, path) for one, path in self.findings if path not in accepted]
        passing = {(one.target, one.promise) for one in self.passing()}
        self.verdicts = [self._beside(verdict, passing) for verdict in broken]

    def _beside(self, verdict: Verdict, passing: Collection[tuple[str, str]]) -> Verdict:
        """Return a verdict as it is beside the baseline."""
        place = (verdict.target, verdict.property)
        if fails(verdict.outcome, strict=self.strict):
            known = any((one.target, one.property) == place for one, _ in self.accepted)
            new = any(one.outcome == verdict.outcome for one, _ in self.of(verdict))
            return replace(verdict, outcome=BASELINE) if known and not new else verdict
        if place in passing:
            return replace(
                verdict, outcome=PASSES, message="the baseline says that it is broken; take that out"
            )
        return verdict

    def passing(self) -> list[Failure]:
        """Return what the baseline says is broken and is not."""
        outcomes = [(one, became(one, self.tallies)) for one in self.baseline]
        return [
            one for one, outcome in outcomes if outcome is not None and not fails(outcome, strict=self.strict)
        ]

    def family_of(self, verdict: Verdict) -> str:
        """Return the family of a verdict with a breach: that of its finding."""
        return self.of(verdict)[0][0].family

    def of(self, verdict: Verdict) -> list[tuple[Finding, Path]]:
        """Return the findings that a verdict rests on."""
        return [
            (one, path)
            for one, path in self.findings
            if (one.target, one.property) == (verdict.target, verdict.property)
        ]


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


def sizes(finding: Finding) -> str:
    """Count what is in the group of a finding: 2 members, 1 partition."""
    shape = family(finding.family).shape
    return ", ".join(counted_of(size(finding.group), name) for name, size in shape.sizes.items())


def sentences(finding: Finding) -> list[str]:
    """Say what is wrong, on how many groups, whether that is known, and where the target's own code failed."""
    said = messages(finding)
    said.append(
        f"seen on {counted(finding.count, 'group')}"
        + (f", the given one {finding.given} among them" if finding.given else "")
    )
    of = family(finding.family)
    if finding.left_its_exceptions:
        plain = " or ".join(when(of, each) for each in plainest_first(finding.seen_in))
        said.append(f"all with {plain}, where it is known; made smaller, one of them breaks it beyond that")
    if finding.known:
        said.append(known_defect(finding))
    return [*said, *(f"  {frame}" for frame in finding.stack.splitlines())]


def messages(finding: Finding) -> list[str]:
    """Say what is wrong, with names cut to what tells them apart."""
    short = short_names(family(finding.family), finding.group, finding.runs)
    return [within(one, short) for one in finding.messages]


def known_defect(finding: Finding) -> str:
    """Say why a breach is a known defect, or a limit."""
    of = family(finding.family)
    return f"{finding.outcome} when there is {' or '.join(when(of, each) for each in plainest_first(finding.met))} ({finding.property})"


def pasted(finding: Finding, path: Path) -> list[str]:
    """Write the group as JSON and as Python, and the command that shows it again."""
    group = json.dumps(family(finding.family).write_group(finding.group))
    least = "smallest group" if finding.smallest else "smallest group found"
    return [
        f"{least}, as JSON:   {group}",
        f"{least}, as Python: {as_python(finding.group)}",
        f"replay: {finding.replay(path)}   (seed {finding.seed}, kassay {__version__})",
    ]


def grid_of(finding: Finding) -> TextTable:
    """Show a finding's group and what the target answered, with arrows at those of whom it speaks."""
    of = family(finding.family)
    return picture(of, finding.group, finding.assignment, finding.runs, finding.messages)
