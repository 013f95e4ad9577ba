"""The picture of a shape that has none of its own: its table of text."""

from typing import Any

from markupsafe import Markup

from kassay.reports.shapes.picture import Picture
from kassay.shape import Shape

MOST = 60
"""The greatest size that is shown, of each of the shape's."""


def text_picture(shape: Shape) -> Picture:
    """Make the picture from the table that people see in a terminal."""

    def html(title: str, group: Any, assignment: Any) -> Markup:
        table = shape.show(group, {title: assignment})
        head = Markup().join(Markup('<th scope="col">{}</th>').format(name) for name in table.columns)
        rows = (Markup().join(Markup("<td>{}</td>").format(cell) for cell in row) for row in table.rows)
        body = Markup().join(Markup("<tr>{}</tr>\n").format(row) for row in rows)
        return Markup(
            '<div class="scroll" tabindex="0" role="region" aria-label="{0}"><table class="text" aria-label="{0}">\n'
            "<thead><tr>{1}</tr></thead><tbody>\n{2}</tbody></table>{3}</div>"
        ).format(title, head, body, Markup("<p>{}</p>").format(table.note) if table.note else "")

    return Picture(html, dict.fromkeys(shape.sizes, MOST))
