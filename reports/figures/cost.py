"""The time of an answer against the number of partitions, both logarithmic, with the power laws fitted to it."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from kassay.reports.figures.style import Look, axes, legend, look_of


def cost(
    frame: pd.DataFrame,
    laws: Mapping[str, tuple[float, float]],
    title: str = "",
    looks: Mapping[str, Look] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw columns target, partitions, median (microseconds); `laws` maps a target to its constant's logarithm and exponent."""
    known = look_of(looks, list(frame["target"]))
    with axes(ax) as drawn:
        for target, look in known.items():
            part = frame[frame["target"] == target]
            if not len(part):
                continue
            law = laws.get(target)
            label = f"{look.label}: partitions$^{{{law[1]:.2f}}}$" if law else look.label
            drawn.plot(
                part["partitions"], part["median"], look.marker, color=look.colour, markersize=3, alpha=0.75,
                label=None if law else label,
            )  # fmt: skip
            if law:
                ends = np.array([part["partitions"].min(), part["partitions"].max()])
                drawn.plot(
                    ends, 10 ** (law[0] + law[1] * np.log10(ends)), color=look.colour, linestyle=look.line,
                    marker=look.marker, markevery=[], label=label,
                )  # fmt: skip
        drawn.set_xscale("log")
        drawn.set_yscale("log")
        drawn.set(xlabel="partitions of the group", ylabel="median time of an answer (µs)", title=title)
        legend(drawn, ax)
    return drawn
