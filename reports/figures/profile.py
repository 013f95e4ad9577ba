"""A performance profile (Dolan and Moré 2002): the share of groups in which each target is within a factor of the best."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, NullLocator

from kassay.reports.figures.legend import draw_legend, height_of
from kassay.reports.figures.style import Look, axes, in_percent, look_of

WIDEST = 64.0
"""The greatest ratio drawn."""


def profile(
    frame: pd.DataFrame,
    title: str = "",
    looks: Mapping[str, Look] | None = None,
    ax: Axes | None = None,
    *,
    legend: bool = True,
) -> Axes:
    """Draw columns target, ratio, share (cumulated); marks at 1 are the shares in which a target is the best."""
    known = look_of(looks, list(frame["target"]))
    with axes(ax, height=height_of(known, legend)) as drawn:
        reached = float(frame["ratio"].max()) if len(frame) else 1.0
        widest = min(WIDEST, max(2.0, reached))
        for target, look in known.items():
            part = frame[frame["target"] == target]
            if not len(part):
                continue
            ratios, shares = part["ratio"].to_numpy(), part["share"].to_numpy()
            best = float(shares[ratios == 1].max(initial=0))
            kept = np.unique(np.ceil(shares * 400), return_index=True)[1]
            x = np.concatenate([[1.0], ratios[kept], [max(widest, reached)]])
            y = np.concatenate([[best], shares[kept], [shares[-1]]])
            drawn.step(
                x, y, where="post", color=look.colour, linestyle=look.line, label=look.label, gid=look.gid
            )
            drawn.plot([1], [best], look.marker, color=look.colour, clip_on=False, gid=look.gid)
        drawn.set_xscale("log", base=2)
        drawn.set_xlim(0.97, widest)
        drawn.xaxis.set_major_formatter(FuncFormatter(lambda ratio, _: f"{ratio:g}x"))
        drawn.xaxis.set_minor_locator(NullLocator())
        in_percent(drawn)
        groups = int(frame["groups"].max()) if len(frame) else 0
        drawn.set(
            xlabel="times the best of all targets on the same group, both plus 1",
            ylabel=f"share of the groups (n = {groups:,})",
            title=title,
        )
        draw_legend(drawn, ax, known, legend)
    return drawn
