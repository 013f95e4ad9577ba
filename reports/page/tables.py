"""Tables and saved figures of the report's page, the matrix of assignors by questions, and the tables of a migration."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import pandas as pd
from markupsafe import Markup
from matplotlib.axes import Axes

from kassay.families.family import Question
from kassay.reports.comparison.effects import HIGHER, LOWER, NOTHING, Effect
from kassay.reports.comparison.gates import Migrated
from kassay.reports.figures.gaps import format_interval
from kassay.reports.figures.style import as_svg, save
from kassay.reports.page.groups.drawn_groups import Smallest
from kassay.reports.page.inline import inline, mark_trusted
from kassay.reports.shapes.layout import Picture
from kassay.reports.tables.properties import (
    BROKEN,
    KEPT,
    KNOWN_DEFECT,
    LIMIT,
    NOT_BROKEN,
    count_breaches,
    describe_cell,
)
from kassay.reports.tables.table import TENTHS, Table, format_share, format_value

SEARCHED = 8
"""A table with more rows has a filter field."""
LONG = 24
"""A table with more rows scrolls."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell: text, the number to sort by (None: sort by text), a class of the style sheet, and a link."""

    text: str | Markup
    number: float | None = None
    look: str = ""
    link: str = ""


@dataclass(frozen=True, slots=True)
class Shown:
    """A table for the page; `name` is the name of its files."""

    name: str
    title: str
    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]

    @property
    def searched(self) -> bool:
        """True if the table has a filter field."""
        return len(self.rows) > SEARCHED

    @property
    def long(self) -> bool:
        """True if the table scrolls."""
        return len(self.rows) > LONG


def show_table(table: Table) -> Shown:
    """Return a table in which numbers are sorted as numbers."""
    texts = table.format_cells()
    columns = []
    for name, column in table.frame.items():
        numbers = pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column)
        columns.append(
            [
                Cell(text, float(value) if numbers and not pd.isna(value) else None, "n" if numbers else "")
                for text, value in zip(texts[name], column, strict=True)
            ]
        )
    rows = list(zip(*columns, strict=True))
    return Shown(table.name, table.title, table.caption, [str(name) for name in table.frame], rows)


def build_matrix(frame: pd.DataFrame, table: Table, anchor: Callable[[str, str], str]) -> Shown:
    """Return the matrix of properties, with a link from every broken cell to its smallest group."""
    found = {(row["property"], row["target"]): row for row in frame.to_dict("records")}
    targets = list(table.frame.columns[1:])
    rows = []
    for name in table.frame["property"]:
        cells = [Cell(name)]
        for target in targets:
            row = found.get((name, target))
            if row is None:
                cells.append(Cell("not tried", -1.0, "none"))
                continue
            seen = count_breaches(row)
            link = f"#{anchor(str(target), name)}" if seen else ""
            look = _LOOKS.get(str(row["outcome"]), "no")
            cells.append(Cell(describe_cell(row), seen / row["tried"], look, link))
        rows.append(cells)
    return Shown(table.name, table.title, table.caption, [str(name) for name in table.frame], rows)


def with_boxes(table: Shown, frame: pd.DataFrame) -> Shown:
    """Add a small box plot of the quantiles to each row of a table of gaps, from 0 to the greatest gap of its level."""
    greatest = frame.groupby("level")["greatest"].max().clip(lower=1)
    drawn = [
        Cell(_draw_box(row, greatest[row["level"]]), float(row["mean"]), "box") if row["rows"] else Cell("-")
        for row in frame.to_dict("records")
    ]
    at = table.columns.index("mean") + 1
    kept = [n for n, name in enumerate(table.columns) if n >= at and name not in ("p5", "p95")]
    columns = [*table.columns[:at], "spread", *(table.columns[n] for n in kept)]
    rows = [
        [*cells[:at], box, *(cells[n] for n in kept)] for cells, box in zip(table.rows, drawn, strict=True)
    ]
    return Shown(table.name, table.title, table.caption, columns, rows)


_LOOKS = {BROKEN: "broken", KNOWN_DEFECT: "known", LIMIT: "none", KEPT: "kept", NOT_BROKEN: "none"}


def _draw_box(row: Mapping[Hashable, Any], greatest: float) -> Markup:
    """Draw the quantiles on a square root scale, on which small gaps are visible and large ones fit."""

    def at(name: str) -> float:
        return round(2 + 96 * float((row[name] / greatest) ** 0.5), 1)

    width = max(1.0, round(at("p75") - at("p25"), 1))
    return Markup(
        '<svg class="box" viewBox="0 0 100 12" aria-hidden="true">'
        '<path d="M{} 6H{}M{} 3V9"/><rect x="{}" y="2" width="{}" height="8"/><path class="m" d="M{} 1V11"/></svg>'
    ).format(at("p5"), at("p95"), at("greatest"), at("p25"), width, at("p50"))


MOST_DRAWN = 12
"""The number of groups that are drawn for papers; the page shows all."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A saved figure: its section, the name of its files, its SVG for the page, and its description."""

    section: str
    name: str
    svg: Markup
    says: str


def save_figure(
    ax: Axes, section: str, name: str, says: str, folder: Path, plain: Axes | None = None
) -> Figure:
    """Save a figure for papers; the page shows `plain`, the same figure without a legend, if given."""
    svg = save(ax, folder, name)
    return Figure(
        section, name, mark_trusted(inline(svg if plain is None else as_svg(plain, name), name, says)), says
    )


