"""Exact statistics of histograms: a value and the rows that have it."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from kassay.reports.sweep.manifest import Run

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
