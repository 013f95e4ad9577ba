"""What happens over timelines: the mean of a measure in each rebalance, a line for each target."""

from collections.abc import Mapping

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from kassay.reports.figures.legend import draw_legend, height_of
from kassay.reports.figures.style import Look, axes, look_of


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
