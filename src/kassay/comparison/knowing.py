"""Gather what is known of one group for the advice: gaps of all answers, known defects it may meet, what its listing says beside it."""

from collections.abc import Collection, Sequence
from typing import Any

from kassay.comparison.advice import Defect, Known, named
from kassay.comparison.headline import question, reaches
from kassay.comparison.measured import Measured, compared, standing
from kassay.docstring import first_sentence
from kassay.engine.except_in import AND, terms_met
from kassay.engine.verdict import GRAVE, SAYS, gravest
from kassay.family import Family
from kassay.oracles.answers import Answer
from kassay.targets.reference import open_reference
from kassay.targets.target import Target

SMALL = 10_000
"""Up to so many members, partitions and the like, all assignors that can be set are asked, which takes no more than some seconds."""


def known(
    family: Family,
    group: Any,
    row: Sequence[Measured],
    now: Measured | None,
    targets: Sequence[Target],
    *,
    in_use: str = "",
    home: str = "",
    wanted: Any = None,
    file: str = "",
    name: str = "",
    listed: bool = False,
    warnings: Sequence[str] = (),
) -> Known:
    """Gather what is known of a group that was compared; `wanted` is the assignment that its coordinator wants it to have."""
    proved = family.oracles.optima(group) if family.oracles else None
    asked = {named(target.name) for target in targets}
    more = (
        [open_reference(name) for name in family.settable if name not in asked]
        if _is_small(family, group)
        else []
    )
    others = compared(more, family, [group])[0] if more else []
    targets, row = [*targets, *more], [*row]
    everything = [*row, *others]
    none_reaches = (
        proved is not None and any(one.gaps for one in everything) and not any(map(reaches, everything))
    )
    best = best_of(family, group) if none_reaches or _is_small(family, group) else None
    return Known(
        family, row, others, now,
        None if wanted is None else standing(family, group, wanted, proved),
        named(in_use), home, best.values if best is not None and none_reaches else None, _defects(family, group, targets), file,
        group, name, best, listed, warnings,
    )  # fmt: skip


def _is_small(family: Family, group: Any) -> bool:
    """Whether a group is so small that the assignors which can be set are asked about it without being told to."""
    return all(count(group) <= SMALL for count in family.shape.sizes.values())


def best_of(family: Family, group: Any) -> Answer | None:
    """Return the best possible assignment of a group, what lasts before what a rebalance costs once; None where the family has no oracles."""
    known = family.oracles
    return known.optimum(f"{known.contract}{question(family)}", group, None) if known else None


def _defects(family: Family, group: Any, targets: Sequence[Target]) -> dict[str, list[Defect]]:
    """Return the grave defects that targets declare in situations which the group is in."""
    grave = {target.name: gravest(target.except_in) for target in targets}
    asked = {
        situation
        for target in targets
        for promise in grave[target.name]
        for term in target.except_in[promise]
        for situation in term.split(AND)
    }
    met = {name for name in asked if name in family.situations and family.situations[name](group)}
    return {
        target.name: [
            Defect(promise, SAYS[GRAVE[promise]], _when(family, terms))
            for promise in grave[target.name]
            if (terms := terms_met(met, target.except_in[promise]))
        ]
        for target in targets
    }


def _when(family: Family, terms: Collection[str]) -> str:
    """Write situations in the words of their docstrings."""
    return ", or ".join(
        " and ".join(_said(family, name) for name in term.split(AND)) for term in sorted(terms)
    )


def _said(family: Family, name: str) -> str:
    text = first_sentence(family.situations[name].__doc__)
    return f"{text[:1].lower()}{text[1:]}"
