"""What all figures share: colours that colour-blind people tell apart, lines and markers beside them, and plain axes.

Colours: hues of Okabe and Ito, "Color universal design" (2008), and a violet, each as light or dark as it must be to
stand out from paper (contrast 4.5, WCAG) and from the others for people who do not see red or green.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, ScalarFormatter

from kassay.comparison.target_labels import target_labels
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
    """How a target looks in every figure."""

    label: str
    colour: str
    line: str
    marker: str
    place: int

    @property
    def gid(self) -> str:
        """What all artists of the target are called in an SVG, by its place among the targets."""
        return f"target-{self.place}"


def looks(targets: Sequence[str]) -> dict[str, Look]:
    """Give every target its look, by its place in the sequence; what all names start with is left out of the labels."""
    return {
        name: Look(label, COLOURS[n % len(COLOURS)], LINES[n % len(LINES)], MARKERS[n % len(MARKERS)], n)
        for n, (name, label) in enumerate(target_labels(targets).items())
    }


def out_of(part: int, number: int) -> str:
    """Write the size of what is drawn: ``n = 60``, or ``n = 1 of 60``."""
    return f"n = {number:,}" if part == number else f"n = {part:,} of {number:,}"


@contextmanager
def axes(ax: Axes | None, width: float = WIDTH, height: float = HEIGHT) -> Iterator[Axes]:
    """Give the axes to draw into, new ones where there are none, in the figures' style while the block runs."""
    with mpl.rc_context(RC):
        yield Figure((width, height), layout="constrained").add_subplot() if ax is None else ax


def from_zero(ax: Axes, most: int = 9) -> None:
    """Make the horizontal axis logarithmic from 1 on, with room for 0, and write its numbers out, `most` of them."""
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


def in_percent(ax: Axes) -> None:
    """Make the vertical axis one of shares, from 0 to 100 %."""
    ax.set_ylim(0, 1.03)
    ax.set_yticks([0, 0.25, 0.5, 0.75, 1])
    ax.yaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * share:.0f} %"))


def look_of(known: Mapping[str, Look] | None, targets: Sequence[str]) -> Mapping[str, Look]:
    """Return the looks given, or new ones for the targets in their order."""
    return looks(list(dict.fromkeys(targets))) if known is None else known
