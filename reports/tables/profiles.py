"""Performance profiles (Dolan and Moré, Math. Program. 91, 2002): how often each target is how near to the best of them."""

import numpy as np
import pandas as pd

from kassay.reports.tables.histogram import in_order, summed
from kassay.reports.tables.summaries import Summaries
from kassay.reports.tables.table import SHARE, Table

MEANING = (
    "Share of the groups in which a target's value is within a factor of the best of all targets on the same group, both plus 1, "
    "for the best is often 0. A target without a complete and legal answer is within no factor. All groups count, also those to which no target has one."
)


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
    return Table("profiles", "Performance profiles", MEANING, made, forms)
