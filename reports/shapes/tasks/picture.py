"""The picture of the shape of tasks and clients."""

from pathlib import Path

from markupsafe import Markup

from kassay.model.tasks import Application, TaskAssignment
from kassay.properties.tasks.rounds import after
from kassay.reports.shapes import items
from kassay.reports.shapes.items.panel import panel
from kassay.reports.shapes.picture import Picture, style_of
from kassay.reports.shapes.tasks.marks import marks


def _html(title: str, application: Application, assignment: TaskAssignment) -> Markup:
    return panel(title, marks(application, assignment))


TASKS = Picture(
    html=_html,
    most={"clients": 40, "tasks": 120},
    lead="Clients are rows; columns are tasks by subtopology, or subtopologies where tasks are many, and very large applications are bars of loads.",
    legend=(
        ("kept", "", "active, stays"),
        ("moved", "", "active, from another client"),
        ("new", "", "active, ran nowhere"),
        ("standby", "s", "standby"),
        ("warm-up", "w", "warm-up: a copy beyond num.standby.replicas"),
        ("gone", "", "leaves"),
        ("far", "R", "reads from another rack"),
        ("wrong", "✗", "may not be here"),
        ("lost", "✗", "active nowhere; 2x: active twice"),
    ),
    style=style_of(Path(items.__path__[0])),
    joined=after,
)
