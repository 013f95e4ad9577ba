"""The groups that the report draws: one telling group, and for each broken property the smallest group with a better answer."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import pandas as pd
from markupsafe import Markup

from kassay.comparison.headline import describe_other_targets, label_targets_uniquely
from kassay.comparison.measured import Measured, measure_all, measure_current_assignment
from kassay.engine.finding import Finding
from kassay.engine.judge import cache_answers, judge
from kassay.engine.promises import build_promises
from kassay.errors import InputError, SkippedError, TargetGoneError
from kassay.families import family
from kassay.families.convergence import illegal
from kassay.families.family import Family
from kassay.files.writing import refuse_code
from kassay.model import AssignorError
from kassay.oracles.answers import Answer, Optima
from kassay.oracles.errors import OracleError
from kassay.playground.link import link
from kassay.properties.runs import Run as OneRun
from kassay.reference import ASSIGNORS
from kassay.reports.page.groups.one_group import (
    ANSWER,
    BEST,
    PRESENT,
    Drawing,
    draw_assignments,
    join_reasons,
)
from kassay.reports.page.inline import as_script
from kassay.reports.shapes import find_picture
from kassay.reports.shapes.layout import Picture
from kassay.reports.sweep.judge_rows import open_limited
from kassay.reports.sweep.manifest import Run, find_family
from kassay.reports.tables.properties import BROKEN, KNOWN_DEFECT, LIMIT, NO
from kassay.reports.tables.table import Summaries
from kassay.sentences import capitalize, read_first_sentence
from kassay.targets import Target


@dataclass(frozen=True, slots=True)
class Better:
    """An assignment of the same group that keeps the property: an optimum, or the answer of a reference."""

    name: str
    assignment: Any


@dataclass(frozen=True, slots=True)
class Smallest:
    """A broken property of a target, and the smallest group of the sweep on which it is broken."""

    target: str
    property: str
    outcome: str
    id: int
    step: int
    size: Mapping[str, int]
    group: Any = None
    finding: Finding | None = None
    """The finding, or None if the target cannot run again, or no longer breaks the property."""
    better: Better | None = None
    runs: tuple[OneRun, ...] = ()
    """The two contradicting runs of a metamorphic property; there is no better answer then."""
    trouble: str = ""
    """The reason why there is no finding."""


GroupOf = Callable[[Run, int, int, str], Any]
Drawable = Callable[[Mapping[str, int]], bool]


def smallest_groups(
    run: Run,
    properties: pd.DataFrame,
    group_of: GroupOf,
    drawable: Drawable = lambda _: True,
    *,
    trust: bool = False,
) -> Iterator[Smallest]:
    """Yield the smallest group of each broken property, or the reason why it is not shown.

    A better answer is computed if a group of that size is `drawable`. Targets that are code run again only with `trust`, since a
    file names them.
    """
    betters: dict[tuple[str, Any], Better | None] = {}
    with open_targets(run, trust=trust) as target:
        for row in properties[(properties["broken"] > 0) | (properties["known"] > 0)].to_dict("records"):
            known = {str(key): value for key, value in row.items()}
            yield _replay_breach(run, known, target(str(row["target"])), group_of, drawable, betters)


@contextmanager
def open_targets(run: Run, *, trust: bool) -> Iterator[Callable[[str], Target | str]]:
    """Yield a function that opens a target of the run once, or returns why it cannot be opened."""
    with ExitStack() as stack:

        @cache
        def open_(name: str) -> Target | str:
            instead = "a target to `kassay check` or `kassay explain`"
            try:
                refuse_code("run.json: targets", [name], trust=trust, instead=instead)
                return stack.enter_context(
                    open_limited(name, run.families[name], run.timeout_s, run.memory_mb)
                )
            except (InputError, TargetGoneError) as gone:
                return f"it cannot run again here: {gone}"

        yield open_


def _replay_breach(
    run: Run,
    row: Mapping[str, Any],
    target: Target | str,
    group_of: GroupOf,
    drawable: Drawable,
    betters: dict[tuple[str, Any], Better | None],
) -> Smallest:
    name, property_ = str(row["target"]), str(row["property"])
    id_, step = int(row["smallest"]), int(row["smallest_step"])
    size = {each: int(row[each]) for each in run.sizes}
    place = (name, property_, str(row["outcome"]), id_, step, size)
    if isinstance(target, str):
        return Smallest(*place, trouble=target)
    family_ = family(run.families[name])
    spec = next(each for each in run.targets if each.target == name)
    promises = build_promises(
        spec.promises, spec.except_in, family_, target.reference, target.fails, spec.limits
    )
    try:
        group = group_of(run, id_, step, name)
        assign = cache_answers(target.assign)
        breach = judge(family_, property_, group, assign, target, promises.select_exceptions(property_))
    except (InputError, TargetGoneError, AssignorError, SkippedError) as failure:
        return Smallest(*place, trouble=f"it could not run again: {failure}")
    if breach is None:
        return Smallest(*place, group=group, trouble="in a second run, it keeps the property on this group")
    try:
        answer = assign(group)
    except (AssignorError, SkippedError):
        answer = None
    finding = Finding(
        name, run.families[name], property_, bool(row["promised"]), group, answer, breach.messages, run.seeds[0], smallest=False,
        except_in=tuple(sorted(promises.list_situations(property_))), met=tuple(sorted(breach.met)), stack=breach.stack, beside=target.reference,
        of_limit=property_ in promises.limits,
    )  # fmt: skip
    small = Smallest(*place, group=group, finding=finding, runs=breach.runs)
    if breach.runs or not drawable(size):
        return small
    key = (property_, group)
    if key not in betters:
        betters[key] = find_better(family_, property_, group)
    found = betters[key]
    alike = found is not None and answer is not None and family_.shape.same(found.assignment, answer)
    return replace(small, better=None if alike else found)


def find_better(family_: Family, property_: str, group: Any) -> Better | None:
    """Return the optimum of a group if it keeps the property, or else the answer of a reference assignor that does.

    Complete and legal answers are preferred; some properties, such as revoking before reassigning, do not always allow one.
    """
    invariant = family_.invariants.get(property_)
    kept = [
        candidate
        for candidate in _list_better(family_, group)
        if invariant is None or next(invariant(group, candidate.assignment), None) is None
    ]
    legal = (candidate for candidate in kept if not illegal(family_, group, candidate.assignment))
    return next(legal, kept[0] if kept and invariant is not None else None)


def _list_better(family_: Family, group: Any) -> Iterator[Better]:
    if family_.oracles is not None:
        question = f"{family_.oracles.contract}{','.join(family_.oracles.levels)}"
        with suppress(OracleError):
            yield Better(f"best in {question}", family_.oracles.optimum(question, group, None).assignment)
    for name, assignor in ASSIGNORS.items():
        if assignor.family == family_.name:
            with suppress(AssignorError):
                answer = assignor.assign(group)
                if not family_.provisional(answer):
                    yield Better(name, answer)


DOES = {
    BROKEN: "breaks its promise",
    KNOWN_DEFECT: "has a known defect in",
    LIMIT: "has a design limit in",
    NO: "does not keep",
}
"""Outcome -> what a target does to a property, in the order of the page."""


@dataclass(frozen=True, slots=True)
class ShownBreach:
    """A broken property as the page shows it."""

    anchor: str
    target: str
    property: str
    does: str
    size: str
    meaning: str
    messages: Sequence[str]
    trouble: str
    pictures: Sequence[tuple[str, Markup]]
    file: str
    replay: str
    play: str


def anchor(target: str, property_: str) -> str:
    """Return the anchor of a broken cell's smallest group on the page."""
    return f"b{sha256(f'{target} {property_}'.encode()).hexdigest()[:10]}"


