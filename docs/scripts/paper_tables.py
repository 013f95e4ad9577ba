"""Tables of Markdown as tables of a report, for CSV and LaTeX."""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from pathlib import Path

import pandas as pd
from markdown_it import MarkdownIt

from kassay.files.output import write_whole
from kassay.reports.tables.table import PLAIN, Table, write_table

NUMBER = re.compile(r"(?:0|[1-9]\d{0,2}(?:,\d{3})*)(?:\.\d+)?")
"""A number as pages write it, with separators of thousands."""


def write_tables(item: str, text: str, caption: str, folder: Path) -> None:
    """Write the text of a part of a page, and each table in it as CSV, Markdown and LaTeX."""
    name = re.sub(r"\W+", "-", item.removeprefix("nox -s ")).strip("-")
    write_whole(folder / f"{name}.page.md", text)
    for number, (title, columns, rows) in enumerate(read_tables(text), 1):
        cells = {column: read_numbers([row[n] for row in rows]) for n, column in enumerate(columns)}
        frame = pd.DataFrame({column: pd.Series(of, dtype=object) for column, of in cells.items()})
        named = f"{name}-{number}" if number > 1 else name
        shown = title.rstrip(".") or name.replace("_", " ").capitalize()
        write_table(Table(named, shown, caption, frame, dict.fromkeys(columns, PLAIN)), folder)


def read_tables(text: str) -> Iterator[tuple[str, list[str], list[list[str]]]]:
    """Yield the tables of Markdown, as text without marks: the heading or paragraph above, the columns, the rows."""
    above, rows, inside = "", list[list[str]](), False
    for token in MarkdownIt("commonmark").enable("table").parse(text):
        said = "".join(child.content or " " * (child.type == "softbreak") for child in token.children or ())
        match token.type:
            case "table_open":
                rows, inside = [], True
            case "tr_open":
                rows.append([])
            case "inline" if inside:
                rows[-1].append(said)
            case "inline":
                above = said
            case "table_close":
                yield above, rows[0], rows[1:]
                above, inside = "", False


def read_numbers(cells: Sequence[str]) -> Sequence[str | Decimal | None]:
    """Return the numbers of a column with the digits that they have, or the cells as they are if some are no numbers."""
    found = [cell for cell in cells if cell]
    if not found or not all(NUMBER.fullmatch(cell) for cell in found):
        return cells
    return [Decimal(cell.replace(",", "")) if cell else None for cell in cells]
