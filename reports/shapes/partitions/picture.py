"""The picture of the shape of topics, members and partitions."""

from pathlib import Path
from typing import TYPE_CHECKING

from kassay.model import Assignment, Group
from kassay.properties.partitions.rounds import after
from kassay.reports.shapes.partitions.panel import panel
from kassay.reports.shapes.picture import Picture, style_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def _draw(title: str, group: Group, assignment: Assignment) -> "Axes":
    from kassay.reports.shapes.partitions.held import held  # a page is made without what draws for papers
    from kassay.reports.shapes.partitions.holding import holding

    return holding(held(group, assignment), title)


PARTITIONS = Picture(
    html=panel,
    most={"members": 40, "partitions": 120},
    draw=_draw,
    lead="Members are rows; columns are partitions, or topics where these are many, and very large groups are bars of loads.",
    legend=(
        ("kept", "", "stays"),
        ("moved", "", "arrives from another member"),
        ("new", "", "had no owner"),
        ("gone", "", "leaves"),
        ("far", "R", "read from another rack"),
        ("wrong", "✗", "may not be here"),
        ("unread", "\N{EN DASH}", "not subscribed"),
        ("lost", "✗", "nobody gets it; 2x: given twice"),
    ),
    style=style_of(Path(__file__).parent),
    joined=after,
)
