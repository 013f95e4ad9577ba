"""The figures of a report: drawn, saved as SVG and PNG, and kept for the page with words for people who cannot see them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
from matplotlib.axes import Axes

from kassay.families import family
from kassay.reports.figures.cost import cost
from kassay.reports.figures.gap_boxes import gap_boxes
from kassay.reports.figures.gap_ecdf import gap_ecdf
from kassay.reports.figures.profile import profile
from kassay.reports.figures.saving import save
from kassay.reports.figures.settling import settling
from kassay.reports.figures.style import Look, looks, out_of
from kassay.reports.figures.timeline import timeline
from kassay.reports.page.smallest_groups import Smallest
from kassay.reports.shapes.picture import Picture
from kassay.reports.tables.costs import cost_table, fits, points
from kassay.reports.tables.gaps import FIRST, first_gaps, telling_situations
from kassay.reports.tables.histogram import described
from kassay.reports.tables.profiles import profiles
from kassay.reports.tables.properties import BROKEN
from kassay.reports.tables.summaries import Summaries, cost_sizes
from kassay.reports.tables.table import share, written
from kassay.reports.tables.timelines import first_rounds, over_time, timelines

BOXED, DRAWN = 7, 2
"""Situations in the boxes, and situations with distribution functions of their own."""
MOST_DRAWN = 12
"""Groups that are drawn for papers; the page shows all."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A saved figure: the section it belongs to, the name of its files, its SVG, and what it shows in words."""

    section: str
    name: str
    svg: str
    says: str


def figures(summaries: Summaries, gaps: pd.DataFrame, folder: Path) -> Iterator[Figure]:
    """Draw and save all figures of a sweep, and yield them in the order in which they are read."""
    known = looks(summaries.run.names)
    yield from _gaps(summaries, gaps, known, folder)
    yield from _profiles(summaries, known, folder)
    yield from _timelines(summaries, known, folder)
    axis = cost_sizes(summaries.run)[0]
    of_size = points(summaries.costs, axis)
    if len(of_size):
        laws = {target: fitted[0] for target, fitted in fits(summaries).items() if fitted}
        told = ", ".join(f"{known[target].label} {law.exponents[0]:.2f}" for target, law in laws.items())
        says = f"Exponents of the time in {axis}: {told}." if told else "Sizes are too few for exponents."
        sizes = cost_table(summaries).frame.set_index("target")[["answers", "of"]]
        partly = sizes[sizes["answers"] < sizes["of"]]
        for target, (answers, rows) in zip(partly.index, partly.to_numpy(), strict=True):
            says += f" {known[target].label} gives an answer in {answers:,} of {rows:,} rows."
        yield _saved(cost(of_size, axis, laws, "Time of an answer", known), "costs", "cost", says, folder)


def _gaps(summaries: Summaries, gaps: pd.DataFrame, known: dict[str, Look], folder: Path) -> Iterator[Figure]:
    items = family(summaries.run.family).shape.items
    telling = list(telling_situations(gaps, BOXED))
    for situation in ("", *telling[:DRAWN]):
        for level in summaries.run.levels:
            part = first_gaps(gaps, level, situation)
            if len(part):
                yield _saved(*_ecdf(part, level, situation, known, items), folder)
    for level in summaries.run.levels:
        boxed = gaps[(gaps["level"] == level) & (gaps["rebalance"] == FIRST)]
        boxes = described(boxed[boxed["situation"].isin(["", *telling])], ["situation", "target"], "gap")
        if len(boxes):
            order = {name: n for n, name in enumerate(["", *telling])}
            boxes = boxes.sort_values("situation", key=lambda names: names.map(order), kind="stable")
            ax = gap_boxes(boxes, f"{level.capitalize()}: gaps by situation", known, items=items)
            says = "Boxes from the first to the third quartile, whiskers from the 5th to the 95th percentile, line: median, mark: mean. They are over the groups compared: all, unless n says of how many."
            yield _saved(ax, "situations", f"boxes-{level}", says, folder)


