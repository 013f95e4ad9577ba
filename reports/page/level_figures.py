"""The figures of the page: gaps, differences and costs; and folded ones by situation, as performance profiles and over time."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from kassay.families import family
from kassay.families.family import Question
from kassay.reference import ASSIGNORS
from kassay.reports.comparison.effects import NOTHING, Effect
from kassay.reports.figures.gaps import (
    draw_cost,
    draw_differences,
    draw_gap_boxes,
    draw_gap_ecdf,
    draw_needless,
    draw_profile,
    draw_settling,
    draw_timeline,
)
from kassay.reports.figures.style import MOST, Look, assign_looks, format_sample_size
from kassay.reports.page.tables import Figure, save_figure
from kassay.reports.statistics import FEWEST
from kassay.reports.tables.gaps import (
    FIRST,
    compute_fits,
    compute_profiles,
    describe_histograms,
    select_first_gaps,
    select_telling_situations,
    select_times,
    select_told,
)
from kassay.reports.tables.rebalances import (
    compute_timelines,
    count_first_rounds,
    count_rebalances,
    has_withholding,
    list_timeline_measures,
)
from kassay.reports.tables.table import Summaries, Table, cost_sizes, format_share, format_value
from kassay.reports.tables.verdicts import describe_denominator, select_criteria, select_question_gaps
from kassay.sentences import format_count


@dataclass(frozen=True, slots=True)
class Level:
    """A level of the page's switch: its name, and its figures with their titles."""

    name: str
    figures: Sequence[tuple[str, Figure]]


def draw_level_figures(
    summaries: Summaries, compared: Mapping[str, Sequence[Effect]], reference: str, folder: Path
) -> Iterator[Level]:
    """Draw and save two figures for each question with a level: gaps to the optimum, and differences to the reference.

    `compared` has the effects of each level, one for each other target.
    """
    known = assign_looks(summaries.run.names)
    for question in select_criteria(summaries.run):
        frame = select_question_gaps(summaries, question) if question.level else pd.DataFrame()
        if len(frame):
            figures = [("All groups.", _draw_distances(frame, question, known, summaries, folder))]
            if effects := compared.get(question.level):
                figures.append(
                    (
                        f"Compared with {known[reference].label}, group by group.",
                        _draw_differences(effects, question, known, reference, summaries, folder),
                    )
                )
            yield Level(question.said, figures)


def _draw_distances(
    frame: pd.DataFrame, question: Question, known: Mapping[str, Look], summaries: Summaries, folder: Path
) -> Figure:
    items = _unit(question.level, summaries)
    of = int(frame.groupby("target")["rows"].sum().max())
    told = []
    for target, look in known.items():
        answered = int(frame[(frame["target"] == target) & frame["gap"].notna()]["rows"].sum())
        if answered < of:
            told.append(f"{look.label} ends at {format_share(answered / of)}")
    short = " Lines that end below 100 % have no answer to compare on the other groups." if told else ""
    if 0 < len(told) <= 4:
        short = f" {', '.join(told)}: no answer to compare on the other groups."
    marked = " The share at the optimum is next to each line." if len(known) <= MOST else ""
    says = f"Share of {describe_denominator(question, of)} by distance to the optimum in {items}. Further up and left is better.{marked}{short}"
    title = f"{question.level.capitalize()}: gap to the optimum"
    both = [
        draw_gap_ecdf(frame, title if legend else "", known, items=items, legend=legend)
        for legend in (True, False)
    ]
    return save_figure(both[0], "levels", f"gap-{question.level}", says, folder, both[1])


def _draw_differences(
    effects: Sequence[Effect],
    question: Question,
    known: Mapping[str, Look],
    reference: str,
    summaries: Summaries,
    folder: Path,
) -> Figure:
    label = known[reference].label
    rows = [
        {
            "target": one.target, "mean": one.difference if one.pairs else None,
            "low": one.interval[0] if one.interval else None, "high": one.interval[1] if one.interval else None,
            "better": one.lower, "same": one.pairs - one.lower - one.higher, "worse": one.higher, "verdict": one.verdict,
        }
        for one in effects
    ]  # fmt: skip
    pairs = [one.pairs for one in effects if one.verdict != NOTHING]
    of = (
        f"{min(pairs):,} to {max(pairs):,}"
        if pairs and min(pairs) < max(pairs)
        else f"{max(pairs, default=0):,}"
    )
    says = (
        f"Dot: mean difference to {label} on the same group, with its 95 % interval. Bar: number of groups that are better than {label}, "
        f"equal, or worse. Groups with answers of both: {of}."
    )
    items = _unit(question.level, summaries)
    title = f"{question.level.capitalize()}: compared with {label}"
    both = [
        draw_differences(
            pd.DataFrame(rows), label, title if legend else "", known, items=items, legend=legend
        )
        for legend in (True, False)
    ]
    return save_figure(both[0], "levels", f"beside-{question.level}", says, folder, both[1])


