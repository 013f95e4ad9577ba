"""Rebalances until a group converges, if assignors wait for revocations; and timelines of measures such as moves."""

from collections.abc import Iterator

import pandas as pd

from kassay.comparison.headline import label_targets_uniquely
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
from kassay.sentences import format_count, read_first_sentence

MORE = 5
"""From this number on, rebalances are counted together."""
USUAL = 2
"""One rebalance to revoke partitions, and one to assign them (KIP-429)."""
NAMED = 3
"""A sentence names at most this many targets."""


def has_withholding(run: Run) -> bool:
    """Return True if any of the run's families has answers that wait for revocations."""
    return any(each.rejoined is not None for each in find_own_families(run).values())


def count_rebalances(summaries: Summaries) -> pd.DataFrame:
    """Return target, rebalances and rows of the groups as drawn; rebalances are null without convergence to a right answer."""
    return sum_rows(summaries.rebalances, ["target", "rebalances"]).astype({"rebalances": "Int64"})


def build_rebalance_table(summaries: Summaries) -> Table:
    """Return for each target the number of groups by rebalances."""
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
        "Groups as drawn by the number of rebalances until they converge. It is 1 if the answer waits for nothing, and 2 if partitions are "
        "revoked in the first rebalance and assigned in the second (KIP-429). Only right answers count; an assignor that does not "
        f"converge within {MOST_REBALANCES} rebalances has none. The mean and the greatest number are last."
    )
    made = pd.DataFrame(rows).astype({"mean": float, "greatest": "Int64"})
    return Table("rebalances", "Rebalances until the group converges", caption, made, {"mean": TENTHS})


def describe_slow(summaries: Summaries, groups: int) -> Iterator[str]:
    """Yield the targets that most often need more than the usual two rebalances, with the numbers of rebalances and groups."""
    frame, known = count_rebalances(summaries), label_targets_uniquely(summaries.run.names)
    late = frame[frame["rebalances"] > USUAL]
    counts = late.groupby("target")["rows"].sum().reindex(summaries.run.names).dropna().astype(int)
    for target in counts.sort_values(ascending=False, kind="stable").head(NAMED).index:
        of_target = late[late["target"] == target]["rebalances"]
        least, most = int(of_target.min()), int(of_target.max())
        many = f"{least}" if least == most else f"{least} to {most}"
        yield f"{known[str(target)]} needs {many} rebalances on {counts[target]:,} of {format_count(groups, 'group')}."


def compute_timelines(summaries: Summaries) -> pd.DataFrame:
    """Return measure (such as moves; also rounds), target, step, and the statistics of the histogram."""
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
    columns = [
        "measure",
        "target",
        "step",
        "rows",
        "of",
        "mean",
        "low",
        "high",
        "p50",
        "p90",
        "p99",
        "greatest",
    ]
    if not parts:
        return pd.DataFrame(columns=columns)
    return sort_in_order(pd.concat(parts)[columns], ["measure", "step", "target"], summaries.run)


def count_first_rounds(summaries: Summaries) -> pd.DataFrame:
    """Return target, rounds and rows of the groups in the sample for rounds; null without a right answer."""
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
    """Return the measures and the rounds of every step."""
    family_ = family(run.family)
    most = family_.shape.most_rounds
    measures = "".join(
        f"{name.capitalize()}: {read_first_sentence(family_.measures[name].__doc__)}. "
        for name in list_timeline_measures(run)
    )
    caption = (
        "Each target has its own history: the next rebalance starts from its own assignment. Step 0 is the group as drawn. "
        f"{measures}Rounds: rebalances until the answers repeat themselves, {most + 1} if they never do within {most}. "
        "Over the cells in which groups change, if there are any. Rows: right answers; all numbers are over these. Low, high: the 95 % "
        "interval of the mean. "
        "Of: all rows, also those after a failure of the target; for rounds: all groups in the sample."
    )
    title = " and ".join([*list_timeline_measures(run), "rounds"]).capitalize()
    return Table(
        "timelines", f"{title} over timelines", caption, frame, dict.fromkeys(("mean", "low", "high"), TENTHS)
    )
