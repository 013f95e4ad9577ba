"""What changed between two runs of check, compare or sweep: what is worse, better, new or gone."""

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

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
)
from kassay.errors import InputError
from kassay.properties.words import counted

WORSE, BETTER, NEW, GONE, ALIKE = "worse", "better", "new", "gone", "alike"
UNTOLD, OTHER_GROUPS = "not told", "not compared"
CHANGES = (WORSE, UNTOLD, BETTER, NEW, GONE, OTHER_GROUPS, ALIKE)
GRAVENESS = {KEPT: 0, LIMIT: 0, PASSES: 0, NOT_PROMISED: 0, KNOWN_DEFECT: 1, BASELINE: 1, BROKEN: 2}
"""Outcome of a promise -> how bad it is; of what is not here a run could not tell."""


@dataclass(frozen=True, slots=True)
class Standing:
    """How a target does in one question: `grave` first, then `amount`, less is better; `grave` is None where a run could not tell.

    Amounts are compared where both are `of` the same: groups of the same number and seeds.
    """

    grave: int | None
    amount: Fraction
    of: Hashable
    says: str


Standings: TypeAlias = Mapping[tuple[str, str], Standing]
"""(target, question) -> how it stands."""


@dataclass(frozen=True, slots=True)
class Change:
    """What became of one question about a target; what was said of it before and is said now, "" where it was not asked."""

    change: str
    target: str
    question: str
    before: str = ""
    now: str = ""


def changes(before: Standings, now: Standings) -> list[Change]:
    """Return a change for each question of either run, the worse ones first, in the order of the runs otherwise."""
    found = []
    for key in dict.fromkeys([*before, *now]):
        one, two = before.get(key), now.get(key)
        said = Change(_change(one, two), *key, one.says if one else "", two.says if two else "")
        found.append(said)
    return sorted(found, key=lambda each: CHANGES.index(each.change))


def _change(one: Standing | None, two: Standing | None) -> str:
    if two is None:
        return GONE
    if one is None or (one.grave is None and two.grave is not None):
        return NEW
    if two.grave is None or one.grave is None:
        return ALIKE if one.grave is None else UNTOLD
    if one.grave != two.grave:
        return WORSE if two.grave > one.grave else BETTER
    if one.of != two.of:
        return OTHER_GROUPS
    return ALIKE if one.amount == two.amount else WORSE if two.amount > one.amount else BETTER


def share(bad: int, of: int, what: str, basis: Hashable, grave: int | None = 0) -> Standing:
    """Return how a target stands by the groups, of so many, on which it does something wrong."""
    return Standing(
        grave,
        Fraction(bad, of) if of else Fraction(),
        (of, basis),
        f"{what} on {bad:,} of {counted(of, 'group')}",
    )


def standings(where: str, records: list[Any]) -> Standings:
    """Read what `kassay check --json` or `kassay compare --json` printed; raises InputError where it is neither's."""
    found: dict[tuple[str, str], Standing] = {}
    try:
        seeds = {one["target"]: _seeds(one) for one in records if one["record"] == "tally"}
        for one in records:
            if one["record"] == "verdict":
                found[one["target"], one["property"]] = _verdict(one, seeds.get(one["target"]))
            elif one["record"] == "distance":
                found.update(_distance(one, seeds.get(one["target"])))
            elif one["record"] == "sums":
                found.update(_sums(one))
            elif one["record"] == "compared":
                found.update(_compared(one))
    except (TypeError, KeyError, AttributeError) as wrong:
        raise InputError(
            f"{where}: a record is not as kassay prints it ({wrong!r}); run the command again with --json"
        ) from None
    if not found:
        raise InputError(
            f"{where}: holds no run of check or compare; give what they print with --json, or the folder of a sweep"
        )
    return found


def _seeds(tally: Mapping[str, Any]) -> Hashable:
    return tuple(tally.get("seeds", [tally["seed"]]))


def _verdict(one: Mapping[str, Any], seeds: Hashable) -> Standing:
    outcome, bad, of = one["outcome"], one["breaches"], one["judged"]
    if outcome in {SKIPPED, ERRORED}:
        return Standing(None, Fraction(), None, f"{outcome}: {one['message']}")
    grave = GRAVENESS[outcome]
    if not grave:  # how often a limit shows says how good answers are, which is asked by itself
        return Standing(0, Fraction(), None, outcome)
    return share(bad, of, outcome, seeds, grave)


def _distance(one: Mapping[str, Any], basis: Hashable) -> Iterator[tuple[tuple[str, str], Standing]]:
    """Yield how often an answer is not right, and how often not at the optimum: where none is proved, that is not told."""
    groups = one["groups"]
    yield (one["target"], "right"), share(one["wrong"], groups, "wrong", basis)
    not_best = groups - one["compared"] + one["above"] - one["unproved"]
    yield (
        (one["target"], one["level"]),
        share(not_best, groups, "not the best possible", (basis, one["unproved"])),
    )


def _sums(one: Mapping[str, Any]) -> Iterator[tuple[tuple[str, str], Standing]]:
    groups = one["groups"]
    yield (
        (one["target"], "right"),
        share(one["failed"] + one["illegal"] + one["unsettled"], groups, "wrong", None),
    )
    for each in one["distances"]:
        yield from ((key, value) for key, value in _distance(each, None) if key[1] != "right")


def _compared(one: Mapping[str, Any]) -> Iterator[tuple[tuple[str, str], Standing]]:
    """Yield how a target does on one group, named before each question."""
    of, right = one["where"], one["failure"] is None and one["legal"] and one["at_rest"]
    why = one["failure"] or f"breaks {', '.join(one['broken'])}" if not right else "right"
    yield (one["target"], f"{of}: right"), Standing(0 if right else 2, Fraction(), of, str(why))
    for gap in one["gaps"]:
        said = f"{gap['value']:,}, where {gap['optimum']:,} would do"
        yield (
            (one["target"], f"{of}: {gap['level']}"),
            Standing(0, Fraction(gap["value"]), (of, gap["optimum"]), said),
        )
