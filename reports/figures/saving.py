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
    drawn = as_svg(ax, name)
    write_whole(folder / f"{name}.svg", drawn)
    _figure(ax).set_layout_engine("none")  # it is laid out now, and the same at any size
    _write_png(ax, folder / f"{name}.png", "folder with -o")
    return drawn


def save_as(ax: Axes, path: Path) -> None:
    """Write a figure as the SVG or PNG that a path ends with; raises InputError where it cannot be written."""
    if path.suffix == ".svg":
        write_whole(path, as_svg(ax, path.stem))
    else:
        _write_png(ax, path, "file")


def _figure(ax: Axes) -> Figure:
    assert isinstance(ax.figure, Figure)
    return ax.figure


def _write_png(ax: Axes, path: Path, other: str) -> None:
    pixels = io.BytesIO()
    with mpl.rc_context(RC):
        _figure(ax).savefig(pixels, format="png", dpi=DPI, metadata={"Software": None})
    try:
        path.write_bytes(pixels.getvalue())
    except OSError as wrong:
        raise InputError(f"{path}: cannot be written ({wrong.strerror}); choose another {other}") from None


def as_svg(ax: Axes, name: str) -> str:
    """Return a figure as SVG, the same text every time for the same name."""
    text = io.StringIO()
    with mpl.rc_context({**RC, "svg.hashsalt": name}):
        _figure(ax).savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    return printable(text.getvalue(), LAYOUT)