def _ecdf(
    part: pd.DataFrame, level: str, situation: str, known: dict[str, Look], items: str
) -> tuple[Axes, str, str, str]:
    where = f" where {situation.replace('_', ' ')}" if situation else ""
    told = []
    for target, look in known.items():
        own = part[part["target"] == target]
        groups, compared = int(own["rows"].sum()), int(own[own["gap"].notna()]["rows"].sum())
        if groups:
            optimal = share(int(own[own["gap"] == 0]["rows"].sum()) / groups)
            partly = "" if compared == groups else f" ({share(compared / groups)} compared)"
            told.append(f"{look.label} {optimal}{partly}")
    ax = gap_ecdf(part, f"{level.capitalize()}: gap to the optimum{where}", known, items=items)
    says = f"At the optimum, of all groups: {', '.join(told)}."
    return ax, "gaps", f"gap-{level}{'-' * bool(situation)}{situation}", says


def _profiles(summaries: Summaries, known: dict[str, Look], folder: Path) -> Iterator[Figure]:
    frame = profiles(summaries)
    for level in summaries.run.levels:
        part = frame[frame["level"] == level]
        if len(part):
            best = part[part["ratio"] == 1].set_index("target")["share"].reindex(list(known), fill_value=0.0)
            told = ", ".join(f"{known[str(t)].label} {share(s)}" for t, s in best.items())
            ax = profile(part, f"{level.capitalize()}: performance profile", known)
            yield _saved(
                ax, "profiles", f"profile-{level}", f"Best of all, or level with the best: {told}.", folder
            )


def _timelines(summaries: Summaries, known: dict[str, Look], folder: Path) -> Iterator[Figure]:
    frame = timelines(summaries)
    for measure in over_time(summaries.run):
        steps = frame[frame["measure"] == measure]
        if steps["step"].nunique() > 1:
            last = steps[steps["step"] == steps["step"].max()]
            says = f"Mean {measure} after the last change: {_means(last, known)}."
            ax = timeline(steps, measure.capitalize(), f"{measure}, mean", known)
            yield _saved(ax, "timelines", measure, says, folder)
    rounds, most = first_rounds(summaries), family(summaries.run.family).shape.most_rounds
    if len(rounds):
        at_once = (
            rounds[rounds["rounds"] == 1].groupby("target")["rows"].sum().reindex(list(known), fill_value=0)
        )
        shares = at_once / rounds.groupby("target")["rows"].sum().reindex(list(known))
        told = ", ".join(
            f"{known[str(target)].label} {share(part)}" for target, part in shares.dropna().items()
        )
        ax = settling(rounds, "Rounds of the groups as drawn", known, most=most)
        yield _saved(
            ax, "timelines", "rounds", f"Settled at once, of the groups tried for it: {told}.", folder
        )


def draw_smallest(found: Sequence[Smallest], picture: Picture, folder: Path) -> None:
    """Draw the groups on which promises are broken, for papers: what the target gives, and what is better."""
    broken = [one for one in found if one.outcome == BROKEN and one.finding and picture.shows(one.size)]
    for one in broken[:MOST_DRAWN] if picture.draw else ():
        assert picture.draw is not None
        name = f"smallest-{one.target}-{one.property}".translate({ord(c): "_" for c in "/:#\\ "})
        if one.finding and one.finding.assignment is not None:
            save(
                picture.draw(f"{one.target} gives", one.group, one.finding.assignment),
                folder,
                f"{name}-gives",
            )
        if one.better:
            save(picture.draw(one.better.name, one.group, one.better.assignment), folder, f"{name}-better")


def _saved(ax: Axes, section: str, name: str, says: str, folder: Path) -> Figure:
    return Figure(section, name, save(ax, folder, name), says)


def _means(part: pd.DataFrame, known: dict[str, Look]) -> str:
    """List the targets' means, with the size of what they are over where that is not all."""
    told = []
    for row in part.to_dict("records"):
        size = "" if row["rows"] == row["of"] else f" ({out_of(row['rows'], row['of'])})"
        told.append(f"{known[row['target']].label} {written(row['mean'], 'tenths')}{size}")
    return ", ".join(told)
