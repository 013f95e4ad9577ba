"""The folded figures of a report: by situation, beside the best of all, and over time."""

from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from kassay.families import family
from kassay.reports.figures.gap_boxes import gap_boxes
from kassay.reports.figures.gap_ecdf import gap_ecdf
from kassay.reports.figures.profile import profile
from kassay.reports.figures.settling import settling
from kassay.reports.figures.style import Look, looks, out_of
from kassay.reports.figures.timeline import timeline
from kassay.reports.page.figure import Figure, saved
from kassay.reports.tables.gaps import FIRST, first_gaps, profiles, telling_situations
from kassay.reports.tables.histogram import described
from kassay.reports.tables.rebalances import rebalances, withholding
from kassay.reports.tables.summaries import Summaries
from kassay.reports.tables.table import share, written
from kassay.reports.tables.timelines import first_rounds, over_time, timelines

BOXED, DRAWN = 7, 1
"""Situations in the boxes, and situations with distribution functions of their own."""


def folded_figures(summaries: Summaries, gaps: pd.DataFrame, folder: Path) -> Iterator[Figure]:
    """Draw and save the figures that the page folds away, in the order in which they are read."""
    known = looks(summaries.run.names)
    yield from _situations(summaries, gaps, known, folder)
    yield from _profiles(summaries, known, folder)
    yield from _timelines(summaries, known, folder)


def _situations(
    summaries: Summaries, gaps: pd.DataFrame, known: dict[str, Look], folder: Path
) -> Iterator[Figure]:
    items = family(summaries.run.family).shape.items
    telling = list(telling_situations(gaps, BOXED))
    for level in summaries.run.levels:
        boxed = gaps[(gaps["level"] == level) & (gaps["rebalance"] == FIRST)]
        boxes = described(boxed[boxed["situation"].isin(["", *telling])], ["situation", "target"], "gap")
        if len(boxes):
            order = {name: n for n, name in enumerate(["", *telling])}
            boxes = boxes.sort_values("situation", key=lambda names: names.map(order), kind="stable")
            ax = gap_boxes(boxes, f"{level.capitalize()}: gaps by situation", known, items=items)
            says = "The further left, the better. Boxes: first to third quartile; whiskers: 5th to 95th percentile; line: median; mark: mean. Over the groups compared: all, unless n says of how many."
            yield saved(ax, "situations", f"boxes-{level}", says, folder)
    for situation in telling[:DRAWN]:
        for level in summaries.run.levels:
            part = first_gaps(gaps, level, situation)
            if len(part):
                where = situation.replace("_", " ")
                ax = gap_ecdf(
                    part, f"{level.capitalize()}: gap to the optimum where {where}", known, items=items
                )
                says = f"Groups with {where} alone: how many of them are within so many {items} of the optimum. Further up and left is better."
                yield saved(ax, "situations", f"gap-{level}-{situation}", says, folder)


def _profiles(summaries: Summaries, known: dict[str, Look], folder: Path) -> Iterator[Figure]:
    frame = profiles(summaries)
    for level in summaries.run.levels:
        part = frame[frame["level"] == level]
        if len(part):
            best = part[part["ratio"] == 1].set_index("target")["share"].reindex(list(known), fill_value=0.0)
            told = ", ".join(f"{known[str(t)].label} {share(s)}" for t, s in best.items())
            ax = profile(part, f"{level.capitalize()}: performance profile", known)
            yield saved(
                ax,
                "profiles",
                f"profile-{level}",
                f"How often each assignor is how near to the best of all on the same group; further up is better. Best of all, or level with the best: {told}.",
                folder,
            )


def _timelines(summaries: Summaries, known: dict[str, Look], folder: Path) -> Iterator[Figure]:
    frame = timelines(summaries)
    for measure in over_time(summaries.run):
        steps = frame[frame["measure"] == measure]
        if steps["step"].nunique() > 1:
            last = steps[steps["step"] == steps["step"].max()]
            words = measure.replace("_", " ")
            says = f"Mean {words} after the last change: {_means(last, known)}."
            ax = timeline(steps, words.capitalize(), f"{words}, mean", known)
            yield saved(ax, "timelines", measure, says, folder)
    rounds, most = first_rounds(summaries), family(summaries.run.family).shape.most_rounds
    if len(rounds):
        says = f"Settled at once, of the groups tried for it: {_at_once(rounds, known)}."
        ax = settling(rounds, "Rounds of the groups as drawn", known, most=most)
        yield saved(ax, "timelines", "rounds", says, folder)
    if withholding(summaries.run):
        frame = rebalances(summaries).rename(columns={"rebalances": "rounds"})
        says = f"At rest with the first answer, of all groups: {_at_once(frame, known)}."
        until = "rebalances until the group is at rest"
        ax = settling(frame, "Rebalances of the groups as drawn", known, until=until)
        yield saved(ax, "timelines", "rebalances", says, folder)


def _at_once(rounds: pd.DataFrame, known: dict[str, Look]) -> str:
    """List the targets' shares of groups that take one round, of all in the histogram."""
    one = rounds[rounds["rounds"] == 1].groupby("target")["rows"].sum().reindex(list(known), fill_value=0)
    shares = one / rounds.groupby("target")["rows"].sum().reindex(list(known))
    return ", ".join(f"{known[str(target)].label} {share(part)}" for target, part in shares.dropna().items())


def _means(part: pd.DataFrame, known: dict[str, Look]) -> str:
    """List the targets' means, with the size of what they are over where that is not all."""
    told = []
    for row in part.to_dict("records"):
        size = "" if row["rows"] == row["of"] else f" ({out_of(row['rows'], row['of'])})"
        told.append(f"{known[row['target']].label} {written(row['mean'], 'tenths')}{size}")
    return ", ".join(told)
