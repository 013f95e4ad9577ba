"""A table of the report: a DataFrame, what it says, and how its numbers are written for people."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import pandas as pd

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
