"""Pair two targets' answers to the same groups of a sweep, and count their differences exactly, wave by wave."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.dataset as ds

from kassay.errors import InputError
from kassay.family import Where
from kassay.reports.sweep.manifest import Run, wave_folder
from kassay.reports.sweep.rows import LEGAL, REBALANCES
from kassay.reports.sweep.rows import field as field_of
from kassay.reports.sweep.wave_parts import refuse_doubles, verified_waves

UNANSWERED = "without a right answer"
Whole = npt.NDArray[np.int64]


@dataclass
class Differences:
    """The differences of two targets in one thing, target less reference: how many groups have each.

    `alone` are groups that only the target, and only the reference, have a value for, `neither` those without any: they
    are in no pair.
    """

    counts: Counter[int] = field(default_factory=Counter)
    target: int = 0
    reference: int = 0
    alone: tuple[int, int] = (0, 0)
    neither: int = 0


@dataclass(frozen=True, slots=True)
class Furthest:
    """The greatest gap of a target in a level, over all rows, and the row that has it: id, step, value and optimum."""

    gap: int
    id: int
    step: int
    value: int
    optimum: int


@dataclass
class Counted:
    """What was read of a sweep: differences by target and name, and of all rows their statuses by target.

    By target and level: how many rows have a gap, and the furthest of them. `waves` is how many waves were read.
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

    `of` are things that are compared with the reference on some groups only: name -> which thing, and the groups; all others are compared on all.
    Raises InputError where no wave is complete, or one is not as it was written.
    """
    waves = verified_waves(folder, run)
    if not waves:
        raise InputError(f"{folder}: no wave is complete yet; go on with `kassay sweep` and compare then")
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
            _furthest(result, run, target, parts[target])
            if reference is not None and target != reference:
                _pair(result, run, target, parts[target], parts[reference], of or {})
    return result


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
            f"{place}: cannot be read ({said}); remove it and run `kassay sweep` again"
        ) from None


def _furthest(result: Counted, run: Run, target: str, rows: pa.Table) -> None:
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


def _pair(
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
    mine, theirs = _values(run, own), _values(run, other)
    for name, (thing, where) in ({name: (name, Where()) for name in mine} | dict(of)).items():
        kept = _meant(own, where) if where.within or where.outside else slice(None)
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


def _meant(rows: pa.Table, where: Where) -> npt.NDArray[np.bool_]:
    """Say of each row whether its group is one of those that are meant."""
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


def _values(run: Run, rows: pa.Table) -> dict[str, Reals]:
    """Return the values of rows: nan where the answer is not complete and legal. They are below 2^53, so nothing is lost."""
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
