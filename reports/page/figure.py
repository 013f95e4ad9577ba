"""A figure of the report: drawn, saved as SVG and PNG, and kept for the page with words for people who cannot see it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup
from matplotlib.axes import Axes

from kassay.reports.figures.style import as_svg, save
from kassay.reports.page.groups.smallest_groups import Smallest
from kassay.reports.page.inline import inline, ours
from kassay.reports.shapes.picture import Picture
from kassay.reports.tables.properties import BROKEN

MOST_DRAWN = 12
"""Groups that are drawn for papers; the page shows all."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A saved figure: the section it belongs to, the name of its files, its SVG for the page, and what it shows in words."""

    section: str
    name: str
    svg: Markup
    says: str


def saved(ax: Axes, section: str, name: str, says: str, folder: Path, plain: Axes | None = None) -> Figure:
    """Save a figure for papers; the page shows `plain`, the same without a legend, where there is one."""
    svg = save(ax, folder, name)
    return Figure(
        section, name, ours(inline(svg if plain is None else as_svg(plain, name), name, says)), says
    )


def draw_smallest(found: Sequence[Smallest], picture: Picture, folder: Path) -> None:
    """Draw the groups on which promises are broken, for papers: what the target gives, and what is better."""
    broken = [one for one in found if one.outcome == BROKEN and one.finding and picture.shows(one.size)]
    for one in broken[:MOST_DRAWN] if picture.draw else ():
        assert picture.draw is not None
        name = f"smallest-{one.target}-{one.property}".translate({ord(c): "_" for c in "/:#\\ "})
        if one.finding and one.finding.assignment is not None:
            save(
                picture.draw(f"{one.target} gives", one.group, one.finding.assignment),
                folder,
                f"{name}-gives",
            )
        if one.better:
            save(picture.draw(one.better.name, one.group, one.better.assignment), folder, f"{name}-better")
