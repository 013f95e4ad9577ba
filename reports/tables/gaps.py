"""Gaps: how far right answers are from the exact optimum, over all groups and in each situation.

And performance profiles (Dolan and Moré, Math. Program. 91, 2002): how often each target is how near to the best of them.

Exact statistics of histograms: a value and the rows that have it.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from kassay.families import family
from kassay.reports.sweep.manifest import Run
from kassay.reports.tables.summaries import Summaries
from kassay.reports.tables.table import SHARE, TENTHS, Table

Whole = npt.NDArray[np.int64]


def summed(frame: pd.DataFrame, keys: Sequence[str]) -> pd.DataFrame:
    """Add up the rows of each key, sorted by the keys; a key may be null."""
    return frame.groupby(list(keys), sort=True, dropna=False)["rows"].sum().reset_index()


def in_order(frame: pd.DataFrame, by: Sequence[str], run: Run) -> pd.DataFrame:
    """Sort by columns, targets and levels in the order of the run."""
    orders = {"target": run.names, "level": list(run.levels)}

    def rank(column: "pd.Series[Any]") -> "pd.Series[Any]":
        known = orders.get(str(column.name))
        return column.map({name: n for n, name in enumerate(known)}) if known else column

    return frame.sort_values(list(by), key=rank, kind="stable", ignore_index=True)


def merged(frame: pd.DataFrame, value: str) -> tuple[Whole, Whole]:
    """Return the distinct values in ascending order, and how many rows have each; those without a value are left out."""
    rows = frame.groupby(value, sort=True)["rows"].sum()
    return rows.index.to_numpy(np.int64), rows.to_numpy(np.int64)


def quantile(values: Whole, rows: Whole, permille: int) -> int:
    """Return the least value that at least this many of a thousand rows do not exceed; exact, it is a value that occurs."""
    reached = np.cumsum(rows) * 1000 >= permille * rows.sum()
    return int(values[int(np.argmax(reached))])


def mean(values: Whole, rows: Whole) -> float:
    """Return the mean; the sums are whole, one division is made at the end."""
    return int(np.dot(values, rows)) / int(rows.sum())


def described(frame: pd.DataFrame, by: Sequence[str], value: str) -> pd.DataFrame:
    """Describe the histogram of each group of rows: how many rows have a value, of how many, and what is known of these.

    That is the mean, quartiles, outer quantiles and the greatest value, null where no row has one.
    """
    described = []
    for key, part in frame.groupby(list(by), sort=False):
        values, rows = merged(part, value)
        counts = {"rows": int(rows.sum()), "of": int(part["rows"].sum())}
        numbers = {
            "mean": mean(values, rows),
            **{f"p{p // 10}": quantile(values, rows, p) for p in (50, 250, 500, 750, 900, 950, 990)},
            "greatest": int(values[-1]),
        } if len(values) else {}  # fmt: skip
        described.append({**dict(zip(by, key, strict=True)), **counts, **numbers})
    quantiles = ["p5", "p25", "p50", "p75", "p90", "p95", "p99", "greatest"]
    made = pd.DataFrame(described, columns=[*by, "rows", "of", "mean", *quantiles])
    return made.astype({"mean": float} | dict.fromkeys(quantiles, "Int64"))


def beside(frame: pd.DataFrame, by: Sequence[str], run: Run) -> pd.DataFrame:
    """Give every target a row where another has one, and all of them `of` of the target that has most there.

    So the rows count as well that a target never came to, for its timeline ended with a failure.
    """
    others = [name for name in by if name != "target"]
    every = frame[others].drop_duplicates().merge(pd.DataFrame({"target": run.names}), how="cross")
    filled = every.merge(frame, how="left", on=list(by)).fillna({"rows": 0})
    filled["of"] = filled.groupby(others)["of"].transform("max")
    return in_order(filled[frame.columns].astype({"rows": int, "of": int}), by, run)


FIRST = "first"
LATER = "later"
WITHIN = (
    "Share of the groups in which a target's value is within a factor of the best of all targets on the same group, both plus 1, "
    "for the best is often 0. A target without a right answer is within no factor. All groups count, also those to which no target has one."
)


OF_WEIGHTS = (
    "of weights, gaps are above the best that is known at the most even loads, and an answer counts where it is above that, or a count proves that nothing "
    "is below it; groups that say no weights, or no capacities, have no gap"
)


def compared(run: Run) -> str:
    """Say what is compared in each level of a run."""
    oracles = family(run.family).oracles
    if oracles is None:
        return ""
    weighs = any(level in oracles.weights for level in run.levels)
    return "; ".join(filter(None, (oracles.compared, OF_WEIGHTS if weighs else "")))


def meaning(run: Run) -> str:
    """Say what the numbers of a table of gaps are."""
    family_, said = family(run.family), compared(run)
    return (
        f"Gap: {family_.shape.items} above the exact optimum{said and f'; {said}'}. Rows: compared, which takes a right answer and "
        "a proved optimum; of: all, also those that an earlier failure of the target cut off. At optimum: share of all; mean and "
        "quantiles: of those compared."
    )


def gaps(summaries: Summaries) -> pd.DataFrame:
    """Return the histogram of gaps: target, cell, situation, rebalance (first, later), level, gap, rows.

    The gap is null where there is no right answer, or no proved optimum.
    """
    frame = summaries.gaps.copy()
    frame["gap"] = (frame["value"] - frame["optimum"]).clip(lower=0).astype("Int64")
    frame["rebalance"] = frame["first"].map({True: FIRST, False: LATER})
    keys = ["target", "cell", "situation", "rebalance", "level", "gap"]
    return summed(frame, keys)


def first_gaps(frame: pd.DataFrame, level: str, situation: str = "") -> pd.DataFrame:
    """Return target, gap and rows of one level on the groups that all targets saw alike."""
    of_level = frame[
        (frame["level"] == level) & (frame["situation"] == situation) & (frame["rebalance"] == FIRST)
    ]
    return summed(of_level, ["target", "gap"])


def gap_table(frame: pd.DataFrame, run: Run) -> Table:
    """Describe the gaps of every target in every level."""
    everywhere = frame[frame["situation"] == ""]
    by = ["level", "rebalance", "target"]
    return Table(
        "gaps",
        "Gaps to the optimum",
        f"{meaning(run)} First: the group as drawn, the same for every target; later: after changes, with the target's own history.",
        _with_optimal(everywhere, by, run),
        _FORMS,
    )


def cell_table(frame: pd.DataFrame, run: Run) -> Table:
    """Describe the gaps in every cell of the grid."""
    part = frame[(frame["situation"] == "") & (frame["rebalance"] == FIRST)].copy()
    part["cell"] = part["cell"].map({n: cell.name for n, cell in enumerate(run.cells)})
    return Table(
        "gaps-by-cell",
        "Gaps in each cell of the grid",
        meaning(run),
        _with_optimal(part, ["level", "cell", "target"], run),
        _FORMS,
    )


def situation_table(frame: pd.DataFrame, run: Run) -> Table:
    """Describe the gaps in every situation."""
    part = frame[frame["situation"] != ""]
    by = ["level", "situation", "target"]
    return Table(
        "gaps-by-situation",
        "Gaps in each situation",
        f"{meaning(run)} A group may be in several situations; `kassay list` says what each is.",
        _with_optimal(part, by, run),
        _FORMS,
    )


_FORMS = {"at optimum": SHARE, "mean": TENTHS}


def _with_optimal(frame: pd.DataFrame, by: list[str], run: Run) -> pd.DataFrame:
    numbers = beside(described(frame, by, "gap"), by, run)
    optimal = frame[frame["gap"] == 0].groupby(by)["rows"].sum()
    keys = pd.MultiIndex.from_frame(numbers[by])
    numbers.insert(len(by) + 2, "at optimum", optimal.reindex(keys, fill_value=0).to_numpy() / numbers["of"])
    return numbers


def telling_situations(frame: pd.DataFrame, most: int) -> Iterator[str]:
    """Yield the situations in which the targets' mean gaps differ most, of those that are not rare, greatest first."""
    named = frame[frame["situation"] != ""]
    total = frame[(frame["situation"] == "") & (frame["rebalance"] == FIRST)]["rows"].sum()
    numbers = described(named, ["situation", "level", "target"], "gap")
    rows = named.groupby("situation")["rows"].sum()
    spread = numbers.groupby(["situation", "level"])["mean"].agg(lambda means: means.max() - means.min())
    worst = spread.groupby("situation").max().dropna()
    common = worst[rows.reindex(worst.index) * 100 >= total]
    yield from common.sort_index().sort_values(ascending=False, kind="stable").index[:most]


