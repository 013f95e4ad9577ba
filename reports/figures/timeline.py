"""What happens over timelines: the mean of a measure in each rebalance, a line for each target."""

from collections.abc import Mapping

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from kassay.reports.figures.style import Look, axes, legend, look_of


def timeline(
    frame: pd.DataFrame,
    title: str = "",
    unit: str = "partitions moved, mean",
    looks: Mapping[str, Look] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw columns target, step, mean, rows: the means over the steps."""
    known = look_of(looks, list(frame["target"]))
    with axes(ax) as drawn:
        for target, look in known.items():
            part = frame[frame["target"] == target].sort_values("step")
            if len(part):
                drawn.plot(
                    part["step"],
                    part["mean"],
                    color=look.colour,
                    linestyle=look.line,
                    marker=look.marker,
                    label=look.label,
                )
        drawn.xaxis.set_major_locator(MaxNLocator(integer=True))
        drawn.set_ylim(0, None)
        groups = frame.groupby("target")["rows"]
        most, fewest = (int(groups.max().max()), int(groups.min().min())) if len(frame) else (0, 0)
        number = f"{most:,}" if fewest == most else f"{fewest:,} to {most:,}"
        drawn.set(xlabel=f"changes made to the group (n = {number} each)", ylabel=unit, title=title)
        legend(drawn, ax)
    return drawn
