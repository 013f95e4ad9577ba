"""The README's table of Kafka's assignors: how often each is right in the groups of grids/quick.toml, and two promises.

It counts what `kassay report` shows of a sweep of that grid, group by group and without Spark.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from promise_matrix import describe_outcome

from kassay.comparison.measured import Measured, measure_all
from kassay.engine.verdict import Verdict
from kassay.families import family
from kassay.families.family import Question, Where
from kassay.families.shape import TextTable
from kassay.reports.sweep.folder import create_run
from kassay.reports.sweep.grid import read_grid
from kassay.reports.sweep.judge_rows import group_of
from kassay.reports.sweep.manifest import TargetSpec
from kassay.reports.tables.table import format_share
from kassay.reports.tables.verdicts import select_criteria
from kassay.targets import Options, open_target

PROMISES = {
    "member_order_independent": "same answer in any order of members",
    "leaver_minimal": "when a member leaves, only its partitions move",
}
"""The two promises shown, and what they say."""


def build_shares(grid: Path, verdicts: Sequence[Verdict]) -> TextTable:
    """Return the table; `verdicts` has all assignors, named without their family."""
    read = read_grid(grid)
    run = create_run(read, tuple(TargetSpec(name, ()) for name in read.targets), "")
    family_ = family(run.family)
    names = [name for name in run.names if name in family_.settable]
    targets = [open_target(name, Options()) for name in names]
    right: Counter[tuple[str, str]] = Counter()
    of: Counter[str] = Counter()
    for id_ in range(run.groups):
        group = group_of(run, id_, 0, run.names[0])
        (row,) = measure_all(targets, family_, [group])
        apply = [each for each in select_criteria(run) if is_optimal(each.of, group, family_.situations)]
        of.update(question.name for question in apply)
        for one in row:
            met = {each.name: is_right(one, each) for each in apply if not each.joins}
            met |= {each.name: all(met.values()) for each in apply if each.joins}
            right.update((name, one.target) for name, is_met in met.items() if is_met)
    rows = [
        [
            f"{each.shown}: {each.says} (of {of[each.name]:,})",
            *(format_share(right[each.name, name] / of[each.name]) for name in names),
        ]
        for each in select_criteria(run)
    ]
    labels = [name.removeprefix(f"{run.family}/") for name in names]
    told = {(one.property, one.target): one for one in verdicts}
    rows += [
        [says, *(_describe_verdict(told[name, label]) for label in labels)] for name, says in PROMISES.items()
    ]
    return TextTable([f"share of generated groups, seed {run.seeds[0]}", *labels], rows)


def is_optimal(of: Where, group: Any, situations: Mapping[str, Callable[[Any], bool]]) -> bool:
    """Return True if a criterion applies to a group."""
    return all(situations[name](group) for name in of.within) and not any(
        situations[name](group) for name in of.outside
    )


def is_right(one: Measured, question: Question) -> bool:
    """Return True if an answer is correct, and at the optimum of the criterion's objective."""
    return one.legal and all(gap.over <= 0 for gap in one.gaps if gap.level == question.level)


def _describe_verdict(verdict: Verdict) -> str:
    said = describe_outcome(verdict)
    return {"kept": "yes", "known defect": "yes, but for known defects", "BROKEN": "no"}.get(said, said)
