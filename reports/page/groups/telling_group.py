"""The group that a page draws: chosen by a rule that the page states, and asked again of every target."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kassay.comparison.measured import Measured, compared, present
from kassay.comparison.target_labels import target_labels
from kassay.errors import InputError
from kassay.model import AssignorError
from kassay.oracles.answers import Answer, Optima
from kassay.oracles.failures import OracleError
from kassay.reports.page.groups.smallest_groups import GroupOf, asked_again
from kassay.reports.sweep.manifest import family_of
from kassay.reports.tables.summaries import Summaries
from kassay.targets import Target

CANDIDATES = 40
"""Groups that are tried for one that reaches all optima at once."""


@dataclass(frozen=True, slots=True)
class Told:
    """The group drawn, the target whose answer is, the rule by which both were chosen, all answers, and the best possible."""

    group: Any
    target: str
    rule: str
    now: Measured | None
    answers: Sequence[Measured]
    best: Answer
    optima: Optima


def telling_group(summaries: Summaries, group_of: GroupOf, *, trust: bool = False) -> Told | str:
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
            return Told(group, target, rule, present(family_, group, optima), row, best, optima)
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
