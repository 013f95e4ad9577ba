"""The plot of both sides' times for streams groups and Connect, point by point."""

from collections.abc import Sequence
from pathlib import Path

import matplotlib as mpl
from jmh.plot import MARGIN, lines
from jmh.rows import Row
from jmh.task_points import NAMES
from matplotlib.axes import Axes
from matplotlib.figure import Figure

COLOURS = {"new": "#0072B2", "joined": "#D55E00", "left": "#009E73"}  # of Okabe and Ito
MARKERS = {"o": "", "^": "1-standby"}
ROOM = 5
"""So many times the greatest time lies above it, for the names of the lines."""


def draw(rows: Sequence[Row], folder: Path) -> None:
    """Draw the reference's CPU seconds over Java's into speed.svg and speed.png; nothing where nothing was measured."""
    times = {row.point: (row.java_s, row.ours_s) for row in rows if row.java_s and row.ours_s}
    if not times:
        return
    spans = [(min(side) / MARGIN, max(side) * MARGIN) for side in zip(*times.values(), strict=True)]
    spans[1] = spans[1][0], ROOM * spans[1][1]
    with mpl.rc_context({"svg.hashsalt": "kassay", "font.size": 9}):
        figure = Figure(figsize=(9, 4.2), layout="constrained")
        axes = figure.subplots(1, len(NAMES), sharex=True, sharey=True)
        for name, one in zip(NAMES, axes, strict=True):
            one.set(title=name, xscale="log", yscale="log", xlim=spans[0], ylim=spans[1])
            one.set_xlabel("Kafka's class, CPU seconds")
            _scatter(one, {point: pair for point, pair in times.items() if point.startswith(f"{name}/")})
            lines(one, *spans)
        axes[0].set_ylabel("reference, CPU seconds")
        handles, labels = axes[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False)
        figure.savefig(folder / "speed.svg", metadata={"Date": None})
        figure.savefig(folder / "speed.png", dpi=150)


def _scatter(axes: Axes, times: dict[str, tuple[float, float]]) -> None:
    for change, colour in COLOURS.items():
        for marker, standby in MARKERS.items():
            some = [
                pair
                for point, pair in times.items()
                if point.endswith(f"/{change}") and ("1-standby" in point) == bool(standby)
            ]
            if standby and change == "left":  # of Connect alone
                continue
            axes.scatter(
                [java for java, _ in some],
                [ours for _, ours in some],
                s=16,
                marker=marker,
                facecolors="none",
                edgecolors=colour,
                linewidths=0.8,
                label=f"{change}, a standby" if standby else change,
            )
    axes.grid(visible=True, which="major", color="0.9", linewidth=0.6)
    axes.set_axisbelow(True)
