"""Where things stand in a picture with a row for each member or client, and what all such pictures begin with: names, racks, loads."""

from collections.abc import Iterator, Mapping, Sequence

from markupsafe import Markup

from kassay.reports.shapes.names import short_names, shortened

WIDTH, LEFT, RIGHT, ROW, TOP, GAP = 420, 96, 30, 36, 42, 9
"""The width of a picture, the room left for names and right for loads, the height of a row and of the head, and between topics."""
LETTER, NAME = 8.4, 10
"""The width of a letter of a topic's name, in wide fonts, and the letters of a member's name that there is room for."""


def rows(
    names: Sequence[str],
    racks: Mapping[str, str],
    loads: Mapping[str, int | str],
    *,
    lines: bool,
    kind: str = "member",
) -> Iterator[Markup]:
    """Write members or clients with their racks and loads, a row each, with a line along the row where marks stand on it."""
    known = short_names(names, NAME, kind)
    yield Markup('<text class="note end" x="{}" y="31">load</text>').format(WIDTH)
    for n, name in enumerate(names):
        y = TOP + ROW * n + ROW / 2
        rack = racks.get(name, "")
        if lines:
            yield Markup('<path class="line" d="M{} {:g}H{}"/>').format(LEFT - 4, y, WIDTH - RIGHT)
        yield Markup('<text class="member" x="0" y="{:g}">{}<title>{}</title></text>').format(
            y + (-1 if rack else 4), known[name], name
        )
        if rack:
            yield Markup('<text class="note" x="0" y="{:g}">{}</text>').format(
                y + 12, shortened(f"rack {rack}", 12)
            )
        yield Markup('<text class="load end" x="{}" y="{:g}">{}</text>').format(WIDTH, y + 5, loads[name])


def frame(x: float, y: float, width: float) -> Markup:
    """Frame the mark of what is read across racks, which stands there with this width."""
    return Markup('<rect class="far" x="{:g}" y="{:g}" width="{:g}" height="{}" rx="4"/>').format(
        x - width / 2 - 1.5, y - 1.5, width + 3, ROW - 9
    )


def head(whole: str, name: str, left: float, width: float) -> Markup:
    """Write the name of a topic or a subtopology, cut to its width, over its columns."""
    return Markup(
        '<text class="topic mid" x="{:g}" y="12">{}<title>{}</title></text><path class="head" d="M{:g} 17H{:g}"/>'
    ).format(
        left + width / 2, shortened(name, max(2, int(width / LETTER))), whole, left + 1, left + width - 1
    )
