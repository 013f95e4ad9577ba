"""Measure the answers of several targets to the same groups."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kassay.errors import SkippedError
from kassay.family import Family
from kassay.model import AssignorError
from kassay.targets.target import Target


@dataclass(frozen=True, slots=True)
class Measured:
    """A target's answer to one group with its measures; without an answer, `failure` says why."""

    target: str
    assignment: Any
    measures: Mapping[str, int]
    failure: str | None = None


def measured(target: Target, family: Family, group: Any) -> Measured:
    """Ask a target about a group and measure its answer."""
    try:
        assignment = target.assign(group)
        values = {name: measure(group, assignment) for name, measure in family.measures.items()}
        values |= {name: measure(target.assign, group) for name, measure in family.run_measures.items()}
    except (AssignorError, SkippedError) as failure:
        return Measured(target.name, None, {}, str(failure))
    return Measured(target.name, assignment, values)


def compared(targets: Sequence[Target], family: Family, groups: Iterable[Any]) -> list[list[Measured]]:
    """Measure every target on every group: a row of answers for each group, in the order of the targets."""
    return [[measured(target, family, group) for target in targets] for group in groups]


def totals(rows: Sequence[Sequence[Measured]], names: Iterable[str]) -> list[dict[str, int]]:
    """Sum each measure for each target over the groups which all targets answered."""
    answered = [row for row in rows if all(one.failure is None for one in row)]
    columns = len(rows[0]) if rows else 0
    return [{name: sum(row[n].measures[name] for row in answered) for name in names} for n in range(columns)]
