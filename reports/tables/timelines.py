"""Timelines: partitions moved in each rebalance, and rounds until the answers repeat themselves."""

import pandas as pd

from kassay.properties.partitions.rounds import ROUNDS
from kassay.reports.sweep.places import sample_size
from kassay.reports.tables.histogram import beside, described, in_order, summed
from kassay.reports.tables.summaries import Summaries
from kassay.reports.tables.table import TENTHS, Table

MEANING = (
    "Each target keeps its own history: what it gave is what the members own in the next rebalance. Step 0 is the group as drawn. "
    "Moves: partitions that leave all their owners; rounds: rebalances until the answers repeat "
    f"themselves, {ROUNDS + 1} where they never did within {ROUNDS}. "
    "Over the cells in which groups change, if there are any. Rows: whole answers, which all numbers are over; of: all, also those that an "
    "earlier failure of the target cut off; rounds: all groups that are tried for them."
)


def timelines(summaries: Summaries) -> pd.DataFrame:
    """Return measure (moves, rounds), target, step, and the description of the histogram."""
    by = ["target", "step"]
    steps, parts = summaries.steps, []
    if "moves" in summaries.run.measures:
        changing = steps[steps["step"] > 0]["cell"].unique()  # others have no timeline to begin
        known = steps[steps["cell"].isin(changing)] if len(changing) else steps
        moves = described(summed(known, [*by, "moves"]), by, "moves")
        parts.append(beside(moves, by, summaries.run).assign(measure="moves"))
    rounds = first_rounds(summaries).assign(step=0)
    if len(rounds):
        parts.append(described(rounds, by, "rounds").assign(measure="rounds"))
    columns = ["measure", "target", "step", "rows", "of", "mean", "p50", "p90", "p99", "greatest"]
    if not parts:
        return pd.DataFrame(columns=columns)
    return in_order(pd.concat(parts)[columns], ["measure", "step", "target"], summaries.run)


def first_rounds(summaries: Summaries) -> pd.DataFrame:
    """Return target, rounds and rows of the groups that are tried for rounds; null where the answer is not whole."""
    size = sample_size(summaries.run, summaries.waves, summaries.run.sample.rounds)
    known = summed(summaries.steps.dropna(subset=["rounds"]), ["target", "rounds"])
    counted = known.groupby("target")["rows"].sum().reindex(summaries.run.names, fill_value=0)
    missing = (size - counted).rename_axis("target").reset_index(name="rows").assign(rounds=None)
    parts = [part.astype({"rounds": "Int64"}) for part in (known, missing[missing["rows"] != 0])]
    return pd.concat([part for part in parts if len(part)] or parts)[["target", "rounds", "rows"]]


def timeline_table(frame: pd.DataFrame) -> Table:
    """Show moves and rounds of every step."""
    return Table("timelines", "Moves and rounds over timelines", MEANING, frame, {"mean": TENTHS})
