"""How fast answers settle: the share of groups in which they repeat themselves, or are at rest, within 1, 2, ... rounds."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from kassay.reports.figures.legend import draw_legend, height_of
from kassay.reports.figures.style import Look, axes, in_percent, look_of, out_of


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
