"""What happens over timelines: the mean of a measure in each rebalance, a line for each target.

How fast answers settle: the share of groups in which they repeat themselves, or are at rest, within 1, 2, ... rounds.

The time of an answer against the size of the group, both logarithmic, with the power laws fitted to it.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

from kassay.reports.figures.style import (
    Look,
    Mark,
    axes,
    draw_legend,
    height_of,
    in_percent,
    label_marks,
    look_of,
    out_of,
    short,
)
from kassay.reports.tables.gaps import Fit
from kassay.reports.tables.table import TENTHS, written


def timeline(
    frame: pd.DataFrame,
    title: str = "",
    unit: str = "mean",
    looks: Mapping[str, Look] | None = None,
    ax: Axes | None = None,
    *,
    legend: bool = True,
) -> Axes:
    """Draw columns target, step, mean, rows, of: the means over the steps, over the right answers (rows) of all (of)."""
    known = look_of(looks, list(frame["target"]))
    with axes(ax, height=height_of(known, legend)) as drawn:
        for target, look in known.items():
            part = frame[frame["target"] == target].sort_values("step")
            if len(part):
                drawn.plot(
                    part["step"],
                    part["mean"],
                    color=look.colour,
                    linestyle=look.line,
                    marker=look.marker,
                    gid=look.gid,
                    label=f"{look.label} (n = {_range(part['rows'])}{_of(part)})",
                )
        drawn.xaxis.set_major_locator(MaxNLocator(integer=True))
        drawn.set_ylim(0, None)
        drawn.set(xlabel="changes made to the group", ylabel=unit, title=title)
        draw_legend(drawn, ax, known, legend)
    return drawn


def _of(part: pd.DataFrame) -> str:
    return "" if (part["rows"] == part["of"]).all() else f" of {_range(part['of'])}"


def _range(numbers: "pd.Series[int]") -> str:
    fewest, most = int(numbers.min()), int(numbers.max())
    return f"{most:,}" if fewest == most else f"{fewest:,} to {most:,}"


def settling(
    frame: pd.DataFrame,
    title: str = "",
    looks: Mapping[str, Look] | None = None,
    ax: Axes | None = None,
    *,
    legend: bool = True,
    most: int | None = None,
    until: str = "rounds until the answers repeat themselves",
) -> Axes:
    """Draw columns target, rounds, rows (a histogram): the shares that settle within 1, 2, ... rounds; more than `most` is never.

    `until` says what the rounds are until. Rows without rounds (null) count as well, and never settle.
    """
    known = look_of(looks, list(frame["target"]))
    with axes(ax, height=height_of(known, legend)) as drawn:
        greatest = int(frame["rounds"].max()) if frame["rounds"].notna().any() else 1
        last = greatest if most is None else min(greatest, most)
        within = np.arange(1, last + 1)
        for target, look in known.items():
            rows = frame[frame["target"] == target]
            if len(rows):
                part, total = rows.groupby("rounds")["rows"].sum(), int(rows["rows"].sum())
                shares = part.reindex(within, fill_value=0).to_numpy().cumsum() / total
                drawn.plot(
                    within, shares, color=look.colour, linestyle=look.line, marker=look.marker,
                    label=f"{look.label} ({out_of(int(part.sum()), total)})", clip_on=False,
                    gid=look.gid,
                )  # fmt: skip
        drawn.set_xlim(0.8, max(2, last) + 0.2)
        drawn.xaxis.set_major_locator(MaxNLocator(integer=True))
        in_percent(drawn)
        drawn.set(
            xlabel=f"{until}, at most",
            ylabel="share of the groups",
            title=title,
        )
        draw_legend(drawn, ax, known, legend)
    return drawn


FEW = 3.0
"""Powers of ten in which an axis has room for the numbers between them."""


def cost(
    frame: pd.DataFrame,
    size: str,
    laws: Mapping[str, Fit],
    title: str = "",
    looks: Mapping[str, Look] | None = None,
    ax: Axes | None = None,
    *,
    legend: bool = True,
) -> Axes:
    """Draw columns target, the size of that name, median (microseconds), with the law of each target by it.

    Where targets are few, the median of the greatest size is written beside its mark.
    """
    known = look_of(looks, list(frame["target"]))
    marks = []
    with axes(ax, height=height_of(known, legend)) as drawn:
        for target, look in known.items():
            part = frame[frame["target"] == target].sort_values(size)
            if not len(part):
                continue
            law = laws.get(target)
            drawn.plot(
                part[size], part["median"], look.marker, color=look.colour, markersize=3, alpha=0.75,
                label=None if law else look.label, gid=look.gid,
            )  # fmt: skip
            if law:
                sizes = np.geomspace(part[size].min(), part[size].max(), 100)
                drawn.plot(
                    sizes, law.micros(sizes), color=look.colour, linestyle=look.line,
                    marker=look.marker, markevery=[], label=look.label, gid=look.gid,
                )  # fmt: skip
            last = float(part["median"].iloc[-1])
            name = f"{short(look.label)} {written(last, TENTHS)}"
            marks.append(Mark(look, float(part[size].iloc[-1]), last, name))
        drawn.set_xscale("log")
        drawn.set_yscale("log")
        for axis, (low, high) in ((drawn.xaxis, drawn.get_xlim()), (drawn.yaxis, drawn.get_ylim())):
            between = (1, 2, 5) if np.log10(high / low) <= FEW else (1,)
            axis.set_major_locator(LogLocator(subs=between))
            axis.set_minor_locator(NullLocator())
            axis.set_major_formatter(FuncFormatter(lambda number, _: f"{number:,.10g}"))
        drawn.set(
            xlabel=f"{size} of the group, {size[0]}", ylabel="median time of an answer (µs)", title=title
        )
        draw_legend(drawn, ax, known, legend)
        label_marks(drawn, marks, left=False)
    return drawn
