"""The facts of one group for its advice, and the severe known defects of targets with their smallest groups and the way out."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kassay.comparison.facts import Defect, Facts, resolve_assignor_name, with_rows
from kassay.comparison.headline import question, reaches
from kassay.comparison.measured import Measured, compared, standing
from kassay.comparison.ranking import dominance_of
from kassay.comparison.strategies import WORK, play_restart
from kassay.engine.finding import Finding
from kassay.engine.promises import AND, terms_met
from kassay.families import family
from kassay.families.words import SEVERITIES, does, gravest, plainest_first, severity, way_out, when
from kassay.family import Family
from kassay.oracles.answers import Answer, Optima
from kassay.output.block import KNOWN_DEFECT
from kassay.reference.releases import behaviours
from kassay.targets.reference import open_reference
from kassay.targets.target import Target

SMALL = 10_000
"""The most members, partitions and the like of a group about which all settable assignors are asked; that takes some seconds."""


def gather_facts(
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
    has: Collection[str] | None = None,
    strategy: str = "",
    labels: Mapping[str, str] | None = None,
    restarts: int = WORK,
    solve: bool = True,
) -> Facts:
    """Return everything that is known about a group that was compared; and a rolling restart of groups up to the size `restarts`.

    `wanted` is the target assignment of its coordinator, `has` are the strategies that its clients have. See :class:`Facts`.
    """
    proved = family.oracles.optima(group) if family.oracles else None
    asked = {resolve_assignor_name(target.name) for target in targets}
    more = (
        [
            open_reference(name)
            for name in family.settable
            if name not in asked and (has is None or name in has)
        ]
        if _is_small(family, group)
        else []
    )
    others = compared(more, family, [group])[0] if more else []
    targets, row = [*targets, *more], [*row]
    everything = [*row, *others]
    none_reaches = (
        proved is not None and any(one.gaps for one in everything) and not any(map(reaches, everything))
    )
    best = best_of(family, group, proved) if none_reaches or _is_small(family, group) else None
    return with_rows(
        Facts(
            family, row, others, now,
            None if wanted is None else standing(family, group, wanted, proved),
            resolve_assignor_name(in_use), home, best.values if best is not None and none_reaches else None,
            _defects(family, group, targets), file, group, name, best, listed, warnings, dominance_of(family, group, everything),
            rolling=play_restart(family, group, targets, solve=solve, work=restarts), has=has, strategy=strategy, labels=labels or {},
        )
    )  # fmt: skip


def _is_small(family: Family, group: Any) -> bool:
    """Return True if a group is so small that all settable assignors are asked about it, not only the named ones."""
    return all(count(group) <= SMALL for count in family.shape.sizes.values())


def best_of(family: Family, group: Any, proved: Optima | None = None) -> Answer | None:
    """Return the optimal assignment of a group, lasting objectives before costs of a rebalance; None if the family has no oracles.

    `proved` are the optima of its levels, which say what is compared; by default they are computed.
    """
    known = family.oracles
    if known is None:
        return None
    compared_in = (proved or known.optima(group)).least
    return known.optimum(f"{known.contract}{question(family, compared_in)}", group, None)


def _defects(family: Family, group: Any, targets: Sequence[Target]) -> dict[str, list[Defect]]:
    """Return the severe defects that targets declare for situations of the group."""
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
            Defect(
                promise,
                SEVERITIES[severity(promise)],
                ", or ".join(when(family, term) for term in plainest_first(terms)),
            )
            for promise in grave[target.name]
            if (terms := terms_met(met, target.except_in[promise]))
        ]
        for target in targets
    }


@dataclass(frozen=True, slots=True)
class GraveDefect:
    """A severe known defect of a target, with the smallest group that shows it."""

    target: str
    property: str
    graveness: str
    """One of SEVERITIES."""
    does: str
    when: str
    way_out: str
    """What a user does to avoid it, "" if that is not known."""
    releases: str
    """The releases of Kafka that have it, "" if the target is not one of Kafka's."""
    groups: int
    """The number of groups on which it was seen."""
    sizes: dict[str, int]
    """The sizes of the smallest group, which `finding` has."""
    finding: Finding

    def json(self) -> dict[str, Any]:
        """Make the JSON of it; the finding has a record of its own."""
        return {
            "record": "grave defect",
            **{name: getattr(self, name) for name in self.__dataclass_fields__ if name != "finding"},
        }


def grave_defects(findings: Sequence[Finding]) -> list[GraveDefect]:
    """Return the severe known defects among findings, by target, the most severe first; of one promise the plainest cause first."""
    grave = [one for one in findings if one.outcome == KNOWN_DEFECT and severity(one.property)]
    targets = list(dict.fromkeys(one.target for one in grave))
    order = gravest({one.property for one in grave})
    plain = plainest_first({_term(one) for one in grave})
    found = []
    for one in sorted(
        grave,
        key=lambda one: (
            targets.index(one.target), order.index(one.property), plain.index(_term(one)), -one.count,
        ),
    ):  # fmt: skip
        of, term = family(one.family), _term(one)
        sizes = {name: count(one.group) for name, count in of.shape.sizes.items()}
        found.append(GraveDefect(
            one.target, one.property, severity(one.property), does(of, one.property), when(of, term), way_out(term),
            releases(one.target), one.count, sizes, one,
        ))  # fmt: skip
    return found


def _term(finding: Finding) -> str:
    return plainest_first(finding.met)[0]


def releases(target: str) -> str:
    """Return the releases of Kafka that behave as a target does: a reference, one of a release, or Kafka's class of one; "" for others."""
    if target.startswith("kafka:"):
        release, _, name = target.removeprefix("kafka:").partition("#")
    else:
        name, _, release = target.partition("@")
    known = behaviours(name)
    return next((str(one) for one in known[::-1] if not release or release in one.releases), "")