def draw_smallest(found: Sequence[Smallest], picture: Picture, folder: Path) -> None:
    """Draw the groups on which promises are broken, for papers: the target's answer, and a better one."""
    broken = [one for one in found if one.outcome == BROKEN and one.finding and picture.shows(one.size)]
    for one in broken[:MOST_DRAWN] if picture.draw else ():
        assert picture.draw is not None
        name = f"smallest-{one.target}-{one.property}".translate({ord(c): "_" for c in "/:#\\ "})
        if one.finding and one.finding.assignment is not None:
            drawn = picture.draw(f"{one.target} gives", one.group, one.finding.assignment)
            save(drawn, folder, f"{name}-gives")
        if one.better:
            save(picture.draw(one.better.name, one.group, one.better.assignment), folder, f"{name}-better")


@dataclass(frozen=True, slots=True)
class Column:
    """A question: its name, the meaning of right, and the groups that it applies to."""

    name: str
    says: str
    of: str
    groups: str


@dataclass(frozen=True, slots=True)
class ShareCell:
    """A share as text, the text under it, its width in per cent, a class of the style sheet, and a link."""

    share: str
    under: str
    width: str
    look: str = ""
    link: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """An assignor: its place in the run, its label and description, and a cell for each question, or None if no group applies."""

    place: int
    label: str
    says: str
    cells: Sequence[ShareCell | None]
    study: bool = False
    """True for a research assignor."""


def list_columns(frame: pd.DataFrame, questions: Sequence[Question]) -> list[Column]:
    """Return the questions with the number of their groups."""
    of = frame.groupby("question")["of"].max()
    return [Column(each.shown, each.says, f"{of[each.name]:,}", each.of.says) for each in questions]


def build_rows(
    frame: pd.DataFrame,
    questions: Sequence[Question],
    known: Mapping[str, str],
    says: Mapping[str, str],
    failures: str,
    compared: Sequence[str],
) -> list[Row]:
    """Return a row for each target.

    `known` has the labels of targets, `says` their descriptions. A failed cell links to `failures`. Only targets in `compared` can be
    marked best.
    """
    found = {(row["question"], row["target"]): row for row in frame.to_dict("records")}
    best = frame[frame["target"].isin(compared)].groupby("question")["right"].max()
    made = []
    for place, (target, label) in enumerate(known.items()):
        cells: list[ShareCell | None] = []
        for question in questions:
            row = found[question.name, target]
            right, of = int(row["right"]), int(row["of"])
            leads = target in compared and right == best[question.name] > 0 and len(compared) > 1
            cells.append(
                _build_cell(right, of, failures if question.of_legality else "", leads) if of else None
            )
        made.append(Row(place, label, says.get(target, ""), cells, target not in compared))
    return made


def _build_cell(right: int, of: int, failures: str, leads: bool) -> ShareCell:
    width = f"{100 * right / of:.1f}%"
    if failures and right < of:
        return ShareCell(format_share(right / of), f"fails on {of - right:,}", width, "bad", failures)
    look = "best" if leads else ""
    if right == of:
        return ShareCell(
            format_share(1), f"all {of:,}" if of > 1 else "on the one group", width, f"{look} all".strip()
        )
    return ShareCell(format_share(right / of), f"{right:,}{' · best' if leads else ''}", width, look)


_CHANGED = {LOWER: "better", HIGHER: "worse"}


@dataclass(frozen=True, slots=True)
class Change:
    """The change of one measure: means before and after, the difference with its interval, and a class of the style sheet."""

    means: str
    says: str
    look: str


@dataclass(frozen=True, slots=True)
class From:
    """The present assignor of a group, the assignors it can move to, and for each measure the number of groups and the changes."""

    label: str
    to: Sequence[str]
    rows: Sequence[tuple[str, str, Sequence[Change]]]


@dataclass(frozen=True, slots=True)
class Moving:
    """The question of a migration, and the tables that answer it."""

    question: str
    tables: Sequence[From]


def build_moving_tables(found: Iterable[Migrated], known: Mapping[str, str]) -> list[Moving]:
    """Return the tables of changes in a migration; `known` has the labels of targets."""
    made = []
    for one in found:
        tables = []
        for reference, same in groupby(one.pairs, key=lambda pair: pair[0].reference):
            pairs, rows = list(same), []
            for effects in zip(*pairs, strict=True):
                least, most = (pick(effect.pairs for effect in effects) for pick in (min, max))
                of = f"{least:,} groups" if least == most else f"{least:,} to {most:,} groups"
                rows.append((effects[0].name, of, [_describe_change(effect) for effect in effects]))
            tables.append(From(known[reference], [known[pair[0].target] for pair in pairs], rows))
        made.append(Moving(one.question, tables))
    return made


def _describe_change(effect: Effect) -> Change:
    if effect.verdict == NOTHING:
        return Change("\N{EN DASH}", "no group has answers of both", "")
    after, before = (format_value(mean, TENTHS) for mean in effect.means)
    look = _CHANGED.get(effect.verdict, "")
    if not look:
        return Change(f"{before} → {after}", effect.verdict, "")
    low, high = effect.interval or (None, None)
    return Change(f"{before} → {after}", f"{format_interval(effect.difference, low, high)}, {look}", look)
