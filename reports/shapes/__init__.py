"""Pictures of groups, one file for each shape.

A shape without a picture is shown as a table of text.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from kassay.families.shape import Shape
from kassay.model import Assignment, Group
from kassay.reports.shapes.layout import Picture, build_text_picture
from kassay.reports.shapes.partitions import PARTITIONS
from kassay.reports.shapes.tasks import STREAMS_GROUPS, TASKS
from kassay.reports.shapes.workers import WORKERS

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def _draw(title: str, group: Group, assignment: Assignment) -> "Axes":
    from kassay.reports.shapes.holding import (  # pages do not need matplotlib
        draw_holding,
        list_pairs,
    )

    return draw_holding(list_pairs(group, assignment), title)


PICTURES: Mapping[str, Picture] = {
    "partitions": replace(PARTITIONS, draw=_draw),
    "tasks": TASKS,
    "streams groups": STREAMS_GROUPS,
    "workers": WORKERS,
}
"""Name of a shape -> its picture."""


def find_picture(shape: Shape) -> Picture:
    """Return the picture of a shape."""
    return PICTURES.get(shape.name) or build_text_picture(shape)
