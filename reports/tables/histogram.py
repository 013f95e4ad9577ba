"""Exact statistics of histograms: a value and the rows that have it."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from kassay.reports.sweep.run import Run

Whole = npt.NDArray[np.int64]


def summed(frame: pd.DataFrame, keys: Sequence[str]) -> pd.DataFrame:
    """Add up the rows of each key, sorted by the keys."""
    return frame.groupby(list(keys), sort=True)["rows"].sum().reset_index()


def in_order(frame: pd.DataFrame, by: Sequence[str], run: Run) -> pd.DataFrame:
    """Sort by columns, targets and levels in the order of the run."""
    orders = {"target": run.names, "level": list(run.levels)}

    def rank(column: "pd.Series[Any]") -> "pd.Series[Any]":
        known = orders.get(str(column.name))
        return column.map({name: n for n, name in enumerate(known)}) if known else column

    return frame.sort_values(list(by), key=rank, kind="stable", ignore_index=True)


def merged(frame: pd.DataFrame, value: str) -> tuple[Whole, Whole]:
    """Return the distinct values in ascending order, and how many rows have each."""
    rows = frame.groupby(value, sort=True)["rows"].sum()
    return rows.index.to_numpy(np.int64), rows.to_numpy(np.int64)


def quantile(values: Whole, rows: Whole, permille: int) -> int:
    """Return the least value that at least so many of a thousand rows do not exceed; exact, it is a value that occurs."""
    reached = np.cumsum(rows) * 1000 >= permille * rows.sum()
    return int(values[int(np.argmax(reached))])


def mean(values: Whole, rows: Whole) -> float:
    """Return the mean; the sums are whole, one division is made at the end."""
    return int(np.dot(values, rows)) / int(rows.sum())


def described(frame: pd.DataFrame, by: Sequence[str], value: str) -> pd.DataFrame:
    """Describe the histogram of each group of rows: rows, mean, quartiles, outer quantiles and the greatest value."""
    described = []
    for key, part in frame.groupby(list(by), sort=False):
        values, rows = merged(part, value)
        numbers = {
            "rows": int(rows.sum()),
            "mean": mean(values, rows),
            **{f"p{p // 10}": quantile(values, rows, p) for p in (50, 250, 500, 750, 900, 950, 990)},
            "greatest": int(values[-1]),
        }
        described.append({**dict(zip(by, key, strict=True)), **numbers})
    columns = [*by, "rows", "mean", "p5", "p25", "p50", "p75", "p90", "p95", "p99", "greatest"]
    return pd.DataFrame(described, columns=columns)
