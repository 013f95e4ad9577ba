"""The style of all figures: colours, lines and markers of targets, axes, legends and labels; and figures as SVG and PNG.

The colours are hues of Okabe and Ito, "Color universal design" (2008), and a violet. Each stands out from the paper (contrast 4.5,
WCAG), and from the others for people who do not see red or green. Files have the same bytes every time.
"""

import io
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, ScalarFormatter

from kassay.comparison.headline import label_targets_uniquely
from kassay.files.output import write_whole
from kassay.output.block import LAYOUT, printable
from kassay.reports.figures.colours import COLOURS, INK, PAPER, RULE

LINES = ("-", "--", "-.", ":")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")
WIDTH, HEIGHT = 5.4, 3.7
"""Inches: readable on a phone and in a paper's column."""
RC: dict[Any, Any] = {
    "font.family": "sans-serif",
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "axes.titleweight": "bold",
    "text.color": INK,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": RULE,
    "grid.linewidth": 0.6,
    "figure.facecolor": PAPER,
    "axes.facecolor": "none",
    "savefig.facecolor": "auto",
    "legend.frameon": False,
    "legend.fontsize": 8,
    "lines.linewidth": 1.7,
    "lines.markersize": 5,
    "svg.fonttype": "none",
    "text.parse_math": False,  # names may have dollar signs
}


@dataclass(frozen=True, slots=True)
class Look:
    """The colour, line and marker of a target in every figure."""

    label: str
    colour: str
    line: str
    marker: str
    place: int

    @property
    def gid(self) -> str:
        """The group id of all artists of the target in an SVG, by its place among the targets."""
        return f"target-{self.place}"


def assign_looks(targets: Sequence[str]) -> dict[str, Look]:
    """Return the look of every target, by its place in the sequence; labels leave out what all names start with."""
    return {
        name: Look(label, COLOURS[n % len(COLOURS)], LINES[n % len(LINES)], MARKERS[n % len(MARKERS)], n)
        for n, (name, label) in enumerate(label_targets_uniquely(targets).items())
    }


def format_sample_size(part: int, number: int) -> str:
    """Return the sample size: ``n = 60``, or ``n = 1 of 60``."""
    return f"n = {number:,}" if part == number else f"n = {part:,} of {number:,}"


@contextmanager
def open_axes(ax: Axes | None, width: float = WIDTH, height: float = HEIGHT) -> Iterator[Axes]:
    """Yield the axes to draw into, or new ones if `ax` is None, in the style of all figures."""
    with mpl.rc_context(RC):
        yield Figure((width, height), layout="constrained").add_subplot() if ax is None else ax


def from_zero(ax: Axes, most: int = 9) -> None:
    """Make the horizontal axis logarithmic from 1 on, with room for 0, and up to `most` numbers."""
    ax.set_xscale("symlog", linthresh=1, linscale=0.6)
    ax.set_xlim(-0.15, None)
    greatest = ax.get_xlim()[1]
    ticks = [0, 1, *(base * 10**power for power in range(12) for base in (2, 5, 10))]
    shown = [tick for tick in ticks if tick <= greatest]
    ax.set_xticks(
        shown if len(shown) <= most else [0, *(10**power for power in range(12) if 10**power <= greatest)]
    )
    ax.xaxis.set_major_formatter(ScalarFormatter())
    ax.xaxis.set_minor_locator(mpl.ticker.NullLocator())


def show_percent(ax: Axes) -> None:
    """Make the vertical axis an axis of shares, from 0 to 100 %."""
    ax.set_ylim(0, 1.03)
    ax.set_yticks([0, 0.25, 0.5, 0.75, 1])
    ax.yaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * share:.0f} %"))


def resolve_looks(known: Mapping[str, Look] | None, targets: Sequence[str]) -> Mapping[str, Look]:
    """Return the known looks, or new ones for the targets in their order."""
    return assign_looks(list(dict.fromkeys(targets))) if known is None else known


LINE = 0.16
"""Inches."""
LONGEST_OF_TWO = 20
"""Characters of names in a legend with two columns."""


def count_legend_lines(known: Mapping[str, Look], legend: bool) -> int:
    """Return how many lines a legend of all targets has; 0 without a legend."""
    return math.ceil(len(known) / _count_columns(known)) * legend


