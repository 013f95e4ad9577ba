"""The share of groups within each gap to the optimum, a line for each target (empirical distribution function)."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from kassay.reports.figures.labels import MOST, Mark, label_marks, short
from kassay.reports.figures.legend import draw_legend, height_of
from kassay.reports.figures.style import Look, axes, from_zero, in_percent, look_of, out_of
from kassay.reports.tables.table import share

FINEST = 400
"""Steps in which shares are drawn at most: a point of a screen."""


def gap_ecdf(
    frame: pd.DataFrame,
    title: str = "",
    looks: Mapping[str, Look] | None = None,
    ax: Axes | None = None,
    *,
    legend: bool = True,
    items: str = "items",
) -> Axes:
    """Draw columns target, gap, rows (a histogram); marks at 0 are the shares at the optimum. `items` are what a gap counts.

    Where targets are few, the share at the optimum is written beside its mark, and the vertical axis stands at the right.
    Rows without a gap (null) count as well: the line of a target that has some ends below 100 %.
    """
    known = look_of(looks, list(frame["target"]))
    marks = []
    with axes(ax, height=height_of(known, legend)) as drawn:
        greatest = max(1, int(frame["gap"].max())) if frame["gap"].notna().any() else 1
        for target, look in known.items():
            rows = frame[frame["target"] == target]
            if not len(rows):
                continue
            total = int(rows["rows"].sum())
            part = rows.groupby("gap")["rows"].sum()
            shares = np.cumsum(part.to_numpy()) / total
            gaps = part.index.to_numpy(float)
            optimal = shares[0] if len(part) and gaps[0] == 0 else 0.0
            kept = np.unique(np.ceil(shares * FINEST), return_index=True)[1]
            x = np.concatenate([[0.0], gaps[kept], [greatest]])
            y = np.concatenate([[optimal], shares[kept], shares[-1:] if len(part) else [0.0]])
            drawn.step(
                x,
                y,
                where="post",
                color=look.colour,
                linestyle=look.line,
                label=f"{look.label} ({out_of(int(part.sum()), total)})",
                gid=look.gid,
            )
            drawn.plot([0], [optimal], look.marker, color=look.colour, clip_on=False, gid=look.gid)
            marks.append(Mark(look, 0.0, float(optimal), f"{short(look.label)} {share(float(optimal))}"))
        drawn.set_xlim(-0.15, greatest * 1.05)
        labelled = 0 < len(marks) <= MOST
        from_zero(drawn, 8 if labelled else 9)
        in_percent(drawn)
        drawn.set(xlabel=f"gap: {items} above the exact optimum", ylabel="share of the groups", title=title)
        if labelled:
            drawn.yaxis.tick_right()
            drawn.yaxis.set_label_position("right")
            drawn.spines["left"].set_visible(False)
            drawn.tick_params(axis="y", length=0)
        draw_legend(drawn, ax, known, legend)
        label_marks(drawn, marks, left=True)
    return drawn
