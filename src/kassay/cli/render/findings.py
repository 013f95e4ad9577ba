"""The results of a check, their JSON records, and one finding as text and as a table of its group."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import Any

from kassay import __version__
from kassay.engine.check import Unheld
from kassay.engine.failures import Failure, find_outcome, is_more_frequent, make_failure
from kassay.engine.finding import Finding, as_python
from kassay.engine.verdict import Distance, Tally, Verdict, is_failure
from kassay.errors import UnwritableError
from kassay.families import family
from kassay.families.family import Family
from kassay.families.names import cut, within
from kassay.families.shape import TextTable
from kassay.families.words import plainest_first, when
from kassay.files.output import make_folder
from kassay.output.block import BASELINE, PASSES
from kassay.properties.runs import Run
from kassay.sentences import format_count, format_size

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
        grid = of.shape.show(group, {} if answer is None else {"assigned": answer})
    named = [_mentions(messages[0], row[0]) if messages else False for row in grid.rows]
    pointed = answer is not None and any(named) and not all(named)
    drawn = with_short_names(grid, short_names(of, group, runs))
    rows = [[*row, *[ARROW if here else ""] * pointed] for row, here in zip(drawn.rows, named, strict=True)]
    return TextTable([*grid.columns, *[""] * pointed], rows, grid.note)


def short_names(of: Family, group: Any, runs: Sequence[Run] = ()) -> Mapping[str, str]:
    """Return the short forms of the long names in a group and its runs, for sentences and pictures.

    Names of one kind, such as member ids, stay different. JSON has the full names.
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
    """Shorten the names in a table of a group."""
    rows = [[within(cell, short) for cell in row] for row in grid.rows] if short else grid.rows
    return TextTable(grid.columns, rows, grid.note)


def _list_names(group: Mapping[str, Any]) -> Iterator[tuple[str, list[str]]]:
    """Yield each kind of named items in the JSON of a group, with the names."""
    for kind, listed in group.items():
        if isinstance(listed, list):
            of_kind = [one for one in listed if isinstance(one, dict)]
            for key in ("id", "name", "process_id"):
                yield f"{kind} {key}", [one[key] for one in of_kind if isinstance(one.get(key), str)]


def _mentions(message: str, owner: str) -> bool:
    return bool(re.search(rf"(?<![\w~-]){re.escape(owner)}(?![\w-])", message))


@dataclass
class Results:
    """The results of a check, each finding with its file."""

    specs: Sequence[str]
    seeds: Sequence[int]
    strict: bool
    usual: bool = False
    """True if no target was named, so that these are Kafka's assignors."""
    known: bool = False
    """True if all known defects are shown."""
    before: Sequence[Failure] = ()
    """The failures of the last run, which are replayed first."""
    baseline: Sequence[Failure] = ()
    """The findings in the baseline."""
    written: str = ""
    """The path of the written baseline, "" if none was written."""
    accepted: list[tuple[Finding, Path]] = field(default_factory=list)
    """The findings that are in the baseline; they are removed from `findings`."""
    verdicts: list[Verdict] = field(default_factory=list)
    findings: list[tuple[Finding, Path]] = field(default_factory=list)
    distances: list[Distance] = field(default_factory=list)
    tallies: list[Tally] = field(default_factory=list)
    unheld: list[Unheld] = field(default_factory=list)
    everything: bool = False
    """True to show the coverage of large groups too."""
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
            make_folder(folder)
        except UnwritableError as wrong:
            self.unwritable = wrong

    def accept(self) -> None:
        """Move findings of the baseline to `accepted`, and mark verdicts that are in the baseline or fixed."""
        grown = self.find_more_frequent()
        known = {one.key for one in self.baseline if (one.target, one.promise) not in grown}
        self.accepted = [
            (one, path)
            for one, path in self.findings
            if is_failure(one.outcome, strict=self.strict) and make_failure(one).key in known
        ]
        paths = {path for _, path in self.accepted}
        self.findings = [(one, path) for one, path in self.findings if path not in paths]
        accepted = {(one.target, one.property) for one, _ in self.accepted}
        passing = {(one.target, one.promise) for one in self.find_fixed()}
        for n, verdict in enumerate(self.verdicts):
            place = (verdict.target, verdict.property)
            if is_failure(verdict.outcome, strict=self.strict):
                new = any(one.outcome == verdict.outcome for one, _ in self.find_of(verdict))
                if place in accepted and not new:
                    self.verdicts[n] = replace(verdict, outcome=BASELINE)
                elif place in grown:
                    before = f"{grown[place].broken:,} of {grown[place].checked:,}"
                    message = f"{verdict.message} (the baseline excuses {before} groups)"
                    self.verdicts[n] = replace(verdict, message=message)
            elif place in passing:
                message = "the baseline lists it as broken. Remove it there."
                self.verdicts[n] = replace(verdict, outcome=PASSES, message=message)

    def find_more_frequent(self) -> dict[tuple[str, str], Failure]:
        """Return target and promise -> a finding of the baseline, where the promise is broken on significantly more groups now."""
        known = {(one.target, one.promise): one for one in self.baseline}
        return {
            place: known[place]
            for verdict in self.verdicts
            if (place := (verdict.target, verdict.property)) in known
            and is_failure(verdict.outcome, strict=self.strict)
            and is_more_frequent(known[place], verdict.breaches, verdict.judged)
        }

    def find_fixed(self) -> list[Failure]:
        """Return the findings of the baseline that do not occur any more."""
        outcomes = [(one, find_outcome(one, self.tallies)) for one in self.baseline]
        return [
            one
            for one, outcome in outcomes
            if outcome is not None and not is_failure(outcome, strict=self.strict)
        ]

    def find_of(self, verdict: Verdict) -> list[tuple[Finding, Path]]:
        """Return the findings of a verdict."""
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
    return _describe_group(family(finding.family), finding.group)


