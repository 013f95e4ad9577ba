"""Save a figure as SVG and PNG, with the same bytes every time."""

import io
from pathlib import Path

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from kassay.errors import InputError
from kassay.files.writing import write_whole
from kassay.output.block import LAYOUT, printable
from kassay.reports.figures.style import RC

DPI = 160


def save(ax: Axes, folder: Path, name: str) -> str:
    """Write NAME.svg and NAME.png into a folder and return the SVG; raises InputError where they cannot be written."""
    picture, pixels = folder / f"{name}.png", io.BytesIO()
    drawn, figure = as_svg(ax, name), ax.figure
    assert isinstance(figure, Figure)
    with mpl.rc_context(RC):
        figure.set_layout_engine("none")  # it is laid out now, and the same at any size
        figure.savefig(pixels, format="png", dpi=DPI, metadata={"Software": None})
    write_whole(folder / f"{name}.svg", drawn)
    try:
        picture.write_bytes(pixels.getvalue())
    except OSError as wrong:
        raise InputError(
            f"{picture}: cannot be written ({wrong.strerror}); choose another folder with -o"
        ) from None
    return drawn


def as_svg(ax: Axes, name: str) -> str:
    """Return a figure as SVG, the same text every time for the same name."""
    text, figure = io.StringIO(), ax.figure
    assert isinstance(figure, Figure)
    with mpl.rc_context({**RC, "svg.hashsalt": name}):
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    return printable(text.getvalue(), LAYOUT)
