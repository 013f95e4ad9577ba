"""Tables of Markdown as tables of a report, for CSV and LaTeX."""

import re
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pandas as pd
from markdown_it import MarkdownIt

from kassay.files.output import write_whole
from kassay.reports.tables.table import PLAIN, Table, write_table

NUMBER = re.compile(r"(?:0|[1-9]\d{0,2}(?:,\d{3})*)(?:\.\d+)?")
"""A number as pages write it, with separators of thousands."""
NOTHING = ("", "-")


def write_tables(item: str, text: str, caption: str, folder: Path) -> None:
    """Write the text of a part of a page, and each table in it as CSV, Markdown and LaTeX."""
    name = re.sub(r"\W+", "-", item.removeprefix("nox -s ")).strip("-")
    write_whole(folder / f"{name}.page.md", text)
    for number, (title, columns, rows) in enumerate(read_tables(text), 1):
        frame = pd.DataFrame(rows, columns=columns, dtype=object)
        numeric = [column for column in range(len(columns)) if is_numeric([row[column] for row in rows])]
        for column in numeric:
            frame.isetitem(column, [read_number(row[column]) for row in rows])
        forms = {columns[column]: PLAIN for column in numeric}
        named = f"{name}-{number}" if number > 1 else name
        write_table(Table(named, title or name, caption, frame.astype(object), forms), folder)


def read_tables(text: str) -> Iterator[tuple[str, list[str], list[list[str]]]]:
    """Yield the tables of Markdown: the heading above, the columns and the rows, as text without marks."""
    title, rows, heading = "", list[list[str]](), False
    for token in MarkdownIt("commonmark").enable("table").parse(text):
        match token.type:
            case "heading_open" | "heading_close":
                heading = token.nesting == 1
            case "table_open":
                rows = []
            case "tr_open":
                rows.append([])
            case "inline" if heading or token.level:
                said = "".join(child.content for child in token.children or ())
                if heading:
                    title = said
                elif rows:
                    rows[-1].append(said)
            case "table_close":
                yield title, rows[0], rows[1:]
                rows = []


def is_numeric(cells: list[str]) -> bool:
    """Return True if a column has numbers and nothing else."""
    found = [cell for cell in cells if cell not in NOTHING]
    return bool(found) and all(NUMBER.fullmatch(cell) for cell in found)


def read_number(cell: str) -> Decimal | None:
    """Return the number of a cell, with the digits that it has; None if there is none."""
    return None if cell in NOTHING else Decimal(cell.replace(",", ""))
