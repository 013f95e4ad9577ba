"""Where things stand in a picture with a row for each member or client, and what all such pictures begin with: names, notes, loads."""

from collections.abc import Iterator, Mapping, Sequence
from math import ceil

from markupsafe import Markup

from kassay.reports.shapes.names import short_names, shortened

WIDTH, LEFT, RIGHT, ROW, TOP, GAP = 420, 96, 30, 36, 42, 9
"""The width of a picture, the room left for names and right for loads, the height of a row and of the head, and between topics."""
LETTER, NAME = 8.4, 10
"""The width of a letter of a topic's name, in wide fonts, and the letters of a member's name that there is room for."""
WIDEST, LETTERS = 68.0, 8
"""The room that the name over a few columns is given at most, and its letters."""
DIGIT, FIGURE = 7.6, 10
"""The width of a digit of a column's number, and of a load's."""
PITCHES = (30.0, 26.0, 23.0, 20.0, 18.0, 16.0, 14.0)


def rows(
    names: Sequence[str],
    notes: Mapping[str, str],
    loads: Mapping[str, int | str],
    *,
    lines: bool,
    kind: str = "member",
) -> Iterator[Markup]:
    """Write members or clients with a note and their loads, a row each, with a line along the row where marks stand on it."""
    known = short_names(names, NAME, kind)
    yield Markup('<text class="note end" x="{}" y="31">load</text>').format(WIDTH)
    for n, name in enumerate(names):
        y = TOP + ROW * n + ROW / 2
        note = notes.get(name, "")
        if lines:
            yield Markup('<path class="line" d="M{} {:g}H{}"/>').format(
                LEFT - 4, y, WIDTH - max(RIGHT, FIGURE * len(str(loads[name])) + 6)
            )
        yield Markup('<text class="member" x="0" y="{:g}">{}<title>{}</title></text>').format(
            y + (-1 if note else 4), known[name], name
        )
        if note:
            yield Markup('<text class="note" x="0" y="{:g}">{}</text>').format(y + 12, shortened(note, 12))
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


def arranged(sizes: Mapping[str, int]) -> tuple[float, list[tuple[float, float, float]]]:
    """Return the width of a column, and of each topic where it starts, how wide it is, and where its columns start.

    A topic, or whatever its columns are of, is wide enough for its name where there is room for all of them.
    """
    room = WIDTH - LEFT - RIGHT - GAP * len(sizes)
    pitch, widths = _widths(sizes, room)
    places, start = [], float(LEFT)
    for name, number in sizes.items():
        places.append((start, widths[name], start + (widths[name] - pitch * number) / 2))
        start += widths[name] + GAP
    return pitch, places


def _widths(sizes: Mapping[str, int], room: float) -> tuple[float, dict[str, float]]:
    for pitch in PITCHES:
        widths = {
            name: max(min(WIDEST, LETTER * len(name)), pitch * number) for name, number in sizes.items()
        }
        if sum(widths.values()) <= room:
            return pitch, widths
    pitch = min(PITCHES[0], room / max(1, sum(sizes.values())))
    return pitch, {name: pitch * number for name, number in sizes.items()}


def spaced(digits: int, pitch: float) -> int:
    """Return every how many columns there is room for a number of so many digits."""
    return ceil((DIGIT * digits + 2) / pitch)
