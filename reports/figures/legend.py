"""Legends, and the room that they need."""

import math
from collections.abc import Iterable, Mapping

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from kassay.reports.figures.style import HEIGHT, Look

LINE = 0.16
"""Inches."""
LONGEST_OF_TWO = 20
"""Characters of names that have room for two columns of a legend."""


def legend_lines(known: Mapping[str, Look], legend: bool) -> int:
    """Return how many lines a legend of all targets has, none where none is wanted."""
    return math.ceil(len(known) / _columns(look.label for look in known.values())) * legend


def height_of(known: Mapping[str, Look], legend: bool) -> float:
    """Return the height of a figure with a legend of all targets, or without one."""
    return HEIGHT + LINE * max(0, legend_lines(known, legend) - 3)


def draw_legend(ax: Axes, own: Axes | None, known: Mapping[str, Look], legend: bool) -> None:
    """Put the legend, where one is wanted, under new axes, and into axes that were given."""
    figure = ax.figure
    if not legend or not ax.get_legend_handles_labels()[0]:
        return
    if own is None and isinstance(figure, Figure):
        columns = _columns(look.label for look in known.values())
        figure.legend(loc="outside lower center", ncols=columns, handlelength=3)
    else:
        ax.legend(handlelength=3)


def _columns(labels: Iterable[str]) -> int:
    return 2 if max(map(len, labels), default=0) <= LONGEST_OF_TWO else 1
