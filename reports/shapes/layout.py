"""Where things stand in a picture with a row for each member or client, and what all such pictures begin with: names, notes, loads.

Names as a picture has room for them.

The picture of a shape that has none of its own: its table of text.

The picture of a large group: a bar for each member or client, or for each few, as high as its load.

How a report shows a group with an assignment.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from kassay.sentences import counted
from kassay.shape import Shape

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True)
class Picture:
    """The picture of a shape: for the page as HTML, for papers as a drawing; both of a title, a group and an assignment.

    `lead` says how to read it; `legend` lists a class of the style sheet, a sign and what they mean; `style` is that style
    sheet. `most` are the greatest sizes that can still be read.
    """

    html: Callable[[str, Any, Any], Markup]
    most: Mapping[str, int]
    draw: "Callable[[str, Any, Any], Axes] | None" = None
    lead: str = ""
    legend: Sequence[tuple[str, str, str]] = ()
    style: str = ""
    joined: Callable[[Any, Any], Any] = field(default=lambda group, _: group)
    """The group of a second run, as it joins with what the first run gave: so the picture shows what changed."""

    def shows(self, size: Mapping[str, int]) -> bool:
        """Say whether a picture of a group of this size can be read."""
        return all(size[name] <= most for name, most in self.most.items())


def read_style(name: str) -> str:
    """Return the style sheet of a shape's pictures: what all pictures share, then what stands in a file of its own."""
    return "".join(
        (Path(__file__).parent / f"{each}.css").read_text(encoding="utf-8") for each in ("picture", name)
    )


STAYS, MOVES, NEW, LEAVES, WRONG = "kept", "moved", "new", "gone", "wrong"
"""An item that its owner keeps; that comes from another; that nobody had; that its owner gives up; that may not be here."""
ROOM = 11
"""Letters of a member's name."""
SEPARATORS = ".-_/"


def cut_name(text: str, room: int) -> str:
    """Cut a name to so many letters; what cannot be printed is a question mark."""
    shown = "".join(letter if letter.isprintable() else "?" for letter in text)
    return shown if len(shown) <= room else f"{shown[: room - 1]}…"


def short_names(names: Sequence[str], room: int = ROOM, kind: str = "member") -> dict[str, str]:
    """Cut names that are too long: without the beginning that all share, up to its last separator, else to their ends.

    They are numbered where they are alike then.
    """
    if all(len(name) <= room for name in names):
        return {name: cut_name(name, room) for name in names}
    first, last = min(names), max(names)  # what these two share, all share
    alike = first[
        : next((n for n, letters in enumerate(zip(first, last, strict=False)) if len(set(letters)) > 1), 0)
    ]
    begin = max(alike.rfind(separator) for separator in SEPARATORS) + 1
    heads = {name: cut_name(name[begin:], room) for name in names}
    ends = {name: f"…{cut_name(name[1 - room :], room)}" if len(name) > room else name for name in names}
    for cut in (heads, ends):
        if len(set(cut.values())) == len(names):
            return cut
    return {name: f"{kind} {n}" for n, name in enumerate(names, 1)}


MOST = 60
"""The greatest size that is shown, of each of the shape's."""


def build_text_picture(shape: Shape) -> Picture:
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


BARS = 60
BARS_WIDTH, BARS_LEFT, HEIGHT, BOTTOM = 420, 40, 140, 165


