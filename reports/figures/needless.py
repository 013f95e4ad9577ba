"""What each target spends needlessly: a bar for each, and its value written at the bar's end."""

from collections.abc import Mapping

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import Formatter

from kassay.reports.figures.colours import INK
from kassay.reports.figures.labels import short
from kassay.reports.figures.style import WIDTH, Look, axes, look_of
from kassay.reports.tables.table import TENTHS, written

ROW, LOW_ROW, MANY = 0.34, 0.22, 12
"""Inches of a target, the same where there are more than MANY."""


def needless(
    frame: pd.DataFrame,
    title: str = "",
    looks: Mapping[str, Look] | None = None,
    ax: Axes | None = None,
    *,
    unit: str = "",
) -> Axes:
    """Draw columns target, value: a bar from 0 for each row, from the top; a value that is null is not known.

    `unit` says what the values are.
    """
    known = look_of(looks, list(frame["target"]))
    row = ROW if len(frame) <= MANY else LOW_ROW
    with axes(ax, WIDTH, 1.0 + row * max(1, len(frame))) as drawn:
        names = drawn.get_yaxis_transform()
        for at, (target, value) in enumerate(zip(frame["target"], frame["value"], strict=True)):
            look = known[target]
            drawn.text(-0.02, at, short(look.label), transform=names, ha="right", va="center", gid=look.gid)
            length = 0.0 if pd.isna(value) else float(value)
            if not pd.isna(value):
                drawn.barh(at, length, height=0.56, color=look.colour, gid=look.gid)
            drawn.annotate(
                "not known" if pd.isna(value) else Formatter.fix_minus(written(length, TENTHS)),
                (length, at), (-4 if length < 0 else 4, 0), textcoords="offset points",
                ha="right" if length < 0 else "left", va="center", gid=look.gid,
            )  # fmt: skip
        drawn.axvline(0, color=INK, linewidth=1)
        drawn.set_ylim(max(1, len(frame)) - 0.5, -0.5)
        drawn.set_yticks([])
        drawn.spines["left"].set_visible(False)
        _limits(drawn, frame["value"].dropna().astype(float).tolist())
        drawn.locator_params(axis="x", nbins=5)
        drawn.xaxis.set_major_formatter("{x:,.10g}")
        drawn.set(xlabel=unit, title=title)
    return drawn


def _limits(ax: Axes, values: list[float]) -> None:
    """Make room for all bars, and for the numbers beyond them."""
    low, high = min([0.0, *values]), max([0.0, *values])
    span = high - low or 1.0
    digit = 0.024 * span
    ax.set_xlim(
        low - digit * (len(written(low, TENTHS)) + 2) * (low < 0),
        high + digit * (len(written(high, TENTHS)) + 2),
    )
