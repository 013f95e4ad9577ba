"""The layout that all pictures of groups share: names, notes and loads of rows, columns, bars of loads, and a table as text."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from kassay.families.shape import Shape
from kassay.sentences import format_count

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True)
class Picture:
    """The picture of a shape, as HTML and as a drawing, made of a title, a group and an assignment."""

    html: Callable[[str, Any, Any], Markup]
    most: Mapping[str, int]
    """The greatest sizes that can be read."""
    draw: "Callable[[str, Any, Any], Axes] | None" = None
    lead: str = ""
    """How to read the picture."""
    legend: Sequence[tuple[str, str, str]] = ()
    """Classes of the style sheet, each with its sign and meaning."""
    style: str = ""
    """The style sheet."""
    joined: Callable[[Any, Any], Any] = field(default=lambda group, _: group)
    """Return the group of a second run as it joins with the assignment of the first: the picture then shows what changed."""

    def shows(self, size: Mapping[str, int]) -> bool:
        """Return True if a picture of a group of this size can be read."""
        return all(size[name] <= most for name, most in self.most.items())


def read_style(name: str) -> str:
    """Return the style sheet of a shape's pictures: first the shared part, then the shape's own file."""
    return "".join(
        (Path(__file__).parent / f"{each}.css").read_text(encoding="utf-8") for each in ("picture", name)
    )


STAYS, MOVES, NEW, LEAVES, WRONG = "kept", "moved", "new", "gone", "wrong"
"""An item that its owner keeps, comes from another owner, had no owner, leaves its owner, or is not allowed here."""
ROOM = 11
"""Letters of a member's name."""
SEPARATORS = ".-_/"


def cut_name(text: str, room: int) -> str:
    """Cut a name to `room` letters and replace what cannot be printed by question marks."""
    shown = "".join(letter if letter.isprintable() else "?" for letter in text)
    return shown if len(shown) <= room else f"{shown[: room - 1]}…"


def short_names(names: Sequence[str], room: int = ROOM, kind: str = "member") -> dict[str, str]:
    """Return the names, cut if they are too long.

    First cut the beginning that all share, up to its last separator; if that is ambiguous, keep the ends; else number them.
    """
    if all(len(name) <= room for name in names):
        return {name: cut_name(name, room) for name in names}
    first, last = min(names), max(names)  # all share what these two share
    same = next((n for n, letters in enumerate(zip(first, last, strict=False)) if len(set(letters)) > 1), 0)
    begin = max(first[:same].rfind(separator) for separator in SEPARATORS) + 1
    heads = {name: cut_name(name[begin:], room) for name in names}
    ends = {name: f"…{cut_name(name[1 - room :], room)}" if len(name) > room else name for name in names}
    for cut in (heads, ends):
        if len(set(cut.values())) == len(names):
            return cut
    return {name: f"{kind} {n}" for n, name in enumerate(names, 1)}


MOST = 60
"""The largest size that is shown, for each size of the shape."""


