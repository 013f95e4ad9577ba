"""Boxes of the gaps to the optimum, by situation and target."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from kassay.reports.figures.colours import INK
from kassay.reports.figures.legend import LINE, draw_legend, legend_lines
from kassay.reports.figures.style import WIDTH, Look, axes, from_zero, look_of, out_of

ROW, APART = 0.155, 0.9
"""Inches of a box, and the space between two situations in boxes."""
BOX = 0.45
"""How much a box covers: the median and the mean, in ink, show on every colour."""


def gap_boxes(
    frame: pd.DataFrame,
    title: str = "",
    looks: Mapping[str, Look] | None = None,
    ax: Axes | None = None,
    *,
    legend: bool = True,
    items: str = "items",
) -> Axes:
    """Draw columns situation, target, rows, of, mean, p5, p25, p50, p75, p95, greatest: a box for each row, situations from the top.

    A box reaches from the first to the third quartile, its whiskers from the 5th to the 95th percentile; the line is the
    median, the mark the mean, the small tick the greatest gap. Beside it stands its size where not all rows have a gap. `items` are what a gap
    counts.
    """
    known = look_of(looks, list(frame["target"]))
    situations = list(dict.fromkeys(frame["situation"]))
    each = len(known) + APART
    height = 1.3 + ROW * each * len(situations) + LINE * legend_lines(known, legend)
    with axes(ax, WIDTH, height) as drawn:
        middles = []
        for n, situation in enumerate(situations):
            middles.append(n * each + (len(known) - 1) / 2)
            part = frame[frame["situation"] == situation].set_index("target")
            for k, (target, look) in enumerate(known.items()):
                if target in part.index:
                    _box(drawn, part.loc[target], n * each + k, look)
        drawn.set_ylim(max(1, len(situations)) * each - APART / 2 - 0.5, -0.5 - APART / 2)
        names = [situation.replace("_", " ") or "all groups" for situation in situations]
        drawn.set_yticks(middles, names)
        drawn.tick_params(axis="y", length=0)
        drawn.grid(visible=False, axis="y")
        greatest = max(1.0, float(frame["greatest"].max())) if frame["greatest"].notna().any() else 1.0
        drawn.set_xlim(-0.15, greatest * 1.1)
        from_zero(drawn)
        drawn.set(xlabel=f"gap: {items} above the exact optimum", title=title)
        for look in known.values():
            drawn.add_line(
                Line2D(
                    [],
                    [],
                    color=look.colour,
                    linewidth=5,
                    marker=look.marker,
                    markeredgecolor=INK,
                    label=look.label,
                )
            )
        draw_legend(drawn, ax, known, legend)
    return drawn


def _box(ax: Axes, row: "pd.Series[float]", at: float, look: Look) -> None:
    own: dict[str, Any] = {"color": look.colour, "gid": look.gid}
    if row["rows"] < row["of"]:
        size = out_of(int(row["rows"]), int(row["of"]))
        ax.text(1.01, at, size, transform=ax.get_yaxis_transform(), fontsize=6, va="center", gid=look.gid)
    if not row["rows"]:
        return
    ax.plot([row["p5"], row["p95"]], [at, at], linewidth=1, **own)
    ax.barh(at, max(row["p75"] - row["p25"], 0.0), left=row["p25"], height=0.72, alpha=BOX, **own)
    ax.plot([row["p50"]] * 2, [at - 0.42, at + 0.42], color=INK, linewidth=1.4, gid=look.gid)
    ax.plot([row["greatest"]], [at], "|", markersize=4, **own)
    ax.plot([row["mean"]], [at], look.marker, markeredgecolor=INK, markersize=4, clip_on=False, **own)
