"""The verdicts: one line for each target, and the few sentences that a hurried reader takes away."""

from collections.abc import Iterator

import pandas as pd

from kassay.families import family
from kassay.reports.sweep.rows import FAILED, LEGAL
from kassay.reports.tables.gaps import FIRST
from kassay.reports.tables.histogram import mean, merged
from kassay.reports.tables.properties import BROKEN, KNOWN_DEFECT
from kassay.reports.tables.summaries import Summaries
from kassay.reports.tables.table import SHARE, TENTHS, Table, share

NONE, NO_PROMISE, UNJUDGED = "none", "makes none", "not judged"
_LACKING = {
    "gives no answer": FAILED,
    "loses, doubles or misgives {items}": ("illegal",),
    "declines the group": ("skipped",),
}
"""What there is instead of a complete and legal answer, and the statuses that say so."""
ANSWERED_LEGALLY = "complete and legal"


def verdict_table(summaries: Summaries, properties: pd.DataFrame, gaps: pd.DataFrame) -> Table:
    """Show for each target the promises broken, how often its answer is complete and legal, and how often and how far from the optimum."""
    levels, groups = summaries.run.levels, groups_of(summaries)
    items = family(summaries.run.family).shape.items
    first = gaps[(gaps["situation"] == "") & (gaps["rebalance"] == FIRST)]
    rows = []
    for target in summaries.run.names:
        own = properties[properties["target"] == target]
        broken = own[own["outcome"] == BROKEN]["property"]
        row: dict[str, object] = {
            "target": target,
            "promises broken": ", ".join(broken) or _unbroken(own),
            "known defects": ", ".join(own[own["outcome"] == KNOWN_DEFECT]["property"]) or NONE,
            ANSWERED_LEGALLY: _legal(summaries.statuses, target),
            "compared": None,
        }
        for level in levels:
            values, counts = merged(first[(first["target"] == target) & (first["level"] == level)], "gap")
            row["compared"] = int(counts.sum()) / groups if groups else None  # in all levels the same
            row[optimal_in(level)] = int(counts[values == 0].sum()) / groups if groups else None
            row[f"{level}: mean gap"] = mean(values, counts) if len(values) else None
        rows.append(row)
    written_as = {ANSWERED_LEGALLY: SHARE, "compared": SHARE} | {optimal_in(level): SHARE for level in levels}
    written_as |= {f"{level}: mean gap": TENTHS for level in levels}
    caption = (
        f"Complete and legal: share of all rows whose answer loses, doubles or misgives no {items}, or whose next answer does not, once members "
        f"have given up what they were asked to. Compared and optimal: share of the {groups:,} groups as drawn, the same for every target, that have such an "
        f"answer and a proved optimum, and of those that are at it. Mean gap: {items} above it, over the groups compared alone."
    )
    return Table("verdicts", "Verdicts", caption, pd.DataFrame(rows), written_as)


def sentences(summaries: Summaries, table: Table) -> list[str]:
    """Say what the verdicts come to: what is broken, which targets fail, and which are nearest to the optimum in each level."""
    run, frame = summaries.run, table.frame
    legal = _first_legal(summaries)
    said = [_promises(frame), *_failures(summaries)]
    for level in run.levels:
        known = frame.dropna(subset=[optimal_in(level)])
        if not len(known):
            continue
        column = known[optimal_in(level)]
        most, least = column.max(), column.min()
        best, worst = (" and ".join(known[column == end]["target"]) for end in (most, least))
        told = f"{best} most often at the exact optimum, in {share(most)} of the groups; {worst} least often, in {share(least)}"
        if most == least:
            told = f"{best} at the exact optimum in {share(most)} of the groups"
        named = known[column.isin([most, least])]["target"]
        partly = [
            f"{target} has a complete and legal answer to {share(legal[target])} of them"
            for target in named
            if legal[target] < 1
        ]
        said.append(f"{level.capitalize()}: {'; '.join([told, *partly])}.")
    unproved = int(summaries.proofs[summaries.proofs["proved"].eq(other=False)]["rows"].sum())
    if unproved:
        said.append(
            f"The optimum of {unproved:,} complete and legal answers is not proved: they count as not optimal."
        )
    rows, waves = int(summaries.statuses["rows"].sum()), len(summaries.waves)
    missing = "" if waves == run.waves else f"; {waves:,} of {run.waves:,} waves are complete"
    groups = groups_of(summaries)
    said.append(
        f"{rows:,} rows: {', '.join(run.names)} on {groups:,} groups and the changes made to them{missing}."
    )
    return said


def _unbroken(own: pd.DataFrame) -> str:
    return UNJUDGED if own.empty else NONE if own["promised"].any() else NO_PROMISE


def _promises(frame: pd.DataFrame) -> str:
    told = dict(zip(frame["target"], frame["promises broken"], strict=True))
    unbroken = (NONE, NO_PROMISE, UNJUDGED)
    breaking = [f"{target} breaks {what}" for target, what in told.items() if what not in unbroken]
    kept = [target for target, what in told.items() if what == NONE]
    said = f"No promise is broken by {', '.join(kept)}" if kept else "No promise was judged"
    if breaking:
        said = f"Promises are broken: {'; '.join(breaking)}"
    known = dict(zip(frame["target"], frame["known defects"], strict=True))
    defects = [target for target, what in known.items() if what != NONE]
    return f"{said}. Known defects are seen of {', '.join(defects)}." if defects else f"{said}."


def _failures(summaries: Summaries) -> Iterator[str]:
    items = family(summaries.run.family).shape.items
    for target in summaries.run.names:
        statuses = summaries.statuses[summaries.statuses["target"] == target].groupby("status")["rows"].sum()
        for what, names in _LACKING.items():
            met = {status: int(statuses[status]) for status in names if status in statuses}
            if met:
                told = ", ".join(f"{status} {count:,}" for status, count in met.items())
                part = share(sum(met.values()) / int(statuses.sum()))
                yield f"{target} {what.format(items=items)} in {part} of its rows: {told}."


def optimal_in(level: str) -> str:
    """Name the column that says how often a target is at the optimum of a level."""
    return f"{level}: optimal"


def groups_of(summaries: Summaries) -> int:
    """Count the groups in complete waves, whether anybody answered them or not."""
    first = summaries.statuses[summaries.statuses["first"]]
    return int(first.groupby("target")["rows"].sum().max()) if len(first) else 0


def _first_legal(summaries: Summaries) -> dict[str, float]:
    first = summaries.statuses[summaries.statuses["first"]]
    return {target: _legal(first, target) or 0.0 for target in summaries.run.names}


def _legal(statuses: pd.DataFrame, target: str) -> float | None:
    """Return the share of a target's rows with a complete and legal answer."""
    own = statuses[statuses["target"] == target]
    rows = int(own["rows"].sum())
    return int(own[own["status"].isin(LEGAL)]["rows"].sum()) / rows if rows else None
