"""Rebalances: how many an answer takes until the group is at rest, where assignors wait for what members have not handed over yet.

Timelines: what is measured in each rebalance, such as moves, and rounds until the answers repeat themselves.
"""

from collections.abc import Iterator

import pandas as pd

from kassay.comparison.headline import target_labels
from kassay.families import family
from kassay.properties.runs import MOST_REBALANCES
from kassay.reports.sweep.manifest import Run, find_own_families, sample_size
from kassay.reports.tables.gaps import (
    add_missing_rows,
    describe_histograms,
    mean,
    merge_values,
    sort_in_order,
    sum_rows,
)
from kassay.reports.tables.table import TENTHS, Summaries, Table
from kassay.sentences import counted, first_sentence

MORE = 5
"""From so many rebalances on, they are counted together."""
USUAL = 2
"""One in which partitions are given up, and one in which they are given (KIP-429)."""
NAMED = 3
"""No more targets than these are named in sentences."""


def withholding(run: Run) -> bool:
    """Say whether any of the run's families has answers that withhold something at first."""
    return any(each.rejoined is not None for each in find_own_families(run).values())


def count_rebalances(summaries: Summaries) -> pd.DataFrame:
    """Return target, rebalances and rows of the groups as drawn: null without a right answer at rest."""
    return sum_rows(summaries.rebalances, ["target", "rebalances"]).astype({"rebalances": "Int64"})


def build_rebalance_table(summaries: Summaries) -> Table:
    """Count for each target the groups by the rebalances they take."""
    frame, rows = count_rebalances(summaries), []
    first = summaries.statuses[summaries.statuses["first"]]
    for target in summaries.run.names:
        numbers, counts = merge_values(frame[frame["target"] == target], "rebalances")
        known = dict(zip(numbers.tolist(), counts.tolist(), strict=True))
        restless = first[(first["target"] == target) & (first["status"] == "unsettled")]["rows"].sum()
        rows.append(
            {
                "target": target,
                **{str(n): known.get(n, 0) for n in range(1, MORE)},
                f"{MORE} to {MOST_REBALANCES}": sum(rows for n, rows in known.items() if n >= MORE),
                f"not within {MOST_REBALANCES}": int(restless),
                "mean": mean(numbers, counts) if known else None,
                "greatest": max(known, default=None),
            }
        )
    caption = (
        "Groups as drawn by the rebalances until they are at rest, where members hand nothing over any more: 1 where the answer waits for "
        "nothing, 2 where what is given up in the first is given in the second (KIP-429). Of right answers, whose "
        f"mean and greatest number stand last; who is not at rest within {MOST_REBALANCES} has none."
    )
    made = pd.DataFrame(rows).astype({"mean": float, "greatest": "Int64"})
    return Table("rebalances", "Rebalances until the group is at rest", caption, made, {"mean": TENTHS})


def describe_slow(summaries: Summaries, groups: int) -> Iterator[str]:
    """Say of the targets that most often take more than the usual two rebalances on how many of the groups, and how many they take."""
    frame, known = count_rebalances(summaries), target_labels(summaries.run.names)
    late = frame[frame["rebalances"] > USUAL]
    counts = late.groupby("target")["rows"].sum().reindex(summaries.run.names).dropna().astype(int)
    for target in counts.sort_values(ascending=False, kind="stable").head(NAMED).index:
        of_target = late[late["target"] == target]["rebalances"]
        least, most = int(of_target.min()), int(of_target.max())
        many = f"{least}" if least == most else f"{least} to {most}"
        yield f"{known[str(target)]} takes {many} rebalances on {counts[target]:,} of {counted(groups, 'group')}."


def compute_timelines(summaries: Summaries) -> pd.DataFrame:
    """Return measure (the family's, such as moves, and rounds), target, step, and the description of the histogram."""
    by = ["target", "step"]
    steps, parts = summaries.steps, []
    changing = steps[steps["step"] > 0]["cell"].unique()  # others have no timeline to begin
    known = steps[steps["cell"].isin(changing)] if len(changing) else steps
    for measure in list_timeline_measures(summaries.run):
        numbers = sum_rows(known[known["measure"] == measure], [*by, "value"])
        parts.append(
            add_missing_rows(describe_histograms(numbers, by, "value"), by, summaries.run).assign(
                measure=measure
            )
        )
    rounds = count_first_rounds(summaries).assign(step=0)
    if len(rounds):
        parts.append(describe_histograms(rounds, by, "rounds").assign(measure="rounds"))
    columns = ["measure", "target", "step", "rows", "of", "mean", "p50", "p90", "p99", "greatest"]
    if not parts:
        return pd.DataFrame(columns=columns)
    return sort_in_order(pd.concat(parts)[columns], ["measure", "step", "target"], summaries.run)


def count_first_rounds(summaries: Summaries) -> pd.DataFrame:
    """Return target, rounds and rows of the groups that are tried for rounds; null without a right answer."""
    size = sample_size(summaries.run, summaries.waves, summaries.run.sample.rounds)
    known = sum_rows(summaries.rounds, ["target", "rounds"])
    counted = known.groupby("target")["rows"].sum().reindex(summaries.run.names, fill_value=0)
    missing = (size - counted).rename_axis("target").reset_index(name="rows").assign(rounds=None)
    parts = [part.astype({"rounds": "Int64"}) for part in (known, missing[missing["rows"] != 0])]
    return pd.concat([part for part in parts if len(part)] or parts)[["target", "rounds", "rows"]]


def list_timeline_measures(run: Run) -> list[str]:
    """Return the measures of a run that are shown over timelines."""
    return [name for name in family(run.family).timeline_measures if name in run.measures]


def build_timeline_table(frame: pd.DataFrame, run: Run) -> Table:
    """Show the measures and the rounds of every step."""
    family_ = family(run.family)
    most = family_.shape.most_rounds
    measures = "".join(
        f"{name.capitalize()}: {first_sentence(family_.measures[name].__doc__)}. "
        for name in list_timeline_measures(run)
    )
    caption = (
        "Each target keeps its own history: the next rebalance starts from what it gave. Step 0 is the group as drawn. "
        f"{measures}Rounds: rebalances until the answers repeat themselves, {most + 1} where they never did within {most}. "
        "Over the cells in which groups change, if there are any. Rows: right answers, which all numbers are over; "
        "of: all, also those that an earlier failure of the target cut off; rounds: all groups that are tried for them."
    )
    title = " and ".join([*list_timeline_measures(run), "rounds"]).capitalize()
    return Table("timelines", f"{title} over timelines", caption, frame, {"mean": TENTHS})
