"""Labels beside the marks of lines, at one side of the axes, moved apart so that none covers another."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from kassay.reports.figures.style import RC, Look

MOST = 8
"""Targets: more labels would fill the side, and say nothing at a glance."""
LONGEST = 26
"""Characters of a name beside the axes."""
LINE = 1.35 * RC["font.size"]
"""Points from one label to the next."""
AWAY = 0.08
"""Distance of labels from the axes, in widths of the axes."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A point of a line, in the numbers of the axes, and what is written beside it."""

    look: Look
    x: float
    y: float
    text: str


def label_marks(ax: Axes, marks: Sequence[Mark], *, left: bool) -> None:
    """Write each mark's text left or right of the axes, with a thin line to the mark; nothing where marks are too many."""
    if not 0 < len(marks) <= MOST:
        return
    high = _height(ax)
    beside = ax.get_yaxis_transform()
    places = (ax.transData + ax.transAxes.inverted()).transform([(mark.x, mark.y) for mark in marks])
    heights = apart([float(y) for _, y in places], LINE / high)
    back = (ax.transAxes + ax.transData.inverted()).transform([(0, y) for y in heights])
    at = -AWAY if left else 1 + AWAY
    towards = AWAY / 6 if left else -AWAY / 6
    for mark, (x, _), (_, y) in zip(marks, places, back, strict=True):
        leader = Line2D(
            [at + towards, float(x)], [y, mark.y], transform=beside, color=mark.look.colour, linewidth=0.8,
            clip_on=False, gid=mark.look.gid, zorder=1.5,
        )  # fmt: skip
        ax.add_artist(leader)
        ax.text(
            at, y, mark.text, transform=beside, ha="right" if left else "left", va="center", gid=mark.look.gid,
        )  # fmt: skip


def short(name: str) -> str:
    """Return a name that fits beside the axes: without the family, which all share, and a long one without its middle."""
    name = re.sub(r"#[\w-]+/", "#", name)
    if len(name) <= LONGEST:
        return name
    return f"{name[: LONGEST // 2 - 1]}…{name[-LONGEST // 2 :]}"


def apart(wanted: Sequence[float], least: float) -> list[float]:
    """Return the places nearest to those wanted that are `least` apart and within 0 and 1, in the order wanted."""
    if len(wanted) > 1:
        least = min(least, 1 / (len(wanted) - 1))
    order = sorted(range(len(wanted)), key=wanted.__getitem__)
    # of neighbours that are too near, the mean of what they want; the rest is how isotonic regression pools
    pools: list[tuple[float, int]] = []
    for rank, n in enumerate(order):
        mean, size = wanted[n] - rank * least, 1
        while pools and pools[-1][0] > mean:
            before, many = pools.pop()
            mean, size = (before * many + mean * size) / (many + size), size + many
        pools.append((mean, size))
    free = 1 - (len(wanted) - 1) * least
    moved = [min(max(mean, 0.0), free) for mean, size in pools for _ in range(size)]
    found = [0.0] * len(wanted)
    for rank, n in enumerate(order):
        found[n] = moved[rank] + rank * least
    return found


def _height(ax: Axes) -> float:
    """Lay the figure out, which gives the axes their size, and return their height in points."""
    figure = ax.figure
    if isinstance(figure, Figure) and (engine := figure.get_layout_engine()):
        engine.execute(figure)
    ax.set(xlim=ax.get_xlim(), ylim=ax.get_ylim())  # as they are now, for labels stand by them
    return ax.get_window_extent().height * 72 / figure.dpi
