"""The open figures of the page: how far each target is from the optimum and from another target, and what it costs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from kassay.families import family
from kassay.family import Question
from kassay.reference import ASSIGNORS
from kassay.reports.comparing.effects import NOTHING, Effect
from kassay.reports.figures.cost import cost
from kassay.reports.figures.differences import differences
from kassay.reports.figures.gap_ecdf import gap_ecdf
from kassay.reports.figures.labels import MOST
from kassay.reports.figures.needless import needless
from kassay.reports.figures.style import Look, looks
from kassay.reports.page.figure import Figure, saved
from kassay.reports.tables.costs import fits, points
from kassay.reports.tables.questions import asked, groups_meant, question_gaps
from kassay.reports.tables.summaries import Summaries, cost_sizes
from kassay.reports.tables.table import Table, share


@dataclass(frozen=True, slots=True)
class Level:
    """A level of the switch: its name, and its figures with what they are called."""

    name: str
    figures: Sequence[tuple[str, Figure]]


def level_figures(
    summaries: Summaries, compared: Mapping[str, Sequence[Effect]], reference: str, folder: Path
) -> Iterator[Level]:
    """Draw and save two figures for each question with a level: distances to the optimum, and differences to the reference.

    `compared` has the effects of each level, one for each other target.
    """
    known = looks(summaries.run.names)
    for question in asked(summaries.run):
        frame = question_gaps(summaries, question) if question.level else pd.DataFrame()
        if len(frame):
            figures = [("All groups.", _distances(frame, question, known, summaries, folder))]
            if effects := compared.get(question.level):
                figures.append(
                    (
                        f"Beside {known[reference].label}, group by group.",
                        _differences(effects, question, known, reference, summaries, folder),
                    )
                )
            yield Level(question.level, figures)


def _distances(
    frame: pd.DataFrame, question: Question, known: Mapping[str, Look], summaries: Summaries, folder: Path
) -> Figure:
    items = family(summaries.run.family).shape.items
    of = int(frame.groupby("target")["rows"].sum().max())
    told = []
    for target, look in known.items():
        answered = int(frame[(frame["target"] == target) & frame["gap"].notna()]["rows"].sum())
        if answered < of:
            told.append(f"{look.label} ends at {share(answered / of)}")
    short = (
        f"; {', '.join(told)}: on the rest there is no answer to compare"
        if 0 < len(told) <= 4
        else "; lines that end below 100 % have no answer to compare on the rest"
        if told
        else ""
    )
    says = f"Share of {groups_meant(question, of)} within so many {items} of the optimum. Further up and left is better{'; beside each line stands its share at the optimum' if len(known) <= MOST else ''}{short}."
    title = f"{question.level.capitalize()}: gap to the optimum"
    both = [
        gap_ecdf(frame, title if legend else "", known, items=items, legend=legend)
        for legend in (True, False)
    ]
    return saved(both[0], "levels", f"gap-{question.level}", says, folder, both[1])


def _differences(
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
        f"Dot: mean difference to {label} on the same group, with its 95 % interval. Bar: in how many groups it is better than {label}, "
        f"the same, worse. Of the same groups, the {of} that both answer."
    )
    items = family(summaries.run.family).shape.items
    title = f"{question.level.capitalize()}: beside {label}"
    both = [
        differences(pd.DataFrame(rows), label, title if legend else "", known, items=items, legend=legend)
        for legend in (True, False)
    ]
    return saved(both[0], "levels", f"beside-{question.level}", says, folder, both[1])


def cost_figures(
    summaries: Summaries, costs: Table, prices: Table, folder: Path
) -> Iterator[tuple[str, Figure]]:
    """Draw and save what answers take, and what crossing racks costs needlessly, where these are known."""
    run = summaries.run
    known, axis = looks(run.names), cost_sizes(run)[0]
    of_size = points(summaries.costs, axis)
    if len(of_size):
        laws = {target: fitted[0] for target, fitted in fits(summaries).items() if fitted}
        sizes = costs.frame.set_index("target")[["answers", "of"]]
        partly = [
            known[str(t)].label
            for t, (answers, rows) in zip(sizes.index, sizes.to_numpy(), strict=True)
            if answers < rows
        ]
        says = f"Median µs by the number of {axis}, on the machine below; further down is better."
        if any(name in ASSIGNORS for name in run.names):
            says += " kassay's references are Python: Kafka's own classes take other times."
        if partly:
            says += f" {', '.join(partly[:4])}{f' and {len(partly) - 4} more' if len(partly) > 4 else ''}: of the rows that have an answer."
        both = [
            cost(of_size, axis, laws, "Time of an answer" if legend else "", known, legend=legend)
            for legend in (True, False)
        ]
        yield "Time of one answer.", saved(both[0], "cost", "cost", says, folder, both[1])
    if len(prices.frame):
        column = str(prices.frame.columns[-1])
        frame = prices.frame.rename(columns={column: "value"})[["target", "value"]]
        groups, of = prices.frame["groups"], prices.frame["of"]
        number = (
            f"{groups.min():,} to {groups.max():,}" if groups.min() < groups.max() else f"{groups.max():,}"
        )
        says = (
            f"What each spends beyond the least possible: {column.removeprefix('needless ')}, further left is better. "
            f"Of the {number} groups of {of.max():,} with an answer; the table under Details says what is assumed."
        )
        both = [needless(frame, title, known) for title in (column.capitalize(), "")]
        yield "Reading across racks.", saved(both[0], "cost", "needless", says, folder, both[1])
