"""Write a table as CSV (numbers as they are, formulas as text), Markdown and LaTeX (as people read them)."""

import io
from pathlib import Path

import pandas as pd

from kassay.files.writing import write_whole
from kassay.output.block import Block, one_line
from kassay.output.markdown import write_markdown
from kassay.reports.tables.table import Table
from kassay.shape import TextTable

FORMULAS = ("=", "+", "-", "@", "\t", "\r")
"""What cells begin with that spreadsheets take for formulas."""


def write_table(table: Table, folder: Path) -> None:
    """Write the table's three files into a folder."""
    plain = table.frame.rename(columns=_plain)
    for name, column in plain.items():
        if column.dtype == object:
            plain[name] = pd.Series(map(_plain, column), column.index, object)
    write_whole(folder / f"{table.name}.csv", plain.to_csv(index=False, lineterminator="\n"))
    write_whole(folder / f"{table.name}.md", markdown(table))
    write_whole(folder / f"{table.name}.tex", latex(table))


def _plain(value: object) -> object:
    """Let no text be a formula to those who open the file in a spreadsheet, nor hide what it says."""
    if not isinstance(value, str):
        return value
    return f"'{one_line(value)}" if value.startswith(FORMULAS) else one_line(value)


def markdown(table: Table) -> str:
    """Return the table in Markdown, with its title and caption."""
    shown = table.shown()
    grid = TextTable([str(column) for column in shown.columns], shown.to_numpy().tolist(), table.caption)
    out = io.StringIO()
    write_markdown([Block(table.title, grid=grid)], out)
    return out.getvalue()


def latex(table: Table) -> str:
    """Return the table in LaTeX (booktabs); every character of a name stands as it is."""
    shown = table.shown()
    numeric = [not isinstance(value, str) for value in (table.frame.iloc[0] if len(table.frame) else ())]
    layout = "".join("r" if right else "l" for right in numeric) or "l" * len(shown.columns)
    escaped = shown.map(_escaped).rename(columns=_escaped)
    tabular = escaped.style.hide(axis="index").to_latex(hrules=True, column_format=layout)
    caption = f"{_escaped(table.title)}. {_escaped(table.caption)}"
    return f"\\begin{{table}}\n\\caption{{{caption}}}\n\\label{{tab:{table.name}}}\n{tabular}\\end{{table}}\n"


_SPECIAL = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}",
    ">": r"\textgreater{}", "$": r"\$", **{sign: f"\\{sign}" for sign in "&%#_{}"},
}  # fmt: skip


def _escaped(text: object) -> str:
    return "".join(_SPECIAL.get(character, character) for character in one_line(str(text)))
