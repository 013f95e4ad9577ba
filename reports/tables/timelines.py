"""Timelines: partitions moved in each rebalance, and rounds until the answers repeat themselves."""

import pandas as pd

from kassay.properties.consumer.rounds import ROUNDS
from kassay.reports.tables.histogram import described, in_order, summed
from kassay.reports.tables.summaries import Summaries
from kassay.reports.tables.table import TENTHS, Table

MEANING = (
    "Each target keeps its own history: what it gave is what the members own in the next rebalance. Step 0 is the group as drawn. "
    "Moves: partitions that leave all their owners; rounds: rebalances until the answers repeat "
    f"themselves, {ROUNDS + 1} where they never did within {ROUNDS}. "
    "Over the cells in which groups change, if there are any."
)


def timelines(summaries: Summaries) -> pd.DataFrame:
    """Return measure (moves, rounds), target, step, and the description of the histogram."""
    parts = []
    for measure in ("moves", "rounds"):
        known = summaries.steps.dropna(subset=[measure])
        changing = known[known["step"] > 0]["cell"].unique()  # others have no timeline to begin
        known = known[known["cell"].isin(changing)] if len(changing) else known
        if len(known):
            counted = summed(known, ["target", "step", measure])
            parts.append(described(counted, ["target", "step"], measure).assign(measure=measure))
    columns = ["measure", "target", "step", "rows", "mean", "p50", "p90", "p99", "greatest"]
    if not parts:
        return pd.DataFrame(columns=columns)
    return in_order(pd.concat(parts)[columns], ["measure", "step", "target"], summaries.run)


def timeline_table(frame: pd.DataFrame) -> Table:
    """Show moves and rounds of every step."""
    return Table("timelines", "Moves and rounds over timelines", MEANING, frame, {"mean": TENTHS})
