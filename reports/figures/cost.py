"""The time of an answer against the size of the group, both logarithmic, with the power laws fitted to it."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from kassay.reports.figures.labels import Mark, label_marks, short
from kassay.reports.figures.legend import draw_legend, height_of
from kassay.reports.figures.style import Look, axes, look_of
from kassay.reports.tables.costs import Fit
from kassay.reports.tables.table import TENTHS, written

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