def profiles(summaries: Summaries) -> pd.DataFrame:
    """Return level, target, groups, ratio and share: the share of all groups in which the target is within that ratio.

    Ratio 1 is there for every target.
    """
    frame = summaries.profile.copy()
    frame["ratio"] = ((frame["value"] + 1) / (frame["best"] + 1)).astype(float).fillna(np.inf)
    best = frame[["level", "target"]].drop_duplicates().assign(ratio=1.0, rows=0)
    frame = pd.concat([frame[["level", "target", "ratio", "rows"]], best])
    found = summed(frame, ["level", "target", "ratio"])
    by_target = found.groupby(["level", "target"])["rows"]
    found["groups"] = by_target.transform("sum")
    found["share"] = by_target.cumsum() / found["groups"]
    columns = ["level", "target", "groups", "ratio", "share"]
    found = in_order(found, ["level", "target"], summaries.run)
    return pd.DataFrame(found[np.isfinite(found["ratio"])], columns=columns)


def profile_table(frame: pd.DataFrame) -> Table:
    """Show the shares at a few ratios."""
    rows = []
    for (level, target), part in frame.groupby(["level", "target"], sort=False):
        ratios, shares = part["ratio"].to_numpy(), part["share"].to_numpy()
        within = {
            f"within {factor}x" if factor > 1 else "the best": float(shares[ratios <= factor].max(initial=0))
            for factor in (1, 1.5, 2, 4)
        }
        rows.append({"level": level, "target": target, "groups": int(part["groups"].iloc[0]), **within})
    made = pd.DataFrame(rows)
    forms = {str(name): SHARE for name in made.columns[3:]}
    return Table("profiles", "Performance profiles", WITHIN, made, forms)
