"""The time of an answer against the size of the group, both logarithmic, with the power laws fitted to it."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from kassay.reports.figures.style import Look, axes, legend, look_of
from kassay.reports.tables.costs import Fit


def cost(
    frame: pd.DataFrame,
    size: str,
    laws: Mapping[str, Fit],
    title: str = "",
    looks: Mapping[str, Look] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw columns target, the size of that name, median (microseconds), with the law of each target by it."""
    known = look_of(looks, list(frame["target"]))
    with axes(ax) as drawn:
        for target, look in known.items():
            part = frame[frame["target"] == target]
            if not len(part):
                continue
            law = laws.get(target)
            label = (
                f"{look.label}: {law.base:.3g} + {law.factor:.2g} {size[0]}$^{{{law.exponents[0]:.2f}}}$"
                if law
                else look.label
            )
            drawn.plot(
                part[size], part["median"], look.marker, color=look.colour, markersize=3, alpha=0.75,
                label=None if law else label,
            )  # fmt: skip
            if law:
                sizes = np.geomspace(part[size].min(), part[size].max(), 100)
                drawn.plot(
                    sizes, law.micros(sizes), color=look.colour, linestyle=look.line,
                    marker=look.marker, markevery=[], label=label,
                )  # fmt: skip
        drawn.set_xscale("log")
        drawn.set_yscale("log")
        drawn.set(
            xlabel=f"{size} of the group, {size[0]}", ylabel="median time of an answer (µs)", title=title
        )
        legend(drawn, ax)
    return drawn
