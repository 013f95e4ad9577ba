"""The picture that the page shows open: one group now, with an assignor's answer, and with the best possible.

The group that a page draws: chosen by a rule that the page states, and asked again of every target.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from kassay.comparison.headline import others, target_labels
from kassay.comparison.measured import Measured, compared, present
from kassay.errors import InputError
from kassay.family import Family
from kassay.model import AssignorError
from kassay.oracles.answers import Answer, Optima
from kassay.oracles.errors import OracleError
from kassay.reports.page.groups.one_group import ANSWER, BEST, PRESENT, Drawing, drawings, sentences
from kassay.reports.page.groups.smallest_groups import GroupOf, Smallest, asked_again
from kassay.reports.page.inline import as_script
from kassay.reports.shapes import picture_of
from kassay.reports.sweep.manifest import family_of
from kassay.reports.tables.table import Summaries
from kassay.targets import Target

CANDIDATES = 40
"""Groups that are tried for one that reaches all optima at once."""


@dataclass(frozen=True, slots=True)
class DrawnGroup:
    """The group drawn, the target whose answer is, the rule by which both were chosen, all answers, and the best possible."""

    group: Any
    target: str
    rule: str
    now: Measured | None
    answers: Sequence[Measured]
    best: Answer
    optima: Optima


def telling_group(summaries: Summaries, group_of: GroupOf, *, trust: bool = False) -> DrawnGroup | str:
    """Choose a group on which a target misses as many optima at once as any does, the smallest; or say why there is none."""
    run = summaries.run
    family_ = family_of(run)
    if family_.oracles is None or not run.levels:
        return "No optimum is compared in this run, so none can be drawn."
    known = target_labels(run.names)
    with asked_again(run, trust=trust) as open_:
        usable = [name for name in run.names if isinstance(open_(name), Target)]
        if not usable:
            return str(open_(run.names[0])).capitalize()
        candidates = _candidates(summaries, usable)
        for target, within, missed, ids in candidates:
            found = _first(run, ids, group_of, target)
            if found is None:
                continue
            id_, group, best, optima, joint = found
            which = family_.telling.says if within else "all groups"
            reach = " and one assignment reaches every optimum" if joint and len(best.levels) > 1 else ""
            grid = "grid" if len(usable) == len(run.names) else "grid, of those that can be asked again here,"
            rule = (
                f"Group {id_:,} of the run. Among {which}, it is the first from the smallest up, one of each size, on which {known[target]} "
                f"misses {_optima(missed, len(run.levels))}{reach}; {known[target]} is the first in the {grid} that ever does."
            )
            targets = [each for each in map(open_, run.names) if isinstance(each, Target)]
            (row,) = compared(targets, family_, [group])
            return DrawnGroup(group, target, rule, present(family_, group, optima), row, best, optima)
    if candidates:
        return "No group on which a target misses an optimum can be made again here."
    asked = summaries.gaps[summaries.gaps["target"].isin(usable) & summaries.gaps["first"]]
    if asked["value"].isna().all():
        return "No target that can be asked here has an answer to compare with an optimum."
    return "Every right answer of the targets that can be asked here reaches all optima."


def _candidates(summaries: Summaries, usable: Sequence[str]) -> "list[tuple[str, bool, int, list[int]]]":
    """List targets with the ids of their smallest groups: telling groups first, then those with most optima missed."""
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


def _first(
    run: Any, ids: Sequence[int], group_of: GroupOf, target: str
) -> "tuple[int, Any, Answer, Optima, bool] | None":
    """Return the first group that one assignment is best for in every level, or else the smallest whose optimum is proved."""
    oracles = family_of(run).oracles
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


def _optima(missed: int, levels: int) -> str:
    return (
        f"{missed} of {levels} optima"
        if missed < levels
        else "the optimum"
        if levels == 1
        else f"all {levels} optima"
    )


@dataclass(frozen=True, slots=True)
class OpenPicture:
    """A title, what is shown and by which rule it was chosen, the drawings, why nothing is better, what others do, and the group."""

    title: str
    says: str
    drawings: Sequence[Drawing] = ()
    why: str = ""
    others: str = ""
    command: str = ""
    json: Markup | str = ""


def open_picture(
    told: DrawnGroup | str, found: Sequence[Smallest], family: Family, known: Mapping[str, str]
) -> OpenPicture:
    """Show the telling group; where there is none, the smallest group that breaks a property, or say why nothing is drawn."""
    if isinstance(told, DrawnGroup):
        return _telling(told, family, known)
    for one in found:
        if one.finding is not None and (one.finding.assignment is not None or one.better is not None):
            return _breach(one, told, family, known)
    return OpenPicture("One group", told)


def _telling(told: DrawnGroup, family: Family, known: Mapping[str, str]) -> OpenPicture:
    answers = [(known[one.target], one) for one in told.answers]
    own = [(label, one) for label, one in answers if one.target == told.target]
    shown = list(drawings(family, told.group, told.now, own, told.best, told.optima))
    first = "now, " if told.now is not None else ""
    return OpenPicture(
        f"One group: {first}what {known[told.target]} does, the best possible",
        f"{told.rule} {picture_of(family.shape).lead}",
        shown,
        sentences(told.best.words),
        others(answers),
        f"kassay compare {' '.join(known)} --group group.json"
        if len(known) <= 6
        else f"kassay compare {told.target} --group group.json",
        as_script(family.write_group(told.group)),
    )


def _breach(one: Smallest, why_not: str, family: Family, known: Mapping[str, str]) -> OpenPicture:
    assert one.finding is not None
    html = picture_of(family.shape).html
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
        f"{why_not} So this is the smallest group of the run that shows a broken property: {sizes}. {picture_of(family.shape).lead}",
        shown,
        command=f"kassay check {one.target} --property {one.property} --group group.json",
        json=as_script(family.write_group(one.group)),
    )
