"""The verdicts: one line for each target, and the few sentences that a hurried reader takes away."""

from collections.abc import Iterator

import pandas as pd

from kassay.reports.sweep.rows import FAILED, WHOLE
from kassay.reports.tables.gaps import FIRST
from kassay.reports.tables.histogram import mean, merged
from kassay.reports.tables.properties import BROKEN
from kassay.reports.tables.summaries import Summaries
from kassay.reports.tables.table import SHARE, TENTHS, Table, share

NONE, NO_PROMISE, UNJUDGED = "none", "makes none", "not judged"


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
            "promises broken": ", ".join(broken) or _unbroken(own),
            "whole answers": int(statuses.reindex(WHOLE).sum()) / int(statuses.sum())
            if len(statuses)
            else None,
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
        "Whole answers: share of all rows in which no partition is lost, doubled or misgiven, if need be once members have given up what "
        "they were asked to. Optimal: share of the first groups, the "
        "same for every target, that are answered whole and at the exact optimum. Mean gap: partitions above it, over whole answers only."
    )
    return Table("verdicts", "Verdicts", caption, pd.DataFrame(rows), forms)


def sentences(summaries: Summaries, table: Table) -> list[str]:
    """Say what the verdicts come to: what is broken, who fails, and who is nearest to the optimum in each level."""
    run, frame = summaries.run, table.frame
    said = [_promises(frame), *_failures(summaries)]
    for level in run.levels:
        known = frame.dropna(subset=[optimal_in(level)])
        if not len(known):
            continue
        column = known[optimal_in(level)]
        most, least = column.max(), column.min()
        best, worst = (" and ".join(known[column == end]["target"]) for end in (most, least))
        if most == least:
            said.append(f"{level.capitalize()}: {best} at the exact optimum in {share(most)} of the groups.")
            continue
        said.append(
            f"{level.capitalize()}: {best} most often at the exact optimum, in {share(most)} of the groups; "
            f"{worst} least often, in {share(least)}."
        )
    rows, waves = int(summaries.statuses["rows"].sum()), len(summaries.waves)
    partly = "" if waves == run.waves else f"; {waves:,} of {run.waves:,} waves are complete"
    said.append(
        f"{rows:,} rows: {', '.join(run.names)} on {run.groups:,} groups and the changes made to them{partly}."
    )
    return said


def _unbroken(own: pd.DataFrame) -> str:
    return UNJUDGED if own.empty else NONE if own["promised"].any() else NO_PROMISE


def _promises(frame: pd.DataFrame) -> str:
    told = dict(zip(frame["target"], frame["promises broken"], strict=True))
    unbroken = (NONE, NO_PROMISE, UNJUDGED)
    breaking = [f"{target} breaks {what}" for target, what in told.items() if what not in unbroken]
    if breaking:
        return f"Promises are broken: {'; '.join(breaking)}."
    kept = [target for target, what in told.items() if what == NONE]
    return f"No promise is broken by {', '.join(kept)}." if kept else "No promise was judged."


def _failures(summaries: Summaries) -> Iterator[str]:
    for target in summaries.run.names:
        statuses = summaries.statuses[summaries.statuses["target"] == target].groupby("status")["rows"].sum()
        failed = {status: int(statuses.get(status, 0)) for status in FAILED if statuses.get(status, 0)}
        if failed:
            told = ", ".join(f"{status} {count:,}" for status, count in failed.items())
            part = share(sum(failed.values()) / int(statuses.sum()))
            yield f"{target} gives no answer in {part} of its rows: {told}."


def optimal_in(level: str) -> str:
    """Name the column that says how often a target is at the optimum of a level."""
    return f"{level}: optimal"


def _groups(summaries: Summaries) -> dict[str, int]:
    """Count for each level the first groups that some target answered whole."""
    rows = summaries.profile.groupby(["level", "target"])["rows"].sum()
    return {str(level): int(count) for level, count in rows.groupby("level").max().items()}
