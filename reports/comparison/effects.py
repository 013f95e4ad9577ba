"""Effects: the differences of a target to a reference on the same groups, with intervals and statistical tests.

Differences are counted exactly, wave by wave. Intervals are for the mean of skewed whole numbers.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.dataset as ds

from kassay.comparison.measured import Measured
from kassay.errors import InputError
from kassay.families.family import Where
from kassay.reports.statistics import (
    FEWEST,
    apply_holm,
    compute_mean_interval,
    compute_moments,
    compute_p_value,
    compute_sign_p_value,
)
from kassay.reports.sweep.folder import refuse_doubles, verify_waves
from kassay.reports.sweep.manifest import Run, wave_folder
from kassay.reports.sweep.rows import LEGAL, REBALANCES
from kassay.reports.sweep.rows import field as field_of

UNANSWERED = "without a right answer"
Whole = npt.NDArray[np.int64]


@dataclass
class Differences:
    """The differences of two targets in one measure, target minus reference: how many groups have each."""

    counts: Counter[int] = field(default_factory=Counter)
    target: int = 0
    """The sum of the target's values."""
    reference: int = 0
    alone: tuple[int, int] = (0, 0)
    """Groups with a value of only the target, and of only the reference."""
    neither: int = 0
    """Groups without a value."""


@dataclass(frozen=True, slots=True)
class Furthest:
    """The greatest gap of a target in a level, over all rows, with its row: id, step, value and optimum."""

    gap: int
    id: int
    step: int
    value: int
    optimum: int


@dataclass
class Counted:
    """The counts of a sweep: differences by target and name, statuses of all rows by target, and the number of waves.

    By target and level: the number of rows with a gap, and the row with the greatest gap.
    """

    reference: str | None
    differences: dict[tuple[str, str], Differences] = field(default_factory=dict)
    statuses: dict[str, Counter[str]] = field(default_factory=dict)
    compared: Counter[tuple[str, str]] = field(default_factory=Counter)
    furthest: dict[tuple[str, str], Furthest] = field(default_factory=dict)
    waves: int = 0


def count_pairs(
    folder: Path,
    run: Run,
    targets: Sequence[str],
    reference: str | None,
    of: Mapping[str, tuple[str, Where]] | None = None,
) -> Counted:
    """Read the complete waves: differences at step 0 to the reference, and gaps at all steps.

    `of` are measures that are compared on some groups only: name -> measure and groups; all others are compared on all groups.
    Raises InputError if no wave is complete, or if one was changed.
    """
    waves = verify_waves(folder, run)
    if not waves:
        raise InputError(f"{folder}: no wave is complete yet. Continue with `kassay sweep`, then compare.")
    result = Counted(reference, statuses={target: Counter() for target in targets}, waves=len(waves))
    for wave in waves:
        rows = _read(
            wave_folder(folder, run, wave), run, [*targets, *([reference] if reference else [])], bool(of)
        )
        refuse_doubles(wave_folder(folder, run, wave), rows)
        parts = {
            target: rows.filter(pa.compute.equal(rows["target"], target))
            for target in {*targets, reference} - {None}
        }
        for target in targets:
            result.statuses[target].update(parts[target]["status"].to_pylist())
            _update_furthest(result, run, target, parts[target])
            if reference is not None and target != reference:
                _count_differences(result, run, target, parts[target], parts[reference], of or {})
    return result


def count_measured(rows: Sequence[Sequence[Measured]], targets: Sequence[str], reference: str) -> Counted:
    """Count the differences to a reference on measured groups: rows of all targets, one for each group.

    Only correct answers have values. Objectives have the name of their level, measures also `(measure)`.
    """
    result = Counted(reference)
    values = [{one.target: _list_values(one) for one in row} for row in rows]
    names = dict.fromkeys(name for row in values for known in row.values() for name in known)
    for target in targets:
        for name in names:
            found = result.differences[target, name] = Differences()
            for row in values:
                one, other = row[target].get(name), row[reference].get(name)
                if one is not None and other is not None:
                    found.counts[one - other] += 1
                    found.target += one
                    found.reference += other
                else:
                    alone, other_alone = found.alone
                    found.alone = (alone + (one is not None), other_alone + (other is not None))
                    found.neither += one is None and other is None
    return result


def _list_values(one: Measured) -> dict[str, int]:
    values = {UNANSWERED: int(not one.legal)}
    if one.legal:
        values |= {gap.level: gap.value for gap in one.gaps}
        values |= {f"{name} (measure)": value for name, value in one.measures.items()}
    return values