def compute_height(known: Mapping[str, Look], legend: bool) -> float:
    """Return the height of a figure with or without a legend of all targets."""
    return HEIGHT + LINE * max(0, count_legend_lines(known, legend) - 3)


def draw_legend(ax: Axes, own: Axes | None, known: Mapping[str, Look], legend: bool) -> None:
    """Draw the legend, if wanted: under the figure for new axes (`own` is None), else inside the axes."""
    figure = ax.figure
    if not legend or not ax.get_legend_handles_labels()[0]:
        return
    if own is None and isinstance(figure, Figure):
        columns = _count_columns(known)
        figure.legend(loc="outside lower center", ncols=columns, handlelength=3)
    else:
        ax.legend(handlelength=3)


def _count_columns(known: Mapping[str, Look]) -> int:
    return 2 if all(len(look.label) <= LONGEST_OF_TWO for look in known.values()) else 1


MOST = 8
"""The largest number of targets with labels next to the axes: more would be unreadable."""
LONGEST = 26
"""Characters of a name next to the axes."""
LABEL_LINE = 1.35 * RC["font.size"]
"""Points from one label to the next."""
AWAY = 0.08
"""Distance of labels from the axes, in widths of the axes."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A point of a line, in the units of the axes, and the text next to it."""

    look: Look
    x: float
    y: float
    text: str


def label_marks(ax: Axes, marks: Sequence[Mark], *, left: bool) -> None:
    """Write the text of each mark left or right of the axes, with a thin line to the mark; nothing if there are more than MOST."""
    if not 0 < len(marks) <= MOST:
        return
    figure = ax.figure
    if isinstance(figure, Figure) and (engine := figure.get_layout_engine()):
        engine.execute(figure)  # the layout gives the axes their size
    ax.set(xlim=ax.get_xlim(), ylim=ax.get_ylim())  # fix the limits: labels depend on them
    high = ax.get_window_extent().height * 72 / figure.dpi  # points
    beside = ax.get_yaxis_transform()
    places = (ax.transData + ax.transAxes.inverted()).transform([(mark.x, mark.y) for mark in marks])
    heights = place_apart([float(y) for _, y in places], LABEL_LINE / high)
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


def cut_label(name: str) -> str:
    """Return a name that fits next to the axes: without the family, and without its middle if it is long."""
    name = re.sub(r"#[\w-]+/", "#", name)
    if len(name) <= LONGEST:
        return name
    return f"{name[: LONGEST // 2 - 1]}…{name[-LONGEST // 2 :]}"


def place_apart(wanted: Sequence[float], least: float) -> list[float]:
    """Return the places within 0 and 1 that are closest to the wanted ones, at least `least` apart, in the wanted order."""
    if len(wanted) > 1:
        least = min(least, 1 / (len(wanted) - 1))
    order = sorted(range(len(wanted)), key=wanted.__getitem__)
    # Neighbours that are too close share the mean of their wanted places, as isotonic regression pools them.
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


DPI = 160


def save(ax: Axes, folder: Path, name: str) -> str:
    """Write NAME.svg and NAME.png into a folder and return the SVG; raises InputError if they cannot be written."""
    drawn = as_svg(ax, name)
    write_whole(folder / f"{name}.svg", drawn)
    _figure(ax).set_layout_engine("none")  # the layout is done, and is the same at any size
    write_whole(folder / f"{name}.png", as_png(ax))
    return drawn


def save_as(ax: Axes, path: Path) -> None:
    """Write a figure as PNG or SVG, also into a device or a pipe; raises InputError if it cannot be written."""
    write_whole(path, as_png(ax) if path.suffix == ".png" else as_svg(ax, path.stem))


def _figure(ax: Axes) -> Figure:
    assert isinstance(ax.figure, Figure)
    return ax.figure


def as_png(ax: Axes) -> bytes:
    """Return a figure as PNG."""
    pixels = io.BytesIO()
    with mpl.rc_context(RC):
        _figure(ax).savefig(pixels, format="png", dpi=DPI, metadata={"Software": None})
    return pixels.getvalue()


def as_svg(ax: Axes, name: str) -> str:
    """Return a figure as SVG, with the same text every time for the same name."""
    text = io.StringIO()
    with mpl.rc_context({**RC, "svg.hashsalt": name}):
        _figure(ax).savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    return printable(text.getvalue(), LAYOUT)