def draw_bars(
    loads: Sequence[Mapping[str, int]], items: int, trouble: Mapping[str, int], noun: str
) -> Iterator[Markup]:
    """Draw loads from the greatest to the least, by the kinds that they are made of, the first at the bottom.

    Above 60 members one bar stands for several. `items` are all that is given out; `trouble` says how many of them are lost or wrong.
    """
    ordered = sorted(loads, key=lambda load: -sum(load.values()))
    each = -(-len(ordered) // BARS) if ordered else 1
    greatest = max((sum(load.values()) for load in ordered), default=0)
    even = items / max(1, len(ordered))
    # the same in all pictures of a group, but where one member has more than twice its part
    top = max(greatest, 2 * ceil(even), 1)
    drawn = [ordered[n : n + each] for n in range(0, len(ordered), each)]
    pitch = (BARS_WIDTH - BARS_LEFT) / max(1, len(drawn))
    yield Markup('<path class="line" d="M{} {}H{}"/>').format(BARS_LEFT, BOTTOM, BARS_WIDTH)
    for load in sorted({top, greatest, 0}, reverse=True):
        if load == greatest and 0 < HEIGHT * (top - greatest) / top < 14:
            continue  # there is no room for both
        yield Markup('<text class="note end" x="{}" y="{:g}">{:,}</text>').format(
            BARS_LEFT - 6, BOTTOM - HEIGHT * load / top + 4, load
        )
    for n, bar in enumerate(drawn):
        y = float(BOTTOM)
        for kind in bar[0]:
            height = HEIGHT * sum(load[kind] for load in bar) / len(bar) / top
            y -= height
            if height:
                yield Markup('<rect class="{}" x="{:g}" y="{:g}" width="{:g}" height="{:g}"/>').format(
                    kind,
                    round(BARS_LEFT + pitch * n + 0.5, 2),
                    round(y, 2),
                    round(max(0.6, pitch - 1), 2),
                    round(height, 2),
                )
    most, least = (sum(load.values()) for load in (ordered[0], ordered[-1])) if ordered else (0, 0)
    few = [f"each bar is the mean of {each:,}"] if each > 1 else []
    wrong = [f"{count:,} {what}" for what, count in trouble.items() if count]
    yield Markup('<text class="note" x="0" y="{}">{}</text>').format(
        BOTTOM + 16, f"loads of {counted(len(ordered), noun)}, from {most:,} to {least:,}"
    )
    yield Markup('<text class="{}" x="0" y="{}">{}</text>').format(
        "trouble" if wrong else "note", BOTTOM + 31, "; ".join([*few, *wrong])
    )


WIDTH, LEFT, RIGHT, ROW, TOP, GAP = 420, 96, 30, 36, 42, 9
"""The width of a picture, the room left for names and right for loads, the height of a row and of the head, and between topics."""
LETTER, NAME = 8.4, 10
"""The width of a letter of a topic's name, in wide fonts, and the letters of a member's name that there is room for."""
WIDEST, LETTERS = 68.0, 8
"""The room that the name over a few columns is given at most, and its letters."""
DIGIT, FIGURE = 7.6, 10
"""The width of a digit of a column's number, and of a load's."""
PITCHES = (30.0, 26.0, 23.0, 20.0, 18.0, 16.0, 14.0)


def draw_rows(
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
            yield Markup('<text class="note" x="0" y="{:g}">{}</text>').format(y + 12, cut_name(note, 12))
        yield Markup('<text class="load end" x="{}" y="{:g}">{}</text>').format(WIDTH, y + 5, loads[name])


def draw_frame(x: float, y: float, width: float) -> Markup:
    """Frame the mark of what is read across racks, which stands there with this width."""
    return Markup('<rect class="far" x="{:g}" y="{:g}" width="{:g}" height="{}" rx="4"/>').format(
        x - width / 2 - 1.5, y - 1.5, width + 3, ROW - 9
    )


def draw_head(whole: str, name: str, left: float, width: float) -> Markup:
    """Write the name of a topic or a subtopology, cut to its width, over its columns."""
    return Markup(
        '<text class="topic mid" x="{:g}" y="12">{}<title>{}</title></text><path class="head" d="M{:g} 17H{:g}"/>'
    ).format(left + width / 2, cut_name(name, max(2, int(width / LETTER))), whole, left + 1, left + width - 1)


def place_columns(sizes: Mapping[str, int]) -> tuple[float, list[tuple[float, float, float]]]:
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


def find_label_step(digits: int, pitch: float) -> int:
    """Return every how many columns there is room for a number of so many digits."""
    return ceil((DIGIT * digits + 2) / pitch)