def show_breach(one: Smallest, picture: Picture, folder: Path, *, drawn: bool) -> ShownBreach:
    """Return a violation for the page, with pictures if it is drawn, and save its group as a finding in the folder."""
    finding, file, meaning, trouble = one.finding, "", "", one.trouble
    pictures: list[tuple[str, Markup]] = []
    if finding:
        file = f"groups/{finding.save(folder / 'groups').name}"
        meaning = (
            f"{one.property}: {read_first_sentence(family(finding.family).properties[one.property].__doc__)}."
        )
        if drawn and picture.shows(one.size):
            pictures = list(_draw_pictures(one, finding, picture))
        elif drawn:
            trouble = trouble or "It is too large to be drawn."
    changes = f" after {one.step:,} change{'s' * (one.step > 1)}" if one.step else ""
    sizes = ", ".join(f"{name} {count:,}" for name, count in one.size.items())
    return ShownBreach(
        anchor(one.target, one.property), one.target, one.property, DOES[one.outcome],
        f"group {one.id:,}{changes}: {sizes}", meaning, finding.messages if finding else (), trouble, pictures, file,
        finding.replay(file) if finding else "",
        link(family(finding.family).write_group(finding.group), finding.target) if finding else "",
    )  # fmt: skip


def _draw_pictures(one: Smallest, finding: Finding, picture: Picture) -> Iterator[tuple[str, Markup]]:
    """Yield the pictures of a violation with their titles: two contradicting runs, or the answer and a better one."""
    shown: list[tuple[str, Any, Any]] = []
    if one.runs:
        first, second = one.runs
        joined = picture.joined(second.group, first.assignment)
        shown = [(first.title, first.group, first.assignment), (second.title, joined, second.assignment)]
    elif finding.assignment is not None:
        shown = [(f"{one.target} gives", one.group, finding.assignment)]
    if one.better and not one.runs:
        shown.append((f"better: {one.better.name}", one.group, one.better.assignment))
    for title, group, assignment in shown:
        yield title, picture.html(title, group, assignment)


