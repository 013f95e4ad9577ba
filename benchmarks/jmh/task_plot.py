"""The plot of both sides' times for streams groups and Connect, point by point."""

from collections.abc import Sequence
from pathlib import Path

from jmh.plot import Times, draw_panels
from jmh.rows import Row
from jmh.task_points import NAMES
from matplotlib.axes import Axes

COLOURS = {"new": "#0072B2", "joined": "#D55E00", "left": "#009E73"}  # of Okabe and Ito
MARKERS = {"o": "", "^": "1-standby"}
ROOM = 5
"""So many times the greatest time lies above it, for the names of the lines."""


def draw(rows: Sequence[Row], folder: Path) -> None:
    """Draw the reference's CPU seconds over Java's into speed.svg and speed.png; nothing where nothing was measured."""
    times = {row.point: (row.java_s, row.ours_s) for row in rows if row.java_s and row.ours_s}
    if not times:
        return
    draw_panels(times, NAMES, _scatter, folder, room=ROOM, columns=3)


def _scatter(axes: Axes, times: Times) -> None:
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
