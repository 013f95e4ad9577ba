"""The rows of a sweep as a flat DataFrame, and the results of its targets."""

from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from kassay.comparison.run_diff import GRAVENESS, Standing, Standings, build_standing
from kassay.errors import InputError
from kassay.output.block import BROKEN, KEPT, KNOWN_DEFECT
from kassay.reports.sweep.folder import verify_waves
from kassay.reports.sweep.manifest import Run, read_run, wave_folder
from kassay.reports.sweep.rows import CRASH_FREE, FAILED, LEGAL, field, fields, select_columns

WITHIN = {"size": "{}", "measures": "{}", "optima": "{}_optimum", "values": "{}_value"}
"""Column with fields -> the names of the flat columns."""
TYPES = {pa.int64(): pd.Int64Dtype(), pa.int32(): pd.Int32Dtype(), pa.bool_(): pd.BooleanDtype()}
"""Whole numbers stay whole numbers, even if some are missing."""


@dataclass(frozen=True, slots=True)
class Sweep:
    """A sweep: its settings, the complete waves, and a row for each answer of each target.

    `rows` has the columns of docs/guides/sweep.md, with `cell` by name, a column for each size of the group (`members`, `topics`,
    `partitions`), and a column for each measure. Each objective, such as balance, has `balance_value`, `balance_optimum` and
    `balance_gap`, which are null without a right answer or a proven optimum.
    """

    run: Run
    waves: tuple[int, ...]
    rows: pd.DataFrame

    def gaps(self, level: str) -> pd.DataFrame:
        """Return target, gap and rows: the number of groups as drawn by the gap of each target, which may be null.

        The plots of kassay.reports.figures.gaps draw it. Raises InputError if the sweep has no such level.
        """
        if level not in self.run.levels:
            raise InputError(
                f"level: there is no {level!r} in the sweep. It has {', '.join(self.run.levels)}."
            )
        first = self.rows[self.rows["step"] == 0]
        column = f"{field(level)}_gap"
        counted = first.groupby(["target", column], dropna=False).size().reset_index(name="rows")
        return counted.rename(columns={column: "gap"})

    def answers(self) -> pd.DataFrame:
        """Return a row for each target: the groups as drawn, the right answers, and the answers at the optimum of each level."""
        first = self.rows[self.rows["step"] == 0]
        right = first["status"].isin(LEGAL)
        table = {
            "groups": right.groupby(first["target"]).size(),
            "right": right.groupby(first["target"]).sum(),
        }
        for level in self.run.levels:
            best = (first[f"{field(level)}_gap"] == 0).fillna(value=False)
            table[f"{field(level)}_best"] = best.groupby(first["target"]).sum()
        return pd.DataFrame(table).reindex(self.run.names).astype(int).rename_axis("target").reset_index()


def read_sweep(folder: str | Path, *, trust: bool = False) -> Sweep:
    """Read the folder of a sweep; raises InputError if it is not a sweep, no wave is complete, or a part was changed.

    With `trust` it may name families that kassay does not register.
    """
    place = Path(folder)
    run = read_run(place, trust=trust)
    waves = verify_waves(place, run)
    if not waves:
        raise InputError(f"{place}: no wave is complete yet. Run the same `kassay sweep` again to continue.")
    parts = [part for wave in waves for part in sorted(wave_folder(place, run, wave).glob("*.parquet"))]
    names = [column.name for column in select_columns(run)]
    table = pa.concat_tables(pq.ParquetFile(part).read(columns=names) for part in parts)
    plain: dict[str, Any] = {}
    for column in select_columns(run):
        whole = table[column.name].combine_chunks()
        if column.type == "struct":
            names_within = [WITHIN[column.name].format(name) for name in fields(column.name, run)]
            plain |= dict(zip(names_within, whole.flatten(), strict=True))
        else:
            plain[column.name] = whole
    unknown = sorted({*run.names} ^ {*plain["target"].unique().to_pylist()})
    if unknown:
        raise InputError(
            f"{place}: run.json and the rows differ in the target {unknown[0]}. Take the folder as kassay wrote it."
        )
    cells = pd.Series([cell.name for cell in run.cells])
    rows = pa.table(plain).to_pandas(types_mapper=TYPES.get)
    rows["cell"] = rows["cell"].map(cells)
    for level in map(field, run.levels):
        rows[f"{level}_gap"] = (rows[f"{level}_value"] - rows[f"{level}_optimum"]).clip(lower=0)
    order = {name: at for at, name in enumerate(run.names)}
    by = rows[["id", "target", "step"]].assign(target=rows["target"].map(order))
    return Sweep(
        run, tuple(waves), rows.loc[by.sort_values(["id", "target", "step"]).index].reset_index(drop=True)
    )


def sweep_standings(sweep: Sweep) -> Standings:
    """Return the results of each target: the shares of wrong and of not optimal answers, and the outcome of each promise."""
    run, basis = sweep.run, (sweep.run.seeds, sweep.run.cells, sweep.waves)
    found: dict[tuple[str, str], Standing] = {}
    for each in sweep.answers().to_dict("records"):
        target, groups = str(each["target"]), int(each["groups"])
        found[target, "right"] = build_standing(groups - int(each["right"]), groups, "wrong", basis)
        for level in run.levels:
            not_best = groups - int(each[f"{field(level)}_best"])
            found[target, level] = build_standing(not_best, groups, "not the best possible", basis)
    for spec in run.targets:
        rows = sweep.rows[sweep.rows["target"] == spec.target]
        broken = Counter(rows["invariants_broken"].explode()) + Counter(rows["laws_broken"].explode())
        broken[CRASH_FREE] = int(
            rows["status"].isin(FAILED).sum()
        )  # also on rows without any metamorphic property
        known = Counter(rows["known_defects"].explode())
        for name in spec.promises:
            new = broken[name] - known[name]
            outcome = BROKEN if new else KNOWN_DEFECT if known[name] and name not in spec.limits else KEPT
            bad = new or (known[name] if outcome == KNOWN_DEFECT else 0)
            told = build_standing(bad, len(rows), outcome, basis, GRAVENESS[outcome])
            found[spec.target, name] = told if bad else replace(told, says=outcome)
    return found