def _read(place: Path, run: Run, targets: Sequence[str], situations: bool) -> pa.Table:
    levels = [field_of(level) for level in run.levels]
    columns = {name: ds.field(name) for name in ("id", "step", "target", "status", REBALANCES)}
    columns |= {f"value {level}": ds.field("values", level) for level in levels}
    columns |= {f"optimum {level}": ds.field("optima", level) for level in levels}
    columns |= {f"measure {name}": ds.field("measures", name) for name in run.measures}
    columns |= {"situations": ds.field("situations")} if situations else {}
    try:
        return ds.dataset(place, format="parquet").to_table(columns, filter=ds.field("target").isin(targets))
    except (pa.ArrowException, OSError) as wrong:
        said = " ".join(str(wrong).split())
        raise InputError(
            f"{place}: cannot be read ({said}). Remove it and run `kassay sweep` again."
        ) from None


def _update_furthest(result: Counted, run: Run, target: str, rows: pa.Table) -> None:
    for level in run.levels:
        legal = rows.filter(rows[f"value {field_of(level)}"].is_valid())
        result.compared[target, level] += legal.num_rows
        if not legal.num_rows:
            continue
        value, optimum, id_, step = (
            legal[name].to_numpy()
            for name in (f"value {field_of(level)}", f"optimum {field_of(level)}", "id", "step")
        )
        gap = np.maximum(value - optimum, 0)
        at = int(np.lexsort((step, id_, -gap))[0])
        one = Furthest(int(gap[at]), int(id_[at]), int(step[at]), int(value[at]), int(optimum[at]))
        known = result.furthest.get((target, level))
        if known is None or (-one.gap, one.id, one.step) < (-known.gap, known.id, known.step):
            result.furthest[target, level] = one


Reals = npt.NDArray[np.float64]


def _count_differences(
    result: Counted,
    run: Run,
    target: str,
    own: pa.Table,
    other: pa.Table,
    of: Mapping[str, tuple[str, Where]],
) -> None:
    own, other = _first_rows(own), _first_rows(other)
    _, here, there = np.intersect1d(own["id"].to_numpy(), other["id"].to_numpy(), True, True)
    own, other = own.take(here), other.take(there)
    mine, theirs = _read_values(run, own), _read_values(run, other)
    for name, (thing, where) in ({name: (name, Where()) for name in mine} | dict(of)).items():
        kept = _select_groups(own, where) if where.within or where.outside else slice(None)
        one, two = mine[thing][kept], theirs[thing][kept]
        known = result.differences.setdefault((target, name), Differences())
        has, other_has = ~np.isnan(one), ~np.isnan(two)
        both = has & other_has
        first, second = one[both].astype(np.int64), two[both].astype(np.int64)
        values, counts = np.unique(first - second, return_counts=True)
        known.counts.update(dict(zip(values.tolist(), counts.tolist(), strict=True)))
        known.target += int(first.sum())
        known.reference += int(second.sum())
        alone, other_alone = int((has & ~other_has).sum()), int((~has & other_has).sum())
        known.alone = (known.alone[0] + alone, known.alone[1] + other_alone)
        known.neither += int((~has & ~other_has).sum())


def _first_rows(rows: pa.Table) -> pa.Table:
    return rows.filter(pa.compute.equal(rows["step"], 0)).sort_by("id")


def _select_groups(rows: pa.Table, where: Where) -> npt.NDArray[np.bool_]:
    """Return for each row whether its group is in `where`."""
    lists = rows["situations"].combine_chunks()
    row, name = (
        part.to_numpy(zero_copy_only=False) for part in (lists.value_parent_indices(), lists.flatten())
    )
    held = {
        each: np.bincount(row[name == each], minlength=len(rows)) > 0
        for each in (*where.within, *where.outside)
    }
    kept = np.ones(len(rows), bool)
    for each in where.within:
        kept &= held[each]
    for each in where.outside:
        kept &= ~held[each]
    return kept


def _read_values(run: Run, rows: pa.Table) -> dict[str, Reals]:
    """Return the values of rows, nan without a complete and legal answer. They are below 2^53, so floats are exact."""
    legal = pa.compute.is_in(rows["status"], pa.array(LEGAL)).to_numpy()
    names = {level: f"value {field_of(level)}" for level in run.levels}
    names |= {f"{measure} (measure)": f"measure {measure}" for measure in run.measures}
    names[REBALANCES] = REBALANCES
    values = {UNANSWERED: (~legal).astype(float)}
    for name, column in names.items():
        values[name] = np.where(legal, rows[column].cast(pa.float64()).to_numpy(), np.nan)
    for level in run.levels:
        optimum = rows[f"optimum {field_of(level)}"].cast(pa.float64()).to_numpy()
        values[f"{level} (gap)"] = np.maximum(values[level] - optimum, 0)
    return values


