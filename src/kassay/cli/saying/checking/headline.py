"""What `kassay check` says of one target or of several: the answer in a sentence, and the exit status in words."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from kassay.comparison.headline import label_of, target_labels
from kassay.engine.distance import Distance
from kassay.engine.finding import Finding
from kassay.engine.verdict import (
    BASELINE,
    BROKEN,
    ERRORED,
    KEPT,
    KNOWN_DEFECT,
    LIMIT,
    NOT_PROMISED,
    PASSES,
    SKIPPED,
    Tally,
    Verdict,
    exit_status,
    fails,
)
from kassay.families import family
from kassay.families.words import does, worst_first
from kassay.sentences import counted

ONE = {
    "break a promise": "breaks a promise",
    "have known defects": "has known defects",
    "keep what the baseline says they break": "keeps what the baseline says it breaks",
}
"""What several assignors do -> what one of them does."""
MARKS = {0: "ok", 1: "FAIL", 3: "open"}
"""Exit status -> what stands before the answer."""
TOLD = (KEPT, BROKEN, KNOWN_DEFECT, LIMIT, SKIPPED, ERRORED, BASELINE, PASSES)


@dataclass(frozen=True, slots=True)
class Story:
    """Findings that have one cause, the worst promise first: one group, shown once, breaks them all."""

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


def stories(findings: Iterable[tuple[Finding, Path]]) -> list[Story]:
    """Put findings with the same smallest group together, the worst first."""
    of_each: dict[tuple[str, str], list[tuple[Finding, Path]]] = {}
    for finding, path in findings:
        group = repr(family(finding.family).write_group(finding.group))
        of_each.setdefault((finding.target, group), []).append((finding, path))
    order = worst_first({one.property for each in of_each.values() for one, _ in each})
    told = []
    for each in of_each.values():
        each.sort(key=lambda one: order.index(one[0].property))
        told.append(Story([one for one, _ in each], each[0][1]))
    return sorted(told, key=lambda one: (order.index(one.first.property), -one.first.count))


def short(target: str, targets: Sequence[str]) -> str:
    """Return what people call a target beside others; one that stands alone keeps its family."""
    return label_of(target) if len(targets) == 1 else target_labels(targets).get(target, label_of(target))


def breach(story: Story, verdicts: Sequence[Verdict]) -> str:
    """Say what a target does wrong, on how many groups of how many: the sentence of headline, JUnit and GitHub."""
    verdict = next(
        v for v in verdicts if (v.target, v.property) == (story.first.target, story.first.property)
    )
    return f"{story.does}, {on(verdict, story.first)}"


def on(verdict: Verdict, finding: Finding | None = None) -> str:
    """Say on how many of how many groups a promise is broken; never on none."""
    if verdict.breaches:
        given = f", {finding.given} among them" if finding is not None and finding.given else ""
        return f"on {verdict.breaches:,} of {counted(verdict.judged, 'group')}{given}"
    if finding is not None and not verdict.reduced:
        return f"on {finding.count:,} of {counted(verdict.judged, 'group')}"
    return f"on a group made smaller from one of {verdict.reduced:,} (of {verdict.judged:,}) that break it where that is known"


def headline(
    verdicts: Sequence[Verdict],
    broken: Sequence[Story],
    known: Sequence[Story],
    tallies: Sequence[Tally],
    targets: Sequence[str],
    seeds: Sequence[int],
    distances: Sequence[Distance] = (),
    *,
    strict: bool,
) -> str:
    """Say who does what wrong, on how many groups; of several targets how many of them, and the worst."""
    status = exit_status(verdicts, strict=strict)
    alone = len(targets) == 1
    tried = max((tally.groups for tally in tallies), default=0)
    if alone:
        said = _alone(verdicts, broken, known, label_of(targets[0]), tried, status)
        but = _uneven(verdicts, distances) if status == 0 else ""
        return f"{said.removesuffix('.')}{but}." if but else said
    wrong = {v.target for v in verdicts if fails(v.outcome, strict=strict)}
    if status == 1:
        outcomes = {v.outcome for v in verdicts}
        what = "break a promise" if BROKEN in outcomes else "have known defects"
        what = (
            "keep what the baseline says they break" if {BROKEN, KNOWN_DEFECT} & outcomes == set() else what
        )
        what = what if len(wrong) > 1 else ONE[what]
        worst = (broken or known)[:1]
        more = "".join(
            f": {short(one.first.target, targets)} {breach(one, verdicts)}"
            if len(wrong) == 1
            else f", the worst is that {short(one.first.target, targets)} {breach(one, verdicts)}"
            for one in worst
        )
        return f"{len(wrong)} of {len(targets)} assignors {what}{more}."
    untold = {v.target for v in verdicts if v.outcome in {SKIPPED, ERRORED}}
    if status == 3:
        which = sorted(untold, key=list(targets).index)[:1] if untold else []
        said = f"{len(untold) or len(targets)} of {len(targets)} assignors could not be tested"
        return f"{said}{f', such as {short(which[0], targets)}' if which else ''}."
    defects = any(v.outcome in {KNOWN_DEFECT, BASELINE} for v in verdicts)
    of = f"seed{'s' * (len(seeds) > 1)} {', '.join(map(str, seeds))}"
    about = "about " if len({tally.groups for tally in tallies}) > 1 else ""
    return f"{len(targets)} assignors break no{'thing new' if defects else ' promise'}, on {about}{counted(tried, 'group')} each ({of})."


def _alone(
    verdicts: Sequence[Verdict],
    broken: Sequence[Story],
    known: Sequence[Story],
    target: str,
    tried: int,
    status: int,
) -> str:
    """Say of one target what it does wrong, or that it breaks nothing."""
    told = [v for v in verdicts if v.outcome in TOLD]
    failed = [v for v in told if v.outcome == BROKEN]
    if broken:
        more = len(failed) - len(broken[0].findings)
        rest = f"; {more} more {'promise is' if more == 1 else 'promises are'} broken" if more > 0 else ""
        return f"{target} {breach(broken[0], verdicts)}{rest}."
    if failed:
        return f"{target} breaks {failed[0].property}: {failed[0].message}."
    passing = [v.property for v in told if v.outcome == PASSES]
    if passing:
        return f"{target} keeps {', '.join(passing)} where the baseline says that it is broken."
    if status == 1:
        defects = [v for v in told if v.outcome == KNOWN_DEFECT]
        said = f"{target} has {counted(len(defects), 'known defect')}, which --strict counts"
        return f"{said}: it {breach(known[0], verdicts)}." if known else f"{said}."
    untold = [v for v in told if v.outcome in {SKIPPED, ERRORED}]
    if untold:
        all_ = "" if len(untold) == len(told) else f" by {len(untold)} of its {len(told)} promises"
        why = untold[0].message
        return f"{target} could not be tested{all_}: {why}{'' if why.endswith('.') else '.'}"
    if not told:
        against = [v for v in verdicts if v.outcome == NOT_PROMISED and v.message]
        breaks = (
            f"; it breaks {', '.join(v.property for v in against)}" if against else ", and breaks none of it"
        )
        return f"{target} promises nothing of what was asked{breaks}, on {counted(tried, 'group')}."
    if any(v.outcome in {KNOWN_DEFECT, BASELINE} for v in told):
        return f"{target} breaks nothing new, on {counted(tried, 'group')}."
    if len(told) == 1 and told[0].outcome == LIMIT:
        return f"{target} was never made for this, a limit: {told[0].message}, {on(told[0])}."
    only = f"keeps the promise {told[0].property}" if len(told) == 1 else ""
    return f"{target} {only or f'breaks none of its {len(told)} promises'}, on {counted(tried, 'group')}."


def _uneven(verdicts: Sequence[Verdict], distances: Sequence[Distance]) -> str:
    """Say how many of ten answers are less even than they could be, of a target that does not promise to even loads out."""
    first = next((one for one in distances if one.compared), None)
    promised = {v.property for v in verdicts if v.outcome in TOLD}
    if first is None or promised & {"balanced", "active_balanced", "locally_balanced", "even_at_rest"}:
        return ""
    tenths = (10 * first.above + first.compared // 2) // first.compared
    return f", but {tenths} of 10 answers are less even than they could be" if tenths else ""


def ending(verdicts: Sequence[Verdict], *, strict: bool) -> str:
    """Say the exit status in words."""
    status = exit_status(verdicts, strict=strict)
    outcomes = {v.outcome for v in verdicts}
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