CANDIDATES = 40
"""The number of groups that are tried to find one with an assignment that reaches all optima."""


@dataclass(frozen=True, slots=True)
class DrawnGroup:
    """The drawn group, its target, the rule that selected both, all answers, and the best possible assignment."""

    group: Any
    target: str
    rule: str
    now: Measured | None
    answers: Sequence[Measured]
    best: Answer
    optima: Optima


def find_telling_group(summaries: Summaries, group_of: GroupOf, *, trust: bool = False) -> DrawnGroup | str:
    """Return the smallest group on which a target misses the greatest number of optima, or the reason why there is no such group."""
    run = summaries.run
    family_ = find_family(run)
    if family_.oracles is None or not run.levels:
        return "This run compares no optimum, so the page draws no group for it."
    known = label_targets_uniquely(run.names)
    with open_targets(run, trust=trust) as open_:
        usable = [name for name in run.names if isinstance(open_(name), Target)]
        if not usable:
            return capitalize(str(open_(run.names[0])))
        candidates = _list_candidates(summaries, usable)
        for target, within, missed, ids in candidates:
            found = _find_first(run, ids, group_of, target)
            if found is None:
                continue
            id_, group, best, optima, joint = found
            which = family_.telling.says if within else "all groups"
            levels = len(run.levels)
            number = (
                f"{missed} of {levels} optima"
                if missed < levels
                else f"all {levels} optima"
                if levels > 1
                else "the optimum"
            )
            reach = " and one assignment reaches every optimum" if joint and len(best.levels) > 1 else ""
            grid = "grid" if len(usable) == len(run.names) else "grid, of those that can run again here,"
            rule = (
                f"Group {id_:,} of the run. Among {which}, it is the smallest on which {known[target]} misses {number}{reach}. "
                f"{known[target]} is the first in the {grid} with such a group."
            )
            targets = [each for each in map(open_, run.names) if isinstance(each, Target)]
            (row,) = measure_all(targets, family_, [group])
            return DrawnGroup(
                group, target, rule, measure_current_assignment(family_, group, optima), row, best, optima
            )
    if candidates:
        return "No group on which a target misses an optimum can be generated here."
    asked = summaries.gaps[summaries.gaps["target"].isin(usable) & summaries.gaps["first"]]
    if asked["value"].isna().all():
        return "No target that can run here has an answer to compare with an optimum."
    return "Every right answer of the targets that can run here reaches all optima."