def _describe_group(of: Family, group: Any) -> str:
    return ", ".join(format_size(size(group), name) for name, size in of.shape.sizes.items())


def list_earlier(finding: Finding) -> list[object]:
    """Return the JSON of the groups before a finding's group; of many equal groups one and their number."""
    of = family(finding.family)
    runs = [(of.write_group(group), len(list(equal))) for group, equal in groupby(finding.before)]
    return [group if number == 1 else {"times": number, "group": group} for group, number in runs]


def draw_earlier(finding: Finding) -> TextTable | None:
    """Return the table of the groups that the instance answered before, equal ones in one row; None if there are none."""
    of = family(finding.family)
    rows, at = [], 1
    for group, equal in groupby(finding.before):
        number = len(list(equal))
        rows.append([f"{at}" if number == 1 else f"{at} to {at + number - 1}", _describe_group(of, group)])
        at += number
    return TextTable(["earlier rebalance", "group"], rows) if rows else None


def describe_finding(finding: Finding) -> list[str]:
    """Return the messages, the number of groups, the known defect, and the failing frames of the target."""
    given = f", such as the input group {finding.given}" if finding.given else ""
    said = [*shorten_messages(finding), f"in {format_count(finding.count, 'group')}{given}"]
    of = family(finding.family)
    if finding.left_its_exceptions:
        plain = " or ".join(when(of, each) for each in plainest_first(finding.seen_in))
        said.append(
            f"all these groups have {plain}, a known defect; the smallest group breaks the promise without it"
        )
    if finding.known:
        said.append(describe_known_defect(finding))
    return [*said, *(f"  {frame}" for frame in finding.stack.splitlines())]


def shorten_messages(finding: Finding) -> list[str]:
    """Return the messages of a finding with shortened names."""
    short = short_names(family(finding.family), finding.group, finding.runs)
    return [within(one, short) for one in finding.messages]


def describe_known_defect(finding: Finding) -> str:
    """Return the situation in which a violation is a known defect or a design limit."""
    of = family(finding.family)
    return f"{finding.outcome}: happens when there is {' or '.join(when(of, each) for each in plainest_first(finding.met))} ({finding.property})"


def render_as_code(finding: Finding, path: Path) -> list[str]:
    """Return the group as JSON and as Python, and the command that replays it."""
    group = json.dumps(family(finding.family).write_group(finding.group))
    least = "smallest group" if finding.smallest else "smallest group found"
    before = [f"groups before it, as JSON: {json.dumps(each)}" for each in list_earlier(finding)]
    return [
        *before,
        f"{least}, as JSON:   {group}",
        f"{least}, as Python: {as_python(finding.group)}",
        f"replay: {finding.replay(path)}   (seed {finding.seed}, kassay {__version__})",
    ]
