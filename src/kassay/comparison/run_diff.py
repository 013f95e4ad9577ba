"""The changes between two runs of check, compare or sweep: worse, better, new or removed results.

Runs are compared by the records of `kassay check --json` and `kassay compare --json`, of which only some keys count.
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
from kassay.properties.runs import format_count

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
"""The name of a record's kind -> its type; records of other kinds are ignored."""


def _read_records(where: str, values: list[Any]) -> list[RunRecord]:
    """Return the records of known kinds; raise InputError with record and field if one is malformed."""
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
"""Outcome of a promise -> its severity; other outcomes are inconclusive."""


@dataclass(frozen=True, slots=True)
class Standing:
    """The result of a target in one question; a smaller `grave` is better, then a smaller `amount`."""

    grave: int | None
    """The severity, None if the run was inconclusive."""
    amount: Fraction
    of: Hashable
    """The number and the seeds of the groups; amounts are compared only if these are equal."""
    says: str


Standings: TypeAlias = Mapping[tuple[str, str], Standing]
"""(target, question) -> its result."""


@dataclass(frozen=True, slots=True)
class Change:
    """The change in one question about a target, with the result in both runs, "" in a run without the question."""

    change: str
    target: str
    question: str
    before: str = ""
    now: str = ""


def compute_changes(before: Standings, now: Standings) -> list[Change]:
    """Return a change for each question of either run: worse results first, otherwise in the order of the runs."""
    found = []
    for key in dict.fromkeys([*before, *now]):
        one, two = before.get(key), now.get(key)
        said = Change(_classify(one, two), *key, one.says if one else "", two.says if two else "")
        found.append(said)
    return sorted(found, key=lambda each: CHANGES.index(each.change))


def _classify(one: Standing | None, two: Standing | None) -> str:
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


def build_standing(bad: int, of: int, what: str, basis: Hashable, grave: int | None = 0) -> Standing:
    """Return the result of a target by the share of groups with a bad answer."""
    return Standing(
        grave,
        Fraction(bad, of) if of else Fraction(),
        (of, basis),
        f"{what} on {bad:,} of {format_count(of, 'group')}",
    )


def read_standings(where: str, records: list[Any]) -> Standings:
    """Read the output of `kassay check --json` or `kassay compare --json`; raise InputError for other input."""
    read = _read_records(where, records)
    seeds = {one.target: tuple(one.seeds or [one.seed]) for one in read if isinstance(one, TallyRecord)}
    found: dict[tuple[str, str], Standing] = {}
    for one in read:
        match one:
            case VerdictRecord():
                found[one.target, one.property] = _read_verdict(one, seeds.get(one.target))
            case DistanceRecord():
                found.update(_read_distance(one, seeds.get(one.target)))
            case SumsRecord():
                wrong = one.failed + one.illegal + one.unsettled
                found[one.target, "right"] = build_standing(wrong, one.groups, "wrong", None)
                for each in one.distances:
                    found |= {key: value for key, value in _read_distance(each, None) if key[1] != "right"}
            case ComparedRecord():
                found.update(_read_comparison(one))
            case TallyRecord():
                pass
    if not found:
        raise InputError(
            f"{where}: holds no run of check or compare. Give what they print with --json, or the folder of a sweep"
        )
    return found


def _read_verdict(one: VerdictRecord, seeds: Hashable) -> Standing:
    if one.outcome in {SKIPPED, ERRORED}:
        return Standing(None, Fraction(), None, f"{one.outcome}: {one.message}")
    grave = GRAVENESS[one.outcome]
    if not grave:  # the frequency of a design limit is a question of quality, which has its own records
        return Standing(0, Fraction(), None, one.outcome)
    return build_standing(one.breaches, one.judged, one.outcome, seeds, grave)


def _read_distance(one: DistanceRecord, basis: Hashable) -> Iterator[tuple[tuple[str, str], Standing]]:
    """Yield the share of groups with a wrong answer, and the share above the optimum, which excludes groups without a proven optimum."""
    yield (one.target, "right"), build_standing(one.wrong, one.groups, "wrong", basis)
    not_best = one.groups - one.compared + one.above - one.unproved
    yield (
        (one.target, one.level),
        build_standing(not_best, one.groups, "not the best possible", (basis, one.unproved)),
    )


def _read_comparison(one: ComparedRecord) -> Iterator[tuple[tuple[str, str], Standing]]:
    """Yield the results of a target on one group, whose name comes before each question."""
    right = one.failure is None and one.legal and one.at_rest
    why = "right" if right else one.failure or f"breaks {', '.join(one.broken)}"
    yield (one.target, f"{one.where}: right"), Standing(0 if right else 2, Fraction(), one.where, why)
    for gap in one.gaps:
        said = f"{gap.value:,}, where {gap.optimum:,} would do"
        yield (
            (one.target, f"{one.where}: {gap.level}"),
            Standing(0, Fraction(gap.value), (one.where, gap.optimum), said),
        )