CHANCE = 0.05
_MEAN, _SIGNS = "mean", "signs"

LOWER, HIGHER, ALIKE, EQUAL, NOTHING = "lower", "higher", "not distinguishable", "equal", "not compared"


@dataclass(frozen=True, slots=True)
class Effect:
    """The difference of a target to a reference in one measure, target minus reference, over the groups with both values."""

    target: str
    reference: str
    name: str
    pairs: int
    """The number of compared groups."""
    unpaired: int
    """Groups with a value of only one of the two."""
    means: tuple[float, float]
    difference: float
    """The mean difference."""
    interval: tuple[float, float] | None
    """The 95 % interval of the mean difference, or None if too few groups differ."""
    lower: int
    higher: int
    superiority: float
    """The probability that the target has the lower value; ties count half."""
    standardized: float | None
    """The mean difference divided by the standard deviation of the differences (Cohen's d for pairs); None if that is 0."""
    p: float
    """The p-value of the mean difference, corrected by Holm over all measures and both tests."""
    verdict: str
    """The claim on the mean: lower, higher, not distinguishable, equal (in every pair) or not compared."""
    sign_p: float
    """The p-value of the numbers of lower and higher groups (sign test), corrected in the same way."""
    sign_verdict: str
    """The claim on the numbers of groups, in the same words."""
    groups: int
    """The number of all groups."""


def compute_effects(found: Counted, target: str, names: Sequence[str]) -> list[Effect]:
    """Return the effect of each measure.

    Means and numbers of groups are different claims, so each has a test of its own. All p-values are corrected together.
    """
    known = {name: found.differences.get((target, name), Differences()) for name in names}
    chances = {}
    for name, each in known.items():
        less, greater = _count_signs(each)
        if each.counts:
            chances[name, _SIGNS] = compute_sign_p_value(less, greater)
        if less + greater >= FEWEST:
            chances[name, _MEAN] = compute_p_value(compute_moments(each.counts))
    corrected = apply_holm(chances)
    effects = []
    for name, each in known.items():
        of_signs = corrected.get((name, _SIGNS), 1.0)
        of_mean = corrected.get((name, _MEAN), of_signs)  # too few groups for a test of the mean
        effects.append(_compute_effect(target, str(found.reference), name, each, of_mean, of_signs))
    return effects


def _count_signs(each: Differences) -> tuple[int, int]:
    return (
        sum(count for value, count in each.counts.items() if value < 0),
        sum(count for value, count in each.counts.items() if value > 0),
    )


def _compute_effect(
    target: str, reference: str, name: str, each: Differences, of_mean: float, of_signs: float
) -> Effect:
    pairs = sum(each.counts.values())
    groups = pairs + sum(each.alone) + each.neither
    less, greater = _count_signs(each)
    if not pairs:
        return Effect(
            target, reference, name, 0, sum(each.alone), (0.0, 0.0), 0.0, None, 0, 0, 0.5, None, 1.0, NOTHING, 1.0, NOTHING,
            groups,
        )  # fmt: skip
    found = compute_moments(each.counts)
    enough = less + greater >= FEWEST
    by_number = _judge(less - greater, of_signs) if less + greater else EQUAL
    return Effect(
        target, reference, name, pairs, sum(each.alone), (each.target / pairs, each.reference / pairs), found.mean,
        compute_mean_interval(found) if enough else None, less, greater,
        (less + (pairs - less - greater) / 2) / pairs, found.mean / found.deviation if found.deviation else None,
        of_mean, _judge(-found.mean, of_mean) if enough else by_number, of_signs, by_number, groups,
    )  # fmt: skip


def _judge(advantage: float, chance: float) -> str:
    """Return what a test says of a target; a positive advantage means lower values."""
    if chance > CHANCE:
        return ALIKE
    return LOWER if advantage > 0 else HIGHER


def decide(effect: Effect) -> str:
    """Return the claim on the mean, or the claim on the numbers of groups if the means are not distinguishable."""
    return effect.sign_verdict if effect.verdict == ALIKE else effect.verdict
