"""Tables as a page shows them: cells with what they say, what they are sorted by, where they lead and how they look.

A figure of the report: drawn, saved as SVG and PNG, and kept for the page with words for people who cannot see it.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from markupsafe import Markup
from matplotlib.axes import Axes

from kassay.reports.figures.style import as_svg, save
from kassay.reports.page.groups.smallest_groups import Smallest
from kassay.reports.page.inline import inline, ours
from kassay.reports.shapes.layout import Picture
from kassay.reports.tables.properties import BROKEN, KEPT, KNOWN_DEFECT, LIMIT, NOT_BROKEN, breaches, cell
from kassay.reports.tables.table import Table

SEARCHED = 8
"""A table of more rows gets a field to filter it with."""
LONG = 24
"""A table of more rows scrolls."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell: text, the number it is sorted by (None: by its text), a class of the style sheet and a link, if any."""

    text: str | Markup
    number: float | None = None
    look: str = ""
    link: str = ""


@dataclass(frozen=True, slots=True)
class Shown:
    """A table for the page; `name` is that of its files."""

    name: str
    title: str
    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]

    @property
    def searched(self) -> bool:
        """Whether it is long enough to be filtered."""
        return len(self.rows) > SEARCHED

    @property
    def long(self) -> bool:
        """Whether it scrolls on the page instead of taking all its room."""
        return len(self.rows) > LONG


def shown(table: Table) -> Shown:
    """Return a table with every number sortable as a number."""
    texts = table.shown()
    columns = []
    for name, column in table.frame.items():
        numbers = pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column)
        columns.append(
            [
                Cell(text, _number(value) if numbers else None, "n" if numbers else "")
                for text, value in zip(texts[name], column, strict=True)
            ]
        )
    rows = list(zip(*columns, strict=True))
    return Shown(table.name, table.title, table.caption, [str(name) for name in table.frame], rows)


def matrix(frame: pd.DataFrame, table: Table, anchor: Callable[[str, str], str]) -> Shown:
    """Return the matrix of properties with every broken cell linked to its smallest group."""
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
            seen = breaches(row)
            link = f"#{anchor(str(target), name)}" if seen else ""
            look = _LOOKS.get(str(row["outcome"]), "no")
            cells.append(Cell(cell(row), seen / row["tried"], look, link))
        rows.append(cells)
    return Shown(table.name, table.title, table.caption, [str(name) for name in table.frame], rows)


def with_boxes(table: Shown, frame: pd.DataFrame) -> Shown:
    """Add a small box plot of its quantiles to each row of a table of gaps; from 0 to the greatest of its level."""
    greatest = frame.groupby("level")["greatest"].max().clip(lower=1)
    drawn = [
        Cell(_box(row, greatest[row["level"]]), float(row["mean"]), "box") if row["rows"] else Cell("-")
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


def _number(value: object) -> float | None:
    return None if pd.isna(value) else float(value)  # type: ignore[arg-type, call-overload]


def _box(row: Mapping[Hashable, Any], greatest: float) -> Markup:
    """Draw the quantiles on a scale of roots, on which small gaps are seen and large ones fit."""

    def at(name: str) -> float:
        return round(2 + 96 * float((row[name] / greatest) ** 0.5), 1)

    width = max(1.0, round(at("p75") - at("p25"), 1))
    return Markup(
        '<svg class="box" viewBox="0 0 100 12" aria-hidden="true">'
        '<path d="M{} 6H{}M{} 3V9"/><rect x="{}" y="2" width="{}" height="8"/><path class="m" d="M{} 1V11"/></svg>'
    ).format(at("p5"), at("p95"), at("greatest"), at("p25"), width, at("p50"))


MOST_DRAWN = 12
"""Groups that are drawn for papers; the page shows all."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A saved figure: the section it belongs to, the name of its files, its SVG for the page, and what it shows in words."""

    section: str
    name: str
    svg: Markup
    says: str


def saved(ax: Axes, section: str, name: str, says: str, folder: Path, plain: Axes | None = None) -> Figure:
    """Save a figure for papers; the page shows `plain`, the same without a legend, where there is one."""
    svg = save(ax, folder, name)
    return Figure(
        section, name, ours(inline(svg if plain is None else as_svg(plain, name), name, says)), says
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
