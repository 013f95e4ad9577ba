"""Pictures of groups, in a file for each shape; a shape without one is shown as a table of text."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from kassay.model import Assignment, Group
from kassay.reports.shapes.layout import Picture, build_text_picture
from kassay.reports.shapes.partitions import PARTITIONS
from kassay.reports.shapes.tasks import STREAMS_GROUPS, TASKS
from kassay.reports.shapes.workers import WORKERS
from kassay.shape import Shape

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def _draw(title: str, group: Group, assignment: Assignment) -> "Axes":
    from kassay.reports.shapes.holding import (  # a page is made without what draws for papers
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


def picture_of(shape: Shape) -> Picture:
    """Return how groups of a shape are shown."""
    return PICTURES.get(shape.name) or build_text_picture(shape)
