"""The answer of a check in a sentence, and several targets as a table with one row each."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from kassay.cli.render.findings import Results
from kassay.comparison.headline import label_target, label_targets_uniquely
from kassay.engine.finding import Finding, merge_findings
from kassay.engine.verdict import Distance, Verdict, exit_status, is_failure
from kassay.families import FAMILIES, family
from kassay.families.family import INSIDE, SETTABLE, STUDY
from kassay.families.shape import TextTable
from kassay.families.words import does
from kassay.oracles.levels import LevelWords
from kassay.output import Block
from kassay.output.block import (
    BASELINE,
    BROKEN,
    ERRORED,
    KEPT,
    KNOWN_DEFECT,
    LIMIT,
    NOT_PROMISED,
    PASSES,
    SKIPPED,
)
from kassay.sentences import end_sentence, format_count, join_names

TOLD = (KEPT, BROKEN, KNOWN_DEFECT, LIMIT, SKIPPED, ERRORED, BASELINE, PASSES)
"""The outcomes of promises that a target makes."""


@dataclass(frozen=True, slots=True)
class Story:
    """Findings with one cause, the worst promise first: one group, shown once, breaks them all."""

    findings: Sequence[Finding]
    path: Path

    @property
    def first(self) -> Finding:
        """The finding of the worst promise."""
        return self.findings[0]

    @property
    def does(self) -> str:
        """The wrong behaviour of the target, as a verb phrase."""
        if self.first.against is not None:
            return f"differs from {label_target(self.first.against)}"
        return does(family(self.first.family), self.first.property)


def group_findings(findings: Iterable[tuple[Finding, Path]]) -> list[Story]:
    """Return findings with the same smallest group together, the worst first."""
    saved = list(findings)
    paths = {id(finding): path for finding, path in saved}
    return [Story(each, paths[id(each[0])]) for each in merge_findings(one for one, _ in saved)]


def shorten_target(target: str, targets: Sequence[str]) -> str:
    """Return the label of a target among others; one that stands alone keeps its family."""
    return (
        label_target(target)
        if len(targets) == 1
        else label_targets_uniquely(targets).get(target, label_target(target))
    )


def describe_breach(story: Story, verdicts: Sequence[Verdict]) -> str:
    """Return what a target does wrong, in how many groups, and the promise: for the headline, JUnit and GitHub."""
    first = story.first
    verdict = next(v for v in verdicts if (v.target, v.property) == (first.target, first.property))
    return f"{story.does} {describe_frequency(verdict, first)} ({first.property})"


def describe_frequency(verdict: Verdict, finding: Finding | None = None) -> str:
    """Return in how many of how many groups a promise is broken, which is never 0."""
    if verdict.breaches:
        given = f", such as {finding.given}" if finding is not None and finding.given else ""
        return f"in {verdict.breaches:,} of {format_count(verdict.judged, 'group')}{given}"
    if finding is not None and not verdict.reduced:
        return f"in {finding.count:,} of {format_count(verdict.judged, 'group')}"
    groups = f"{verdict.reduced:,} of {format_count(verdict.judged, 'group')}"
    return f"in a smaller group, shrunk from one of {groups} with a known defect"


def render_headline(results: Results, broken: Sequence[Story], known: Sequence[Story]) -> str:
    """Return the result: what one target does wrong, or how many of several targets do, and the worst."""
    verdicts, targets = results.verdicts, results.specs
    status = exit_status(verdicts, strict=results.strict)
    tried = max((tally.groups for tally in results.tallies), default=0)
    if len(targets) == 1:
        return end_sentence(
            _describe_one_target(results, broken, known, f"on {format_count(tried, 'group')}", status)
        )
    outcomes = {v.outcome for v in verdicts}
    if status == 1:
        wrong = {v.target for v in verdicts if is_failure(v.outcome, strict=results.strict)}
        one = len(wrong) == 1
        if BROKEN in outcomes:
            what = "breaks a promise" if one else "break a promise"
        elif KNOWN_DEFECT in outcomes:
            what = "has known defects" if one else "have known defects"
        else:
            what = "keeps a promise" if one else "keep a promise"
            what += " that the baseline lists as broken"
        said = f"{len(wrong)} of {len(targets)} assignors {what}."
        for worst in (broken or known)[:1]:
            who = shorten_target(worst.first.target, targets)
            said += f"{'' if one else ' The worst:'} {who} {describe_breach(worst, verdicts)}."
        return said
    if status == 3:
        untold = {v.target for v in verdicts if v.outcome in {SKIPPED, ERRORED}}
        said = f"{len(untold) or len(targets)} of {len(targets)} assignors could not be tested"
        first = min(untold, key=list(targets).index, default="")
        return f"{said}{f', such as {shorten_target(first, targets)}' if first else ''}."
    of = f"seed{'s' * (len(results.seeds) > 1)} {', '.join(map(str, results.seeds))}"
    about = "about " if len({tally.groups for tally in results.tallies}) > 1 else ""
    what = "show no new defect" if {KNOWN_DEFECT, BASELINE} & outcomes else "keep their promises"
    return f"{len(targets)} assignors {what} on {about}{format_count(tried, 'group')} each ({of})."


def _describe_one_target(
    results: Results, broken: Sequence[Story], known: Sequence[Story], groups: str, status: int
) -> str:
    """Return what one target does wrong, or that it keeps its promises; `groups` is *on N groups*."""
    verdicts, target = results.verdicts, label_target(results.specs[0])
    told = [v for v in verdicts if v.outcome in TOLD]
    failed = [v for v in told if v.outcome == BROKEN]
    if broken:
        more = len(failed) - len(broken[0].findings)
        rest = f". {more} more {'promise is' if more == 1 else 'promises are'} broken" if more > 0 else ""
        return f"{target} {describe_breach(broken[0], verdicts)}{rest}"
    if failed:
        return f"{target} breaks {failed[0].property}: {failed[0].message}"
    passing = [v.property for v in told if v.outcome == PASSES]
    if passing:
        return f"{target} keeps {join_names(passing)}, which the baseline lists as broken"
    if status == 1:
        defects = [v for v in told if v.outcome == KNOWN_DEFECT]
        worst = f". The worst: it {describe_breach(known[0], verdicts)}" if known else ""
        return f"{target} has {format_count(len(defects), 'known defect')}, and --strict is set{worst}"
    untold = [v for v in told if v.outcome in {SKIPPED, ERRORED}]
    if untold:
        part = "" if len(untold) == len(told) else f" for {len(untold)} of its {len(told)} promises"
        return f"{target} could not be tested{part}: {untold[0].message}"
    if not told:
        against = [v.property for v in verdicts if v.outcome == NOT_PROMISED and v.message]
        breaks = f"it breaks {join_names(against)}" if against else "it breaks none of them"
        return f"{target} promises none of the selected properties, and {breaks} {groups}"
    if any(v.outcome in {KNOWN_DEFECT, BASELINE} for v in told):
        return f"{target} shows no new defect {groups}"
    if len(told) > 1:
        return f"{target} keeps its {len(told)} promises {groups}"
    if told[0].outcome == LIMIT:
        return f"{target} has a design limit {describe_frequency(told[0])}: {told[0].message}"
    return f"{target} keeps {told[0].property} {groups}"


def describe_exit_status(results: Results) -> str:
    """Return the exit status in words."""
    status = exit_status(results.verdicts, strict=results.strict)
    outcomes = {v.outcome for v in results.verdicts}
    if status == 1:
        if BROKEN in outcomes:
            return "Exit status 1: a promise is broken."
        passes = "a promise that the baseline lists as broken is kept"
        return f"Exit status 1: {passes if PASSES in outcomes else 'known defects, and --strict is set'}."
    if status == 3:
        why = "no conclusion" if outcomes & {SKIPPED, ERRORED} else "no selected property is a promise"
        return f"Exit status 3: {why}."
    if KNOWN_DEFECT in outcomes:
        return "Exit status 0: only known defects. With --strict: 1."
    return f"Exit status 0: {'only findings of the baseline' if BASELINE in outcomes else 'no promise is broken'}."


def format_percentage(part: int, whole: int) -> str:
    """Return a share in per cent, rounded up: what is seen is never shown as 0."""
    if not whole:
        return "-"
    tenths = -(-1000 * part // whole)
    return "0" if not tenths else f"{tenths // 10}.{tenths % 10}"


def name_objective(words: LevelWords) -> str:
    """Return the objective as a noun phrase: *balance*, *reads across racks*, *connector spread*."""
    if words.counts == "loads":
        return (
            f"balance {words.whose}".rstrip()
            if words.whose.startswith("with ")
            else f"balance of {words.whose}".removesuffix(" of ")
        )
    return words.name.replace("-", " ") if words.counts == "other" else words.unit[1]


def render_distances(distances: Sequence[Distance]) -> TextTable:
    """Return for each objective the percentage of answers above the optimum, and the largest distance."""
    rows = []
    for one in distances:
        agreed = f", {one.agreed} confirmed by two solvers" if one.agreed else ""
        share = f"not proven: {one.unsure}{agreed}" if one.unsure else ""
        if one.compared:
            share = f"{format_percentage(one.above, one.compared)} %{share and f' ({share})'}"
        share = share or ("not proven" if one.unproved else "no correct answer")
        name = name_objective(one.said) + " (max - min load)" * (one.said.counts == "loads")
        rows.append([name, share, f"{one.worst[0]:,} (best {one.worst[1]:,})" if one.above else "-"])
    most = max(distances, key=lambda one: one.compared)
    of = f"{most.compared:,} {'correct ' * (most.compared < most.groups)}group{'s' * (most.compared != 1)}"
    return TextTable([f"Distance to the optimum ({of})", "above it", "largest distance"], rows)


SECTIONS = {
    SETTABLE: "Kafka, configurable", "others": "others", INSIDE: "Kafka, internal", STUDY: "research",
}  # fmt: skip
"""Availability of an assignor, or "others" -> the head of its rows."""


def render_targets(results: Results, targets: Sequence[str], names: Mapping[str, str]) -> Block:
    """Return a row for each target, the configurable ones first; `names` are the names that targets gave themselves."""
    verdicts, distances = results.verdicts, results.distances
    levels = list(dict.fromkeys(one.said.column for one in distances))
    untold = any(v.outcome in {SKIPPED, ERRORED} for v in verdicts)
    limited = any(v.outcome == LIMIT for v in verdicts)
    columns = ["assignor", "hold", *["limits"] * limited, "known", "broken", *["not tested"] * untold]
    columns += ["wrong\n%", *(f"{level}\n%" for level in levels)] if levels else []
    outcomes = [(KEPT, PASSES), *[(LIMIT,)] * limited, (KNOWN_DEFECT, BASELINE), (BROKEN,)]
    outcomes += [(SKIPPED, ERRORED)] * untold
    sections: dict[str, list[list[str]]] = {section: [] for section in SECTIONS}
    for target in targets:
        own = [v for v in verdicts if v.target == names.get(target, target)]
        cells = [str(sum(v.outcome in counts for v in own)) for counts in outcomes]
        far = [one for one in distances if one.target == names.get(target, target)]
        if levels:
            most = max(far, key=lambda one: one.groups, default=None)
            cells.append("-" if most is None else format_percentage(most.wrong, most.groups))
        for level in levels:
            # Several levels may have one name: the column shows the worst of them.
            same = [one for one in far if one.said.column == level and one.compared]
            worst = max(same, key=lambda one: Fraction(one.above, one.compared), default=None)
            cells.append("-" if worst is None else format_percentage(worst.above, worst.compared))
        of, slash, _ = target.partition("/")
        section = family(of).classify_target(target) if slash and of in FAMILIES else "others"
        sections[section].append([shorten_target(target, targets), *cells])
    used = [section for section in SECTIONS if sections[section]]
    headed = len(used) > 1
    rows = []
    for section in used:
        rows += [[SECTIONS[section], *[""] * (len(columns) - 1)]] * headed
        rows += [[f"{'  ' * headed}{first}", *rest] for first, *rest in sections[section]]
    return Block(prose=True, grid=TextTable(columns, rows))


def explain_columns(results: Results) -> str:
    """Return the meaning of the columns of the table of targets."""
    limits = ", limits" if any(v.outcome == LIMIT for v in results.verdicts) else ""
    said = f"hold{limits}, known, broken: number of promises that hold"
    said += f"{', have a design limit' * bool(limits)}, have a known defect, or are broken."
    if results.distances:
        levels = join_names(list(dict.fromkeys(one.said.column for one in results.distances)))
        said += f" wrong: % of the groups without a correct answer. {levels}: % of the correct answers above the optimum."
    return said