def _unit(level: str, summaries: Summaries) -> str:
    """Return the unit of a level's gaps: the items to assign, or the level's own unit."""
    of = family(summaries.run.family)
    words = of.level(level)
    return words.many if words.counts == "other" and words.one == words.many else of.shape.items


def draw_cost_figures(
    summaries: Summaries, costs: Table, prices: Table, folder: Path
) -> Iterator[tuple[str, Figure]]:
    """Draw and save the time of answers, and the needless cost of reads across racks, if they are known."""
    run = summaries.run
    known, axis = assign_looks(run.names), cost_sizes(run)[0]
    of_size = select_told(select_times(summaries, axis))
    if len(of_size):
        laws = {target: fitted[0] for target, fitted in compute_fits(summaries).items() if fitted}
        sizes = costs.frame.set_index("target")[["answers", "of"]]
        partly = [
            known[str(t)].label
            for t, (answers, rows) in zip(sizes.index, sizes.to_numpy(), strict=True)
            if answers < rows
        ]
        says = f"Median µs by the number of {axis}, on the machine below; further down is better. Bands: 95 % intervals."
        if any(name in ASSIGNORS for name in run.names):
            says += " kassay's references are Python; Kafka's classes have other times."
        if partly:
            says += f" {', '.join(partly[:4])}{f' and {len(partly) - 4} more' if len(partly) > 4 else ''}: only rows with an answer."
        both = [
            draw_cost(of_size, axis, laws, "Time of an answer" if legend else "", known, legend=legend)
            for legend in (True, False)
        ]
        yield "Time of one answer.", save_figure(both[0], "cost", "cost", says, folder, both[1])
    if len(prices.frame):
        column = str(prices.frame.columns[-1])
        frame = prices.frame.rename(columns={column: "value"})[["target", "value"]]
        groups, of = prices.frame["groups"], prices.frame["of"]
        number = (
            f"{groups.min():,} to {groups.max():,}" if groups.min() < groups.max() else f"{groups.max():,}"
        )
        says = (
            f"Cost above the least possible, {column.removeprefix('needless ')}; further left is better. "
            f"Groups with an answer: {number} of {of.max():,}. The table under Details has the assumptions."
        )
        both = [draw_needless(frame, title, known) for title in (column.capitalize(), "")]
        yield "Reading across racks.", save_figure(both[0], "cost", "needless", says, folder, both[1])


BOXED, DRAWN = 7, 1
"""The numbers of situations in the boxes, and of situations with their own distribution functions."""


def draw_folded_figures(summaries: Summaries, gaps: pd.DataFrame, folder: Path) -> Iterator[Figure]:
    """Draw and save the folded figures of the page, in their order."""
    known = assign_looks(summaries.run.names)
    yield from _draw_situations(summaries, gaps, known, folder)
    yield from _draw_profiles(summaries, known, folder)
    yield from _draw_timelines(summaries, known, folder)


def _draw_situations(
    summaries: Summaries, gaps: pd.DataFrame, known: dict[str, Look], folder: Path
) -> Iterator[Figure]:
    items = family(summaries.run.family).shape.items
    telling = list(select_telling_situations(gaps, BOXED))
    for level in summaries.run.levels:
        boxed = gaps[(gaps["level"] == level) & (gaps["rebalance"] == FIRST)]
        boxes = describe_histograms(
            boxed[boxed["situation"].isin(["", *telling])], ["situation", "target"], "gap"
        )
        if len(boxes):
            order = {name: n for n, name in enumerate(["", *telling])}
            boxes = boxes.sort_values("situation", key=lambda names: names.map(order), kind="stable")
            ax = draw_gap_boxes(boxes, f"{level.capitalize()}: gaps by situation", known, items=items)
            says = "The further left, the better. Boxes: first to third quartile; whiskers: 5th to 95th percentile; line: median; mark: mean. Over all groups, unless there is a sample size n."
            yield save_figure(ax, "situations", f"boxes-{level}", says, folder)
    for situation in telling[:DRAWN]:
        for level in summaries.run.levels:
            part = select_first_gaps(gaps, level, situation)
            if len(part):
                where = situation.replace("_", " ")
                ax = draw_gap_ecdf(
                    part, f"{level.capitalize()}: gap to the optimum with {where}", known, items=items
                )
                says = f"Only groups with {where}: their share by distance to the optimum in {items}. Further up and left is better."
                yield save_figure(ax, "situations", f"gap-{level}-{situation}", says, folder)


