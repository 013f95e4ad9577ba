"""The plot of both sides' times, point by point."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

import matplotlib as mpl
from jmh.points import NAMES, SERVERS
from jmh.rows import Row
from matplotlib.axes import Axes
from matplotlib.figure import Figure

COLOURS = {"homogeneous": "#0072B2", "heterogeneous": "#D55E00"}  # of Okabe and Ito
MARKERS = {"racks": "^", "no-racks": "o"}
MARGIN = 1.5

Times: TypeAlias = dict[str, tuple[float, float]]
"""Point -> CPU seconds of Kafka's class and of the reference."""


def draw(rows: Sequence[Row], folder: Path) -> None:
    """Draw the reference's CPU seconds over Java's into speed.svg and speed.png; nothing where nothing was measured."""
    times = {row.point: (row.java_s, row.ours_s) for row in rows if row.java_s and row.ours_s}
    if not times:
        return
    draw_panels(
        times,
        [name for name in (*NAMES, *SERVERS) if any(p.startswith(f"{name}/") for p in times)],
        _scatter,
        folder,
    )


def draw_panels(
    times: Times,
    names: Sequence[str],
    scatter: Callable[[Axes, Times], None],
    folder: Path,
    *,
    room: float = 1,
    columns: int = 2,
) -> None:
    """Draw a panel for each assignor; `room` times the greatest time lies above it, for the names of the lines."""
    spans = [(min(side) / MARGIN, max(side) * MARGIN) for side in zip(*times.values(), strict=True)]
    spans[1] = spans[1][0], room * spans[1][1]
    high, wide = (2, 2) if len(names) == 4 else (1, len(names))
    with mpl.rc_context({"svg.hashsalt": "kassay", "font.size": 9}):
        figure = Figure(figsize=(9 if high == 2 else 1 + 3.2 * wide, 0.7 + 3.9 * high), layout="constrained")
        axes = figure.subplots(high, wide, sharex=True, sharey=True, squeeze=False)
        for name, one in zip(names, axes.flat, strict=True):
            one.set(title=name, xscale="log", yscale="log", xlim=spans[0], ylim=spans[1])
            scatter(one, {point: pair for point, pair in times.items() if point.startswith(f"{name}/")})
            lines(one, *spans)
        for one in axes[-1]:
            one.set_xlabel("Kafka's class, CPU seconds")
        for one in axes[:, 0]:
            one.set_ylabel("reference, CPU seconds")
        legend = [one.get_legend_handles_labels() for one in axes.flat]
        shown = {
            label: handle for handles, labels in legend for handle, label in zip(handles, labels, strict=True)
        }
        figure.legend(shown.values(), shown.keys(), loc="outside lower center", ncols=columns, frameon=False)
        figure.savefig(folder / "speed.svg", metadata={"Date": None})
        figure.savefig(folder / "speed.png", dpi=150)


def _scatter(axes: Axes, times: Times) -> None:
    for subscriptions, colour in COLOURS.items():
        for racks, marker in MARKERS.items():
            for change in ("full", "incremental"):
                kind = {subscriptions, racks, change}
                some = [pair for point, pair in times.items() if kind <= set(point.split("/"))]
                if not some:
                    continue
                axes.scatter(
                    [java for java, _ in some],
                    [ours for _, ours in some],
                    s=18,
                    marker=marker,
                    facecolors=colour if change == "full" else "none",
                    edgecolors=colour,
                    linewidths=0.8,
                    label=f"{subscriptions}, {racks.replace('-', ' ')}, {change}",
                )
    axes.grid(visible=True, which="major", color="0.9", linewidth=0.6)
    axes.set_axisbelow(True)


def lines(axes: Axes, across: tuple[float, float], up: tuple[float, float]) -> None:
    """Draw where the reference takes once, 5 and 20 times as long."""
    for ratio, style in ((1, "-"), (5, "--"), (20, ":")):
        axes.plot(across, [ratio * one for one in across], color="0.4", linestyle=style, linewidth=0.9)
        end = min(across[1], up[1] / ratio) / MARGIN
        axes.annotate(
            f"{ratio}:1",
            (end, ratio * end),
            color="0.25",
            fontsize=8,
            ha="center",
            va="center",
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1},
        )
