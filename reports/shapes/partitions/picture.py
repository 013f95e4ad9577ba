"""The picture of the shape of topics, members and partitions."""

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from matplotlib.axes import Axes

from kassay.model import Assignment, Group
from kassay.properties.partitions.rounds import after
from kassay.reports.shapes.partitions.held import held
from kassay.reports.shapes.partitions.holding import holding
from kassay.reports.shapes.partitions.squares import held_grid
from kassay.reports.shapes.picture import Picture

HERE = Path(__file__).parent
TEMPLATE = Environment(
    loader=FileSystemLoader(HERE), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
).get_template("picture.html")  # fmt: skip


def _html(title: str, group: Group, assignment: Assignment) -> Markup:
    return Markup(TEMPLATE.render(grid=held_grid(title, group, assignment)))  # noqa: S704 - the template escapes


def _draw(title: str, group: Group, assignment: Assignment) -> Axes:
    return holding(held(group, assignment), title)


PARTITIONS = Picture(
    html=_html,
    most={"members": 40, "partitions": 120},
    draw=_draw,
    lead="Members down, partitions across.",
    legend=(
        ("kept", "=", "owned, gets again"),
        ("gained", "+", "gets, did not own"),
        ("parted", "", "owned, does not get"),
        ("wrong", "x", "gets, may not"),
        ("unread", "", "does not subscribe"),
        ("", "R", "read from another rack"),
    ),
    style=(HERE / "picture.css").read_text(encoding="utf-8"),
    joined=after,
)
