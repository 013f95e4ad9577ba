"""The changes between two runs of check, compare or sweep: what is worse, better, new or gone.

Runs are compared by the records that `kassay check --json` and `kassay compare --json` print. Records have further keys, which do not count here.
"""

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any, Literal, TypeAlias

import msgspec

from kassay.errors import InputError
from kassay.model.json_text import convert_json
from kassay.output.block import (
    BASELINE,
    BROKEN,
    ERRORED,
    KEPT,
    KNOWN_DEFECT,
    LIMIT,
    NOT_PROMISED,
    OUTCOMES,
    PASSES,
    SKIPPED,
)
from kassay.properties.runs import counted

Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]
Outcome: TypeAlias = Literal[OUTCOMES]  # type: ignore[valid-type]  # the outcomes stand in one tuple


class Record(msgspec.Struct, frozen=True):
    """The name of a record's kind."""

    record: str


class TallyRecord(msgspec.Struct, frozen=True):
    """The seeds of the groups on which a target was checked."""

    target: str
    seed: int
    seeds: list[int] | None = None


class VerdictRecord(msgspec.Struct, frozen=True):
    """The outcome of one promise of a target."""

    target: str
    property: str
    outcome: Outcome
    breaches: Count
    judged: Count
    message: str = ""


class DistanceRecord(msgspec.Struct, frozen=True):
    """The distance of a target from the optimum of one level."""

    target: str
    level: str
    groups: Count
    wrong: Count
    compared: Count
    above: Count
    unproved: Count


class SumsRecord(msgspec.Struct, frozen=True):
    """The sums of a target over many groups."""

    target: str
    groups: Count
    failed: Count
    illegal: Count
    unsettled: Count
    distances: list[DistanceRecord]


class GapRecord(msgspec.Struct, frozen=True):
    """The value of one level, and its optimum."""

    level: str
    value: int
    optimum: int


class ComparedRecord(msgspec.Struct, frozen=True):
    """The answer of a target to one group."""

    where: str
    target: str
    failure: str | None
    legal: bool
    broken: list[str]
    at_rest: bool
    gaps: list[GapRecord]


RunRecord: TypeAlias = TallyRecord | VerdictRecord | DistanceRecord | SumsRecord | ComparedRecord
KINDS: dict[str, type[RunRecord]] = {
    "tally": TallyRecord,
    "verdict": VerdictRecord,
    "distance": DistanceRecord,
    "sums": SumsRecord,
    "compared": ComparedRecord,
}
"""The name of a record's kind -> its type; records of other kinds do not count."""


def read_records(where: str, values: list[Any]) -> list[RunRecord]:
    """Return the records that count; raises InputError naming record and field if one is not as kassay prints it."""
    found = []
    for number, value in enumerate(values, 1):
        try:
            kind = KINDS.get(convert_json(value, Record).record)
            if kind is not None:
                found.append(convert_json(value, kind))
        except InputError as wrong:
            raise InputError(
                f"{where}: record {number} is not as kassay prints it: {wrong}. Run the command again with --json."
            ) from None
    return found


WORSE, BETTER, NEW, GONE, ALIKE = "worse", "better", "new", "gone", "alike"
UNTOLD, OTHER_GROUPS = "not told", "not compared"
CHANGES = (WORSE, UNTOLD, BETTER, NEW, GONE, OTHER_GROUPS, ALIKE)
GRAVENESS = {KEPT: 0, LIMIT: 0, PASSES: 0, NOT_PROMISED: 0, KNOWN_DEFECT: 1, BASELINE: 1, BROKEN: 2}
"""Outcome of a promise -> how bad it is; of what is not here a run could not tell."""


@dataclass(frozen=True, slots=True)
class Standing:
    """The standing of a target in one question: `grave` first, then `amount`, less is better; `grave` is None if a run could not tell.

    Amounts are compared if both are `of` the same: groups of the same number and seeds.
    """

    grave: int | None
    amount: Fraction
    of: Hashable
    says: str


Standings: TypeAlias = Mapping[tuple[str, str], Standing]
"""(target, question) -> how it stands."""


@dataclass(frozen=True, slots=True)
class Change:
    """The change in one question about a target, with the text of both runs; "" in a run that did not ask it."""

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
    """Return the standing of a target by the share of groups on which it does something wrong."""
    return Standing(
        grave,
        Fraction(bad, of) if of else Fraction(),
        (of, basis),
        f"{what} on {bad:,} of {counted(of, 'group')}",
    )


def standings(where: str, records: list[Any]) -> Standings:
    """Read what `kassay check --json` or `kassay compare --json` printed; raises InputError where it is neither's."""
    read = read_records(where, records)
    seeds = {one.target: tuple(one.seeds or [one.seed]) for one in read if isinstance(one, TallyRecord)}
    found: dict[tuple[str, str], Standing] = {}
    for one in read:
        match one:
            case VerdictRecord():
                found[one.target, one.property] = _find_standing(one, seeds.get(one.target))
            case DistanceRecord():
                found.update(_distance(one, seeds.get(one.target)))
            case SumsRecord():
                wrong = one.failed + one.illegal + one.unsettled
                found[one.target, "right"] = share(wrong, one.groups, "wrong", None)
                for each in one.distances:
                    found |= {key: value for key, value in _distance(each, None) if key[1] != "right"}
            case ComparedRecord():
                found.update(_compared(one))
            case TallyRecord():
                pass
    if not found:
        raise InputError(
            f"{where}: holds no run of check or compare; give what they print with --json, or the folder of a sweep"
        )
    return found


def _find_standing(one: VerdictRecord, seeds: Hashable) -> Standing:
    if one.outcome in {SKIPPED, ERRORED}:
        return Standing(None, Fraction(), None, f"{one.outcome}: {one.message}")
    grave = GRAVENESS[one.outcome]
    if not grave:  # how often a limit shows says how good answers are, which is asked by itself
        return Standing(0, Fraction(), None, one.outcome)
    return share(one.breaches, one.judged, one.outcome, seeds, grave)


def _distance(one: DistanceRecord, basis: Hashable) -> Iterator[tuple[tuple[str, str], Standing]]:
    """Yield how often an answer is not right, and how often not at the optimum: where none is proved, that is not told."""
    yield (one.target, "right"), share(one.wrong, one.groups, "wrong", basis)
    not_best = one.groups - one.compared + one.above - one.unproved
    yield (
        (one.target, one.level),
        share(not_best, one.groups, "not the best possible", (basis, one.unproved)),
    )


def _compared(one: ComparedRecord) -> Iterator[tuple[tuple[str, str], Standing]]:
    """Yield the standings of a target on one group, which is named before each question."""
    right = one.failure is None and one.legal and one.at_rest
    why = "right" if right else one.failure or f"breaks {', '.join(one.broken)}"
    yield (one.target, f"{one.where}: right"), Standing(0 if right else 2, Fraction(), one.where, why)
    for gap in one.gaps:
        said = f"{gap.value:,}, where {gap.optimum:,} would do"
        yield (
            (one.target, f"{one.where}: {gap.level}"),
            Standing(0, Fraction(gap.value), (one.where, gap.optimum), said),
        )