def _draw_profiles(summaries: Summaries, known: dict[str, Look], folder: Path) -> Iterator[Figure]:
    frame = compute_profiles(summaries)
    for level in summaries.run.levels:
        part = frame[frame["level"] == level]
        if len(part):
            best = part[part["ratio"] == 1].set_index("target")["share"].reindex(list(known), fill_value=0.0)
            told = ", ".join(f"{known[str(t)].label} {format_share(s)}" for t, s in best.items())
            ax = draw_profile(part, f"{level.capitalize()}: performance profile", known)
            yield save_figure(
                ax,
                "profiles",
                f"profile-{level}",
                f"Share of groups by the ratio to the best of all assignors on the same group; further up is better. Best, or equal to the best: {told}.",
                folder,
            )


def _draw_timelines(summaries: Summaries, known: dict[str, Look], folder: Path) -> Iterator[Figure]:
    frame = compute_timelines(summaries)
    for measure in list_timeline_measures(summaries.run):
        steps = frame[frame["measure"] == measure]
        if steps["step"].nunique() > 1:
            told = _end_curves(steps)
            last = told[told["step"] == told["step"].max()]
            words = measure.replace("_", " ")
            when = (
                "the last change"
                if len(told) == len(steps)
                else format_count(int(told["step"].max()), "change")
            )
            says = f"Mean {words} after {when}: {_list_means(last, known)}. Bands: 95 % intervals."
            ax = draw_timeline(told, words.capitalize(), f"{words}, mean", known)
            yield save_figure(ax, "timelines", measure, says, folder)
    rounds, most = count_first_rounds(summaries), family(summaries.run.family).shape.most_rounds
    if len(rounds):
        says = f"Converged at once, of the sampled groups: {_list_shares_at_once(rounds, known)}."
        ax = draw_settling(rounds, "Rounds of the groups as drawn", known, most=most)
        yield save_figure(ax, "timelines", "rounds", says, folder)
    if has_withholding(summaries.run):
        frame = count_rebalances(summaries).rename(columns={"rebalances": "rounds"})
        says = f"Converged with the first answer, of all groups: {_list_shares_at_once(frame, known)}."
        until = "rebalances until the group converges"
        ax = draw_settling(frame, "Rebalances of the groups as drawn", known, until=until)
        yield save_figure(ax, "timelines", "rebalances", says, folder)


def _end_curves(steps: pd.DataFrame) -> pd.DataFrame:
    """Return the steps up to the last one with enough groups for an interval; the first step has all groups."""
    enough = steps[steps["step"] == 0].set_index("target")["rows"].clip(upper=FEWEST)
    short = steps[steps["rows"] < steps["target"].map(enough).fillna(FEWEST)]
    ends = short.groupby("target")["step"].min()
    return steps[steps["step"] < steps["target"].map(ends).fillna(np.inf)]


def _list_shares_at_once(rounds: pd.DataFrame, known: dict[str, Look]) -> str:
    """Return the targets' shares of groups with one round, of all in the histogram."""
    one = rounds[rounds["rounds"] == 1].groupby("target")["rows"].sum().reindex(list(known), fill_value=0)
    shares = one / rounds.groupby("target")["rows"].sum().reindex(list(known))
    return ", ".join(
        f"{known[str(target)].label} {format_share(part)}" for target, part in shares.dropna().items()
    )


def _list_means(part: pd.DataFrame, known: dict[str, Look]) -> str:
    """Return the targets' means, with the sample size if it is not all."""
    told = []
    for row in part.to_dict("records"):
        size = "" if row["rows"] == row["of"] else f" ({format_sample_size(row['rows'], row['of'])})"
        told.append(f"{known[row['target']].label} {format_value(row['mean'], 'tenths')}{size}")
    return ", ".join(told)
