"""The picture of the shape of connectors, tasks and workers."""

from pathlib import Path

from markupsafe import Markup

from kassay.model.workers import Cluster, WorkAssignment
from kassay.properties.workers.rounds import after
from kassay.reports.shapes import items
from kassay.reports.shapes.items.panel import panel
from kassay.reports.shapes.picture import Picture, style_of
from kassay.reports.shapes.workers.marks import marks


def _html(title: str, cluster: Cluster, answer: WorkAssignment) -> Markup:
    return panel(title, marks(cluster, answer))


WORKERS = Picture(
    html=_html,
    most={"workers": 40, "connectors": 60, "tasks": 120},
    lead="Workers are rows; columns are connectors (c) and their tasks, or whole connectors where these are many, and very large "
    "clusters are bars of loads. A load is connectors+tasks.",
    legend=(
        ("kept", "", "stays"),
        ("moved", "", "starts, ran on another worker"),
        ("new", "", "starts, ran nowhere"),
        ("gone", "", "stops"),
        ("wrong", "✗", "is not configured"),
        ("waits", "…", "waits for the next round"),
        ("lost", "✗", "runs nowhere; 2x: runs twice"),
    ),
    style=style_of(Path(items.__path__[0])),
    joined=after,
)