def build_text_picture(shape: Shape) -> Picture:
    """Return a picture that is the table which a terminal shows, for shapes without their own picture."""

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
    """Draw loads in descending order, stacked by kind, the first kind at the bottom.

    Above BARS members one bar is the mean of several. `items` is the number of items to assign, `trouble` how many are lost or wrong.
    """
    ordered = sorted(loads, key=lambda load: -sum(load.values()))
    each = -(-len(ordered) // BARS) if ordered else 1
    greatest = max((sum(load.values()) for load in ordered), default=0)
    even = items / max(1, len(ordered))
    # The scale is the same in all pictures of a group, unless one member has more than twice its share.
    top = max(greatest, 2 * ceil(even), 1)
    drawn = [ordered[n : n + each] for n in range(0, len(ordered), each)]
    pitch = (BARS_WIDTH - BARS_LEFT) / max(1, len(drawn))
    yield Markup('<path class="line" d="M{} {}H{}"/>').format(BARS_LEFT, BOTTOM, BARS_WIDTH)
    for load in sorted({top, greatest, 0}, reverse=True):
        if load == greatest and 0 < HEIGHT * (top - greatest) / top < 14:
            continue  # there is no room for both
        yield write_text("note end", BARS_LEFT - 6, BOTTOM - HEIGHT * load / top + 4, f"{load:,}")
    for n, bar in enumerate(drawn):
        y = float(BOTTOM)
        for kind in bar[0]:
            height = HEIGHT * sum(load[kind] for load in bar) / len(bar) / top
            y -= height
            if height:
                box = (BARS_LEFT + pitch * n + 0.5, y, max(0.6, pitch - 1), height)
                yield Markup('<rect class="{}" x="{:g}" y="{:g}" width="{:g}" height="{:g}"/>').format(
                    kind, *(round(number, 2) for number in box)
                )
    most, least = (sum(load.values()) for load in (ordered[0], ordered[-1])) if ordered else (0, 0)
    few = [f"each bar is the mean of {each:,}"] if each > 1 else []
    wrong = [f"{count:,} {what}" for what, count in trouble.items() if count]
    yield write_text(
        "note", 0, BOTTOM + 16, f"loads of {format_count(len(ordered), noun)}, from {most:,} to {least:,}"
    )
    yield write_text("trouble" if wrong else "note", 0, BOTTOM + 31, "; ".join([*few, *wrong]))


WIDTH, LEFT, RIGHT, ROW, TOP, GAP = 420, 96, 30, 36, 42, 9
"""The width of a picture, the room for names and for loads, the heights of a row and of the head, and the gap between topics."""
LETTER, NAME = 8.4, 10
"""The width of a letter of a topic's name in wide fonts, and the number of letters of a member's name."""
WIDEST, LETTERS = 68.0, 8
"""The largest width of a name over a few columns, and its number of letters."""
DIGIT, FIGURE = 7.6, 10
"""The width of a digit of a column's number, and of a load's."""
PITCHES = (30.0, 26.0, 23.0, 20.0, 18.0, 16.0, 14.0)
"""The widths of a column, the best first."""


def write_text(look: str, x: float, y: float, words: object) -> Markup:
    """Write words at a place, with classes of the style sheet."""
    return Markup('<text class="{}" x="{:g}" y="{:g}">{}</text>').format(look, x, y, words)


def draw_box(look: str, x: float, row: int, pitch: float, sign: str, *, role: bool, crossing: bool) -> Markup:
    """Draw the mark of an item in a row, with its sign, framed if it is read across racks."""
    width, y = min(22.0, pitch - 3), TOP + ROW * row + 6
    box = Markup('<rect class="{}" x="{:g}" y="{:g}" width="{:g}" height="{}" rx="3"/>').format(
        look, x - width / 2, y, width, ROW - 12
    )
    if crossing:
        box += Markup('<rect class="far" x="{:g}" y="{:g}" width="{:g}" height="{}" rx="4"/>').format(
            x - width / 2 - 1.5, y - 1.5, width + 3, ROW - 9
        )
    return box + (write_text("role mid" if role else "sign mid", x, y + 16.5, sign) if sign else "")


def draw_arrow(x: float, giver: int, taker: int, start: float) -> Markup:
    """Draw a move within its column, from `start` below the top of the giver's row to the edge of the taker's row."""
    down = taker > giver
    end = TOP + ROW * taker + (5 if down else ROW - 5)
    return Markup(
        '<path class="arrow" d="M{0:g} {1:g}V{2:g}"/><path class="tip" d="M{0:g} {3:g}l-4 {4}h8z"/>'
    ).format(x, TOP + ROW * giver + start, end - 6 if down else end + 6, end, -7 if down else 7)


def draw_rows(
    names: Sequence[str],
    notes: Mapping[str, str],
    loads: Mapping[str, int | str],
    *,
    lines: bool,
    kind: str = "member",
) -> Iterator[Markup]:
    """Write a row for each member or client with a note and its load, and a line along the row if it has marks."""
    known = short_names(names, NAME, kind)
    yield write_text("note end", WIDTH, 31, "load")
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
            yield write_text("note", 0, y + 12, cut_name(note, 12))
        yield write_text("load end", WIDTH, y + 5, loads[name])


def draw_head(whole: str, name: str, left: float, width: float) -> Markup:
    """Write the name of a set of items, such as a topic, cut to its width, over its columns."""
    return Markup(
        '<text class="topic mid" x="{:g}" y="12">{}<title>{}</title></text><path class="head" d="M{:g} 17H{:g}"/>'
    ).format(left + width / 2, cut_name(name, max(2, int(width / LETTER))), whole, left + 1, left + width - 1)


def place_columns(sizes: Mapping[str, int]) -> tuple[float, list[tuple[float, float, float]]]:
    """Return the width of a column, and for each set of items its start, its width, and the start of its columns.

    A set is wide enough for its name if there is room for all of them.
    """
    room = WIDTH - LEFT - RIGHT - GAP * len(sizes)
    for pitch in PITCHES:
        widths = {name: max(min(WIDEST, LETTER * len(name)), pitch * n) for name, n in sizes.items()}
        if sum(widths.values()) <= room:
            break
    else:
        pitch = min(PITCHES[0], room / max(1, sum(sizes.values())))
        widths = {name: pitch * number for name, number in sizes.items()}
    places, start = [], float(LEFT)
    for name, number in sizes.items():
        places.append((start, widths[name], start + (widths[name] - pitch * number) / 2))
        start += widths[name] + GAP
    return pitch, places


def find_label_step(digits: int, pitch: float) -> int:
    """Return the distance, in columns, of labels with a number of digits."""
    return ceil((DIGIT * digits + 2) / pitch)
