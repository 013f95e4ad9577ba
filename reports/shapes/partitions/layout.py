"""Where things stand in a picture of members and topics, and what all such pictures begin with: names, racks and loads."""

from collections.abc import Iterator

from markupsafe import Markup

from kassay.reports.shapes.partitions.marks import Marks
from kassay.reports.shapes.partitions.names import short_names, shortened

WIDTH, LEFT, RIGHT, ROW, TOP, GAP = 420, 96, 30, 36, 42, 9
"""The width of a picture, the room left for names and right for loads, the height of a row and of the head, and between topics."""
LETTER, NAME = 8.4, 10
"""The width of a letter of a topic's name, in wide fonts, and the letters of a member's name that there is room for."""


def members(found: Marks, *, lines: bool) -> Iterator[Markup]:
    """Write the members with their racks and loads, a row each, with a line along the row where partitions stand on it."""
    known = short_names(found.members, NAME)
    yield Markup('<text class="note end" x="{}" y="31">load</text>').format(WIDTH)
    for n, name in enumerate(found.members):
        y = TOP + ROW * n + ROW / 2
        rack = found.racks.get(name, "")
        if lines:
            yield Markup('<path class="line" d="M{} {:g}H{}"/>').format(LEFT - 4, y, WIDTH - RIGHT)
        yield Markup('<text class="member" x="0" y="{:g}">{}<title>{}</title></text>').format(
            y + (-1 if rack else 4), known[name], name
        )
        if rack:
            yield Markup('<text class="note" x="0" y="{:g}">{}</text>').format(
                y + 12, shortened(f"rack {rack}", 12)
            )
        yield Markup('<text class="load end" x="{}" y="{:g}">{}</text>').format(
            WIDTH, y + 5, found.loads[name]
        )


def topic_head(topic: str, name: str, left: float, width: float) -> Markup:
    """Write a topic's name, cut to its width, over its columns."""
    return Markup(
        '<text class="topic mid" x="{:g}" y="12">{}<title>{}</title></text><path class="head" d="M{:g} 17H{:g}"/>'
    ).format(
        left + width / 2, shortened(name, max(2, int(width / LETTER))), topic, left + 1, left + width - 1
    )
