"""The verdicts: one line for each target, and the few sentences that a hurried reader takes away."""

import pandas as pd

from kassay.reports.tables.gaps import FIRST
from kassay.reports.tables.histogram import mean, merged
from kassay.reports.tables.properties import BROKEN
from kassay.reports.tables.summaries import Summaries
from kassay.reports.tables.table import SHARE, TENTHS, Table, share

FAILED = ("refused", "timeout", "died", "memory")
"""The statuses of rows on which a target failed."""


def verdict_table(summaries: Summaries, properties: pd.DataFrame, gaps: pd.DataFrame) -> Table:
    """Show for each target the promises broken, how often it answers whole, and how often and how far from the optimum."""
    levels = summaries.run.levels
    first = gaps[(gaps["situation"] == "") & (gaps["rebalance"] == FIRST)]
    groups = _groups(summaries)
    rows = []
    for target in summaries.run.names:
        own = properties[properties["target"] == target]
        statuses = summaries.statuses[summaries.statuses["target"] == target].groupby("status")["rows"].sum()
        broken = own[own["outcome"] == BROKEN]["property"]
        row: dict[str, object] = {
            "target": target,
            "promises broken": ", ".join(broken) or ("none" if own["promised"].any() else "makes none"),
            "whole answers": int(statuses.get("ok", 0)) / int(statuses.sum()) if len(statuses) else None,
        }
        for level in levels:
            values, counts = merged(first[(first["target"] == target) & (first["level"] == level)], "gap")
            optimal = int(counts[values == 0].sum())
            row[optimal_in(level)] = optimal / groups[level] if level in groups else None
            row[f"{level}: mean gap"] = mean(values, counts) if len(values) else None
        rows.append(row)
    forms = {"whole answers": SHARE}
    forms |= {optimal_in(level): SHARE for level in levels} | {
        f"{level}: mean gap": TENTHS for level in levels
    }
    caption = (
        "Whole answers: share of all rows in which no partition is lost, doubled or misgiven. Optimal: share of the first groups, the "
        "same for every target, that are answered whole and at the exact optimum. Mean gap: partitions above it, over whole answers only."
    )
    return Table("verdicts", "Verdicts", caption, pd.DataFrame(rows), forms)


def sentences(summaries: Summaries, table: Table) -> list[str]:
    """Say what the verdicts come to: what is broken, and who is nearest to the optimum in each level."""
    run, frame = summaries.run, table.frame
    rows = int(summaries.statuses["rows"].sum())
    breaking = {
        str(row["target"]): str(row["promises broken"])
        for row in frame.to_dict("records")
        if row["promises broken"] not in ("none", "makes none")
    }
    if breaking:
        said = [
            f"Promises are broken: {'; '.join(f'{who} breaks {what}' for who, what in breaking.items())}."
        ]
    else:
        said = [f"No promise is broken by any of {len(frame)} targets."]
    for target in run.names:
        statuses = summaries.statuses[summaries.statuses["target"] == target].groupby("status")["rows"].sum()
        failed = {status: int(statuses.get(status, 0)) for status in FAILED if statuses.get(status, 0)}
        if failed:
            told = ", ".join(f"{status} {count:,}" for status, count in failed.items())
            said.append(
                f"{target} gives no answer in {share(sum(failed.values()) / int(statuses.sum()))} of its rows: {told}."
            )
    for level in run.levels:
        known = frame.dropna(subset=[optimal_in(level)])
        if not len(known):
            continue
        column = known[optimal_in(level)]
        most, least = column.max(), column.min()
        best, worst = (" and ".join(known[column == end]["target"]) for end in (most, least))
        said.append(
            f"{level.capitalize()}: {best} most often at the exact optimum, in {share(most)} of the groups; "
            f"{worst} least often, in {share(least)}."
            if most != least
            else f"{level.capitalize()}: all at the exact optimum equally often, in {share(most)} of the groups."
        )
    waves = (
        ""
        if len(summaries.waves) == run.waves
        else f"; {len(summaries.waves)} of {run.waves} waves are complete"
    )
    said.append(
        f"{rows:,} answers of {len(frame)} targets, to {run.groups:,} groups and the changes made to them{waves}."
    )
    return said


def optimal_in(level: str) -> str:
    """Name the column that says how often a target is at the optimum of a level."""
    return f"{level}: optimal"


def _groups(summaries: Summaries) -> dict[str, int]:
    """Count for each level the first groups that some target answered whole."""
    rows = summaries.profile.groupby(["level", "target"])["rows"].sum()
    return {str(level): int(count) for level, count in rows.groupby("level").max().items()}
