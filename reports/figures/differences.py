"""The plot of differences to a reference: the mean with its interval, and the number of better and worse groups."""

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import Formatter

from kassay.reports.comparison.effects import ALIKE, EQUAL, NOTHING
from kassay.reports.figures.colours import BETTER, INK, RULE, WORSE
from kassay.reports.figures.style import RC, WIDTH, Look, axes, cut_label, resolve_looks

ROW, LOW_ROW, MANY = 0.72, 0.54, 12
"""Inches of a target, and of each of more than MANY targets."""
NAME = 0.36
"""Height of a row that has only a name, in rows."""
WIDEST = 76
"""Characters of a line under the axes."""
TOLD = {ALIKE, EQUAL, NOTHING}
"""Verdicts that replace numbers."""


def draw_differences(
    frame: pd.DataFrame,
    reference: str,
    title: str = "",
    looks: Mapping[str, Look] | None = None,
    ax: Axes | None = None,
    *,
    legend: bool = True,
    items: str = "items",
) -> Axes:
    """Draw columns target, mean, low, high, better, same, worse, verdict: a row for each target, from the top.

    The mark is the mean difference to the reference per group. Its line is the interval, null if it is unknown. The bar splits the
    compared groups into better, equal and worse ones. `items` is the unit.
    """
    known = resolve_looks(looks, list(frame["target"]))
    row = ROW if len(frame) <= MANY else LOW_ROW
    heights = [NAME if verdict == NOTHING else 1.0 for verdict in frame["verdict"]]
    with axes(ax, WIDTH, 0.9 + row * max(1.0, sum(heights)) + 0.3 * legend) as drawn:
        shown = frame[frame["verdict"] != NOTHING][["mean", "low", "high"]].astype(float)
        reached = [0.0, *(number for number in shown.to_numpy().ravel() if not math.isnan(number))]
        pad = 0.04 * (max(reached) - min(reached)) or 1.0
        drawn.set_xlim(min(reached) - pad, max(reached) + pad)
        drawn.locator_params(axis="x", nbins=6)
        drawn.xaxis.set_major_formatter(lambda x, _: Formatter.fix_minus(f"{x:+,.10g}") if x else "0")
        for n, each in enumerate(frame.to_dict("records")):
            _draw_row(
                drawn, each, sum(heights[:n]), known[each["target"]], 1.0 if len(frame) <= MANY else 0.85
            )
        drawn.set_ylim(max(1.0, sum(heights)), 0)
        drawn.set_yticks([])
        drawn.grid(visible=False)
        drawn.spines["left"].set_visible(False)
        better = cut_label(known[reference].label if reference in known else reference)
        told = f"mean difference in {items} per group; right of 0: {better} is better"
        drawn.set(xlabel=told if len(told) <= WIDEST else told.replace("; ", ";\n"), title=title)
        if legend:
            _legend(drawn, ax)
    return drawn


def _legend(ax: Axes, own: Axes | None) -> None:
    """Explain marks and bars; the rows have the names of targets."""
    mean = Line2D([], [], color=INK, marker="o", label="mean, 95 % interval")
    bars = [
        Patch(color=colour, label=f"groups: {name}" if name == "better" else name)
        for colour, name in ((BETTER, "better"), (RULE, "same"), (WORSE, "worse"))
    ]
    figure = ax.figure
    if own is None and isinstance(figure, Figure):
        figure.legend(handles=[mean, *bars], loc="outside lower center", ncols=4)
    else:
        ax.legend(handles=[mean, *bars])


def _draw_row(ax: Axes, each: Mapping[Any, Any], top: float, look: Look, scale: float) -> None:
    across = ax.get_yaxis_transform()
    size = RC["font.size"] * scale
    text: dict[str, Any] = {"transform": across, "va": "center", "gid": look.gid}
    ax.text(0, top + 0.16, cut_label(look.label), weight="bold", size=size, **text)
    verdict = each["verdict"]
    said = verdict if verdict in TOLD else format_interval(each["mean"], each["low"], each["high"])
    ax.text(1, top + 0.16, said, ha="right", size=size, **text)
    if verdict == NOTHING:
        return
    strip = top + 0.4
    ax.plot([0, 1], [strip, strip], color=RULE, linewidth=0.8, transform=across, zorder=1)
    ax.plot([0, 0], [strip - 0.1, strip + 0.1], color=INK, linewidth=1, zorder=1.5)
    own: dict[str, Any] = {"color": look.colour, "gid": look.gid, "clip_on": False}
    if not pd.isna(each["low"]):
        ax.plot([each["low"], each["high"]], [strip, strip], "|-", markersize=6 * scale, **own)
    ax.plot([each["mean"]], [strip], look.marker, markersize=5 * scale, **own)
    counts = [int(each[name]) for name in ("better", "same", "worse")]
    done = 0
    for count, colour in zip(counts, (BETTER, RULE, WORSE), strict=True):
        ax.barh(
            top + 0.6, count / sum(counts), left=done / sum(counts), height=0.1, color=colour,
            transform=across, gid=look.gid,
        )  # fmt: skip
        done += count
    small = size - 1
    ax.text(0, top + 0.78, f"better {counts[0]:,}", size=small, **text)
    ax.text(0.45, top + 0.78, f"same {counts[1]:,}", ha="center", size=small, **text)
    ax.text(1, top + 0.78, f"worse {counts[2]:,} of {sum(counts):,}", ha="right", size=small, **text)


def format_interval(mean: float, low: float | None, high: float | None) -> str:
    """Return a mean with its interval, with as many decimals as give the greatest number two or three digits."""
    numbers = [mean] if low is None or high is None or pd.isna(low) else [mean, low, high]
    greatest = max(map(abs, numbers))
    power = math.floor(math.log10(greatest)) if greatest else 0
    decimals = max(0, 2 - max(0, power)) if power >= -1 else 1 - power
    written = [Formatter.fix_minus(f"{number:+,.{decimals}f}") for number in numbers]
    return written[0] if len(written) == 1 else f"{written[0]} ({written[1]} to {written[2]})"