def _list_candidates(summaries: Summaries, usable: Sequence[str]) -> "list[tuple[str, bool, int, list[int]]]":
    """Return targets with the ids of their smallest groups: telling groups first, then by the number of missed optima."""
    frame = summaries.telling
    order = [*summaries.run.sizes, "id"]
    listed = []
    for within in (True, False):
        for missed in range(len(summaries.run.levels), 0, -1):
            for target in usable:
                part = frame[
                    (frame["target"] == target) & (frame["telling"] == within) & (frame["missed"] == missed)
                ]
                if len(part):
                    ids = part.sort_values(["all", *order])["id"].astype(int).tolist()
                    listed.append((target, within, missed, ids))
    return listed


def _find_first(
    run: Any, ids: Sequence[int], group_of: GroupOf, target: str
) -> "tuple[int, Any, Answer, Optima, bool] | None":
    """Return the first group with an assignment that is optimal in every level, or else the smallest with a proven optimum."""
    oracles = find_family(run).oracles
    assert oracles is not None
    smallest = None
    for id_ in ids[:CANDIDATES]:
        try:
            group = group_of(run, id_, 0, target)
            best, optima = (
                oracles.optimum(f"{oracles.contract}{','.join(oracles.levels)}", group, None),
                oracles.optima(group),
            )
        except (InputError, AssignorError, OracleError):
            continue
        joint = all(level.value == optima.least[level.name] for level in best.levels)
        if joint:
            return id_, group, best, optima, True
        smallest = smallest or (id_, group, best, optima, False)
    return smallest


@dataclass(frozen=True, slots=True)
class OpenPicture:
    """The group that the page shows open, with drawings."""

    title: str
    says: str
    """The contents, and the rule that selected the group."""
    drawings: Sequence[Drawing] = ()
    why: str = ""
    """The reasons why no assignment is better."""
    others: str = ""
    """The results of the other targets."""
    command: str = ""
    json: Markup | str = ""
    """The group."""


def show_open_picture(
    told: DrawnGroup | str, found: Sequence[Smallest], family: Family, known: Mapping[str, str]
) -> OpenPicture:
    """Return the telling group, or else the smallest group that violates a property, or else the reason why nothing is drawn."""
    if isinstance(told, DrawnGroup):
        return _show_telling_group(told, family, known)
    for one in found:
        if one.finding is not None and (one.finding.assignment is not None or one.better is not None):
            return _show_broken_group(one, told, family, known)
    return OpenPicture("One group", told)


def _show_telling_group(told: DrawnGroup, family: Family, known: Mapping[str, str]) -> OpenPicture:
    answers = [(known[one.target], one) for one in told.answers]
    own = [(label, one) for label, one in answers if one.target == told.target]
    shown = list(draw_assignments(family, told.group, told.now, own, told.best, told.optima))
    first = "now, " if told.now is not None else ""
    return OpenPicture(
        f"One group: {first}what {known[told.target]} does, the best possible",
        f"{told.rule} {find_picture(family.shape).lead}",
        shown,
        join_reasons(told.best.words),
        describe_other_targets(answers),
        f"kassay compare {' '.join(known) if len(known) <= 6 else told.target} --group group.json",
        as_script(family.write_group(told.group)),
    )


def _show_broken_group(one: Smallest, why_not: str, family: Family, known: Mapping[str, str]) -> OpenPicture:
    assert one.finding is not None
    html = find_picture(family.shape).html
    label = known[one.target]
    shown = []
    present = family.shape.present(one.group)
    if present is not None:
        shown.append(Drawing(PRESENT, "Now", html("now", one.group, present), ()))
    if one.finding.assignment is not None:
        shown.append(
            Drawing(
                ANSWER,
                label,
                html(label, one.group, one.finding.assignment),
                (),
                " ".join(one.finding.messages),
            )
        )
    if one.better is not None:
        shown.append(
            Drawing(BEST, f"Better: {one.better.name}", html("better", one.group, one.better.assignment), ())
        )
    sizes = ", ".join(f"{name} {count:,}" for name, count in one.size.items())
    return OpenPicture(
        f"One group on which {label} does not keep {one.property}",
        f"{why_not} Therefore this is the smallest group of the run that violates a property: {sizes}. {find_picture(family.shape).lead}",
        shown,
        command=f"kassay check {one.target} --property {one.property} --group group.json",
        json=as_script(family.write_group(one.group)),
    )
