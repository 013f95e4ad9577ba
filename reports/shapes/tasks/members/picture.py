"""The picture of the shape of streams groups."""

from pathlib import Path

from markupsafe import Markup

from kassay.model.streams_group import StreamsAssignment, StreamsGroup
from kassay.properties.tasks.members.holdings import after
from kassay.reports.shapes import items
from kassay.reports.shapes.items.panel import panel
from kassay.reports.shapes.picture import Picture, style_of
from kassay.reports.shapes.tasks.members.marks import marks


def _html(title: str, group: StreamsGroup, assignment: StreamsAssignment) -> Markup:
    return panel(title, marks(group, assignment))


STREAMS_GROUPS = Picture(
    html=_html,
    most={"members": 40, "tasks": 120},
    lead="Members are rows; columns are tasks by subtopology, or subtopologies where tasks are many, and very large groups are bars of loads.",
    legend=(
        ("kept", "", "active, stays"),
        ("moved", "", "active, from another member"),
        ("new", "", "active, ran nowhere"),
        ("standby", "s", "standby"),
        ("warm-up", "w", "warm-up"),
        ("gone", "", "leaves"),
        ("wrong", "✗", "may not be here, such as a second copy on a process"),
        ("lost", "✗", "active nowhere; 2x: active twice"),
    ),
    style=style_of(Path(items.__path__[0])),
    joined=after,
)
