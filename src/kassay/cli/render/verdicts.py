"""The answer of a check in a sentence, and several targets as a table with one row each."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from kassay.cli.render.findings import Results
from kassay.comparison.headline import label_of, target_labels
from kassay.engine.finding import Finding
from kassay.engine.verdict import Distance, Verdict, exit_status, fails
from kassay.families import FAMILIES, family
from kassay.families.words import does, worst_first
from kassay.family import INSIDE, SETTABLE, STUDY
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
from kassay.sentences import counted
from kassay.shape import TextTable

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
        """What the target does, in words."""
        if self.first.against is not None:
            return f"does not give the same answers as {label_of(self.first.against)}"
        return does(family(self.first.family), self.first.property)


def group_findings(findings: Iterable[tuple[Finding, Path]]) -> list[Story]:
    """Return findings with the same smallest group together, the worst first."""
    of_each: dict[tuple[str, str], list[tuple[Finding, Path]]] = {}
    for finding, path in findings:
        group = repr(family(finding.family).write_group(finding.group))
        of_each.setdefault((finding.target, group), []).append((finding, path))
    order = worst_first({one.property for each in of_each.values() for one, _ in each})
    stories = []
    for each in of_each.values():
        each.sort(key=lambda one: order.index(one[0].property))
        stories.append(Story([one for one, _ in each], each[0][1]))
    return sorted(stories, key=lambda one: (order.index(one.first.property), -one.first.count))


def shorten_target(target: str, targets: Sequence[str]) -> str:
    """Return the label of a target among others; one that stands alone keeps its family."""
    return label_of(target) if len(targets) == 1 else target_labels(targets).get(target, label_of(target))


def describe_breach(story: Story, verdicts: Sequence[Verdict]) -> str:
    """Return what a target does wrong, and on how many groups: the sentence of headline, JUnit and GitHub."""
    place = (story.first.target, story.first.property)
    verdict = next(v for v in verdicts if (v.target, v.property) == place)
    return f"{story.does}, {describe_frequency(verdict, story.first)}"


def describe_frequency(verdict: Verdict, finding: Finding | None = None) -> str:
    """Return on how many of how many groups a promise is broken, never on none."""
    if verdict.breaches:
        given = f", {finding.given} among them" if finding is not None and finding.given else ""
        return f"on {verdict.breaches:,} of {counted(verdict.judged, 'group')}{given}"
    if finding is not None and not verdict.reduced:
        return f"on {finding.count:,} of {counted(verdict.judged, 'group')}"
    return f"on a group made smaller from one of {verdict.reduced:,} (of {verdict.judged:,}) that break it where that is known"


def render_headline(results: Results, broken: Sequence[Story], known: Sequence[Story]) -> str:
    """Return which target does what wrong, on how many groups; of several targets how many of them, and the worst."""
    verdicts, targets = results.verdicts, results.specs
    status = exit_status(verdicts, strict=results.strict)
    tried = max((tally.groups for tally in results.tallies), default=0)
    if len(targets) == 1:
        said = _describe_one_target(results, broken, known, f"on {counted(tried, 'group')}", status)
        return f"{said.removesuffix('.')}{'' if status else _describe_unevenness(results)}."
    outcomes = {v.outcome for v in verdicts}
    if status == 1:
        wrong = {v.target for v in verdicts if fails(v.outcome, strict=results.strict)}
        one = len(wrong) == 1
        if BROKEN in outcomes:
            what = "breaks a promise" if one else "break a promise"
        elif KNOWN_DEFECT in outcomes:
            what = "has known defects" if one else "have known defects"
        else:
            it, they = ("keeps", "it breaks") if one else ("keep", "they break")
            what = f"{it} what the baseline says {they}"
        more = ""
        for worst in (broken or known)[:1]:
            does_wrong = f"{shorten_target(worst.first.target, targets)} {describe_breach(worst, verdicts)}"
            more = f": {does_wrong}" if one else f", the worst is that {does_wrong}"
        return f"{len(wrong)} of {len(targets)} assignors {what}{more}."
    if status == 3:
        untold = {v.target for v in verdicts if v.outcome in {SKIPPED, ERRORED}}
        said = f"{len(untold) or len(targets)} of {len(targets)} assignors could not be tested"
        first = min(untold, key=list(targets).index, default="")
        return f"{said}{f', such as {shorten_target(first, targets)}' if first else ''}."
    of = f"seed{'s' * (len(results.seeds) > 1)} {', '.join(map(str, results.seeds))}"
    about = "about " if len({tally.groups for tally in results.tallies}) > 1 else ""
    nothing = "nothing new" if {KNOWN_DEFECT, BASELINE} & outcomes else "no promise"
    return f"{len(targets)} assignors break {nothing}, on {about}{counted(tried, 'group')} each ({of})."


def _describe_one_target(
    results: Results, broken: Sequence[Story], known: Sequence[Story], groups: str, status: int
) -> str:
    """Return what one target does wrong, or that it breaks nothing; `groups` is on how many groups it was tested."""
    verdicts, target = results.verdicts, label_of(results.specs[0])
    told = [v for v in verdicts if v.outcome in TOLD]
    failed = [v for v in told if v.outcome == BROKEN]
    if broken:
        more = len(failed) - len(broken[0].findings)
        rest = f"; {more} more {'promise is' if more == 1 else 'promises are'} broken" if more > 0 else ""
        return f"{target} {describe_breach(broken[0], verdicts)}{rest}."
    if failed:
        return f"{target} breaks {failed[0].property}: {failed[0].message}."
    passing = [v.property for v in told if v.outcome == PASSES]
    if passing:
        return f"{target} keeps {', '.join(passing)} where the baseline says that it is broken."
    if status == 1:
        defects = [v for v in told if v.outcome == KNOWN_DEFECT]
        said = f"{target} has {counted(len(defects), 'known defect')}, which --strict counts"
        return f"{said}: it {describe_breach(known[0], verdicts)}." if known else f"{said}."
    untold = [v for v in told if v.outcome in {SKIPPED, ERRORED}]
    if untold:
        all_ = "" if len(untold) == len(told) else f" by {len(untold)} of its {len(told)} promises"
        why = untold[0].message
        return f"{target} could not be tested{all_}: {why}{'' if why.endswith('.') else '.'}"
    if not told:
        against = [v.property for v in verdicts if v.outcome == NOT_PROMISED and v.message]
        breaks = f"; it breaks {', '.join(against)}" if against else ", and breaks none of it"
        return f"{target} promises nothing of what was asked{breaks}, {groups}."
    if any(v.outcome in {KNOWN_DEFECT, BASELINE} for v in told):
        return f"{target} breaks nothing new, {groups}."
    if len(told) > 1:
        return f"{target} breaks none of its {len(told)} promises, {groups}."
    if told[0].outcome == LIMIT:
        return f"{target} was never made for this, a limit: {told[0].message}, {describe_frequency(told[0])}."
    return f"{target} keeps the promise {told[0].property}, {groups}."


def _describe_unevenness(results: Results) -> str:
    """Return how many of ten answers could be more even, "" if the target promises even loads or there is none."""
    first = next((one for one in results.distances if one.compared), None)
    promised = {v.property for v in results.verdicts if v.outcome in TOLD}
    if first is None or promised & {"balanced", "active_balanced", "locally_balanced", "even_at_rest"}:
        return ""
    tenths = (10 * first.above + first.compared // 2) // first.compared
    return f", but {tenths} of 10 answers are less even than they could be" if tenths else ""


def describe_exit_status(results: Results) -> str:
    """Return the exit status in words."""
    status = exit_status(results.verdicts, strict=results.strict)
    outcomes = {v.outcome for v in results.verdicts}
    if status == 1:
        if BROKEN in outcomes:
            return "Exit status 1: a promise is broken."
        passes = "the baseline names what passes now"
        return f"Exit status 1: {passes if PASSES in outcomes else 'known defects, and --strict'}."
    if status == 3:
        asked = outcomes & {SKIPPED, ERRORED}
        return f"Exit status 3: could not tell{'' if asked else ', for nothing of this is promised'}."
    if KNOWN_DEFECT in outcomes:
        return "Exit status 0: nothing but known defects. With --strict it is 1."
    return f"Exit status 0: {'nothing but what the baseline knows' if BASELINE in outcomes else 'no promise is broken'}."


def format_percentage(part: int, whole: int) -> str:
    """Return a share in per cent, rounded up: what is seen is never shown as 0."""
    if not whole:
        return "-"
    tenths = -(-1000 * part // whole)
    return "0" if not tenths else f"{tenths // 10}.{tenths % 10}"


def render_distances(distances: Sequence[Distance]) -> TextTable:
    """Return in which share of its answers one target is worse than possible, and how much at worst."""
    rows = []
    for one in distances:
        agreed = f", of {one.agreed} two solvers agree" if one.agreed else ""
        share = f"of {one.unsure} not proved{agreed}" if one.unsure else ""
        if one.compared:
            share = f"{format_percentage(one.above, one.compared)} %{share and f' ({share})'}"
        share = share or ("none proved" if one.unproved else "no right answer")
        value, optimum = one.worst
        worst = ""
        if one.above and one.said.counts == "loads":
            worst = f"{value:,} apart, where {optimum:,} is possible"
        elif one.above:
            short = one.said.counted(value).partition(" across racks")[0].partition(" to restore")[0]
            worst = f"{short}, where {optimum:,} would do"
        rows.append([one.said.missed, share, worst])
    most = max(one.compared for one in distances)
    return TextTable([f"How good its answers are ({counted(most, 'group')})", "", "at worst"], rows)


SECTIONS = {SETTABLE: "Kafka's, can be set", "others": "others", INSIDE: "inside Kafka", STUDY: "studies"}
"""Availability of an assignor, or "others" -> the head of its rows."""


def render_targets(results: Results, targets: Sequence[str], names: Mapping[str, str]) -> Block:
    """Return targets as rows, those that can be set first; `names` are those that targets gave themselves."""
    verdicts, distances = results.verdicts, results.distances
    levels = list(dict.fromkeys(one.said.column for one in distances))
    untold = any(v.outcome in {SKIPPED, ERRORED} for v in verdicts)
    limited = any(v.outcome == LIMIT for v in verdicts)
    columns = ["assignor", "hold", *["limits"] * limited, "known", "broken", *["not told"] * untold]
    columns += ["wrong", *levels] if levels else []
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
        section = family(of).standing(target) if slash and of in FAMILIES else "others"
        sections[section].append([shorten_target(target, targets), *cells])
    used = [section for section in SECTIONS if sections[section]]
    headed = len(used) > 1
    rows = []
    for section in used:
        rows += [[SECTIONS[section], *[""] * (len(columns) - 1)]] * headed
        rows += [[f"{'  ' * headed}{first}", *rest] for first, *rest in sections[section]]
    return Block(prose=True, grid=TextTable(columns, rows))


def explain_columns(results: Results) -> str:
    """Return what the columns of the table of targets mean."""
    said = ["hold, known, broken: promises that always hold, have known defects, or are broken."]
    if any(v.outcome == LIMIT for v in results.verdicts):
        said.append("limits: promises it was never made to keep everywhere.")
    if results.distances:
        levels = list(dict.fromkeys(one.said.column for one in results.distances))
        said.append(
            f"The rest in % of the groups, less is better. wrong: something is lost, doubled or given to the wrong one, no answer, or no rest; "
            f"{', '.join(levels)}: not as few as possible, of the answers that are not wrong."
        )
        said.append(
            "Groups are made to find trouble; they say nothing about how often it happens in production."
        )
    return " ".join(said)
