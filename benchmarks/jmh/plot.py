"""The plot of both sides' times, point by point."""

from collections.abc import Sequence
from pathlib import Path

import matplotlib as mpl
from jmh.points import NAMES
from jmh.rows import Row
from matplotlib.axes import Axes
from matplotlib.figure import Figure

COLOURS = {"homogeneous": "#0072B2", "heterogeneous": "#D55E00"}  # of Okabe and Ito
MARKERS = {"racks": "^", "no-racks": "o"}


def draw(rows: Sequence[Row], folder: Path) -> None:
    """Draw the reference's seconds over Java's into speed.svg and speed.png."""
    measured = [row for row in rows if row.ratio is not None]
    with mpl.rc_context({"svg.hashsalt": "kassay", "font.size": 9}):
        figure = Figure(figsize=(9, 8), layout="constrained")
        axes = figure.subplots(2, 2, sharex=True, sharey=True)
        for name, one in zip(NAMES, axes.flat, strict=True):
            _panel(one, name, [row for row in measured if row.point.startswith(f"{name}/")])
        for one in axes[1]:
            one.set_xlabel("Kafka's class, seconds")
        for one in axes[:, 0]:
            one.set_ylabel("reference, seconds")
        handles, labels = axes.flat[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False)
        figure.savefig(folder / "speed.svg", metadata={"Date": None})
        figure.savefig(folder / "speed.png", dpi=150)


def _panel(axes: Axes, name: str, rows: Sequence[Row]) -> None:
    axes.set(title=name, xscale="log", yscale="log")
    for subscriptions, colour in COLOURS.items():
        for racks, marker in MARKERS.items():
            some = [row for row in rows if {subscriptions, racks} <= set(row.point.split("/"))]
            for word, filled in (("full", True), ("incremental", False)):
                kind = [row for row in some if row.point.endswith(word)]
                axes.scatter(
                    [row.java_s or 0 for row in kind],
                    [row.ours_s or 0 for row in kind],
                    s=18,
                    marker=marker,
                    facecolors=colour if filled else "none",
                    edgecolors=colour,
                    linewidths=0.8,
                    label=f"{subscriptions}, {racks.replace('-', ' ')}, {word}",
                )
    axes.grid(visible=True, which="major", color="0.9", linewidth=0.6)
    axes.set_axisbelow(True)
    for ratio, style in ((1, "-"), (5, "--"), (20, ":")):
        axes.axline((1e-3, 1e-3 * ratio), (1, ratio), color="0.4", linestyle=style, linewidth=0.9)
        axes.annotate(f"{ratio} : 1", (0.02, 0.02 * ratio), color="0.25", fontsize=8, ha="right", va="bottom")
