"""Timelines: what is measured in each rebalance, such as moves, and rounds until the answers repeat themselves."""

import pandas as pd

from kassay.docstring import first_sentence
from kassay.families import family
from kassay.reports.sweep.manifest import Run
from kassay.reports.sweep.places import sample_size
from kassay.reports.tables.histogram import beside, described, in_order, summed
from kassay.reports.tables.summaries import Summaries
from kassay.reports.tables.table import TENTHS, Table


def timelines(summaries: Summaries) -> pd.DataFrame:
    """Return measure (the family's, such as moves, and rounds), target, step, and the description of the histogram."""
    by = ["target", "step"]
    steps, parts = summaries.steps, []
    changing = steps[steps["step"] > 0]["cell"].unique()  # others have no timeline to begin
    known = steps[steps["cell"].isin(changing)] if len(changing) else steps
    for measure in over_time(summaries.run):
        numbers = summed(known[known["measure"] == measure], [*by, "value"])
        parts.append(beside(described(numbers, by, "value"), by, summaries.run).assign(measure=measure))
    rounds = first_rounds(summaries).assign(step=0)
    if len(rounds):
        parts.append(described(rounds, by, "rounds").assign(measure="rounds"))
    columns = ["measure", "target", "step", "rows", "of", "mean", "p50", "p90", "p99", "greatest"]
    if not parts:
        return pd.DataFrame(columns=columns)
    return in_order(pd.concat(parts)[columns], ["measure", "step", "target"], summaries.run)


def first_rounds(summaries: Summaries) -> pd.DataFrame:
    """Return target, rounds and rows of the groups that are tried for rounds; null without a right answer."""
    size = sample_size(summaries.run, summaries.waves, summaries.run.sample.rounds)
    known = summed(summaries.rounds, ["target", "rounds"])
    counted = known.groupby("target")["rows"].sum().reindex(summaries.run.names, fill_value=0)
    missing = (size - counted).rename_axis("target").reset_index(name="rows").assign(rounds=None)
    parts = [part.astype({"rounds": "Int64"}) for part in (known, missing[missing["rows"] != 0])]
    return pd.concat([part for part in parts if len(part)] or parts)[["target", "rounds", "rows"]]


def over_time(run: Run) -> list[str]:
    """Return the measures of a run that are shown over timelines."""
    return [name for name in family(run.family).timeline_measures if name in run.measures]


def timeline_table(frame: pd.DataFrame, run: Run) -> Table:
    """Show the measures and the rounds of every step."""
    family_ = family(run.family)
    most = family_.shape.most_rounds
    measures = "".join(
        f"{name.capitalize()}: {first_sentence(family_.measures[name].__doc__)}. " for name in over_time(run)
    )
    caption = (
        "Each target keeps its own history: the next rebalance starts from what it gave. Step 0 is the group as drawn. "
        f"{measures}Rounds: rebalances until the answers repeat themselves, {most + 1} where they never did within {most}. "
        "Over the cells in which groups change, if there are any. Rows: right answers, which all numbers are over; "
        "of: all, also those that an earlier failure of the target cut off; rounds: all groups that are tried for them."
    )
    title = " and ".join([*over_time(run), "rounds"]).capitalize()
    return Table("timelines", f"{title} over timelines", caption, frame, {"mean": TENTHS})
