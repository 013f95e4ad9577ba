"""A table of the report: a DataFrame, what it says, and how its numbers are written for people.

Write a table as CSV (numbers as they are, formulas as text), Markdown and LaTeX (as people read them).
"""

import io
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from kassay.files.output import write_whole
from kassay.output.block import Block, one_line
from kassay.output.markdown import write_markdown
from kassay.shape import TextTable

SHARE, TENTHS, MONEY, MICROS = "share", "tenths", "money", "micros"
"""How a column is written: 0.125 as 12.5 %, 1.25 as 1.2 (three digits where small), as 1.25, as 1,250."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table: `name` is that of its files; `forms` says for a column how its numbers are written, if not as they are."""

    name: str
    title: str
    caption: str
    frame: pd.DataFrame
    forms: Mapping[str, str] = field(default_factory=dict)

    def shown(self) -> pd.DataFrame:
        """Return every cell as people read it."""
        columns = {
            name: [written(value, self.forms.get(str(name), "")) for value in column]
            for name, column in self.frame.items()
        }
        return pd.DataFrame(columns, columns=self.frame.columns, dtype=object)


def written(value: object, form: str = "") -> str:
    """Write a value for people: thousands apart, a hyphen where there is none; what is not nothing is never shown as 0."""
    if value is None or value is pd.NA or (isinstance(value, float) and math.isnan(value)):
        return "-"
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "yes" if value else "no"
    number = float(value)  # type: ignore[arg-type]
    if form == SHARE:
        return share(number)
    if form == MONEY:
        return f"{number:,.2f}"
    if form == TENTHS:
        return (
            "0"
            if not number
            else f"{number:,.0f}"
            if abs(number) >= 100
            else f"{number:,.1f}"
            if abs(number) >= 10
            else f"{number:.2g}"
        )
    return f"{number:,.0f}"


def share(part: float) -> str:
    """Write a share in per cent: 100 % and 0 % only where they are exact."""
    percent = 100 * part
    if percent in (0, 100):
        return f"{percent:.0f} %"
    if percent < 0.1:
        return "< 0.1 %"
    return "> 99.9 %" if percent > 99.9 else f"{percent:.1f} %"


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
