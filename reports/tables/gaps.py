"""Gaps: how far whole answers are from the exact optimum, over all groups and in each situation."""

from collections.abc import Iterator

import pandas as pd

from kassay.reports.sweep.manifest import Run
from kassay.reports.tables.histogram import beside, described, summed
from kassay.reports.tables.summaries import Summaries
from kassay.reports.tables.table import SHARE, TENTHS, Table

FIRST = "first"
LATER = "later"
MEANING = (
    "Gap: partitions above the exact optimum; balance is the greatest load less the least, moves and cross-rack are compared with "
    "the least that the most even loads allow. Less even answers may be below it; they count as 0. Rows: compared, which takes a whole answer "
    "and a proved optimum; of: all, also those that an earlier failure of the target cut off. At optimum: share of all; mean and quantiles: of those compared."
)


def gaps(summaries: Summaries) -> pd.DataFrame:
    """Return the histogram of gaps: target, cell, situation, rebalance (first, later), level, gap, rows.

    The gap is null where there is no whole answer, or no proved optimum.
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
        f"{MEANING} First: the group as drawn, the same for every target; later: after changes, with the target's own history.",
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
        MEANING,
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
        f"{MEANING} A group may be in several situations; `kassay list` says what each is.",
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
