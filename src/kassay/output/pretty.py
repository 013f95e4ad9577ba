"""Output for people at a terminal: titles, tables, bars, and code that can be pasted.

Bars show what stays, leaves and arrives, in block characters if the terminal has them, else in ASCII.
"""

import os
import re
from collections.abc import Iterable
from typing import Literal, TextIO

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from kassay.families.shape import TextTable
from kassay.model import shorten
from kassay.output.block import MARKS, WORDS, Block, clamp_width, one_line, printable

STAYS, LEAVES, ARRIVES = "#", "-", "+"
BLOCKS = str.maketrans({STAYS: "█", LEAVES: "░", ARRIVES: "▓"})
LEGEND = f"{STAYS} keeps   {LEAVES} loses   {ARRIVES} gains"
"""The meaning of the signs, itself the text of a bar."""
ROOM = 40
"""Columns of the longest bar, where there is room for it."""


class Bar(str):
    """The text of a bar, one sign for each column; who writes it may make it shorter, and draw it in blocks."""

    __slots__ = ()


def bar(stays: int, leaves: int = 0, arrives: int = 0, *, longest: int = 0, room: int = ROOM) -> Bar:
    """Draw numbers as a bar: one column each where the longest bar has room, else in proportion, and none of them lost."""
    return Bar(
        "".join(
            sign * (number if longest <= room else -(-number * room // longest))
            for sign, number in ((STAYS, stays), (LEAVES, leaves), (ARRIVES, arrives))
        )
    )


def scale_bar(text: str, longest: int, room: int) -> str:
    """Return a bar, scaled if the longest bar is longer than `room` columns."""
    if longest <= room:
        return text
    kept = "".join(
        sign * -(-text.count(sign) * room // longest) for sign in (STAYS, LEAVES, ARRIVES) if sign in text
    )
    return kept[: max(room, 1)]


def draw_bar(text: str, encoding: str | None) -> str:
    """Return a bar in block characters if the encoding has them, else in ASCII."""
    blocks = text.translate(BLOCKS)
    try:
        blocks.encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return text
    return blocks


STYLES = {
    "kept": "green", "BROKEN": "bold red", "known defect": "bold magenta", "limit": "magenta", "errored": "yellow", "skipped": "yellow",
}  # fmt: skip
NAME_WIDTH = 32
"""Columns up to which the names in front of a table are never broken."""
WIDTH_UNKNOWN = 160
"""Columns where the output is no terminal: enough for a CI log."""


class Piped(Console):
    """A console whose reader may stop reading, which is for its caller to deal with."""

    def on_broken_pipe(self) -> None:
        """Raise the BrokenPipeError that is being handled, where rich would end the process."""
        raise BrokenPipeError


def write_pretty(blocks: Iterable[Block], out: TextIO) -> None:
    """Write blocks as they come, in colour where `out` is a terminal."""
    known = out.isatty() or "COLUMNS" in os.environ
    console = Piped(file=out, highlight=False, width=None if known else WIDTH_UNKNOWN)
    console.width = clamp_width(console.width)
    apart = False  # whether an empty line comes before what is written next
    for block in blocks:
        ends = bool(block.caveats or block.commands or block.status)
        said = bool(block.says or block.title or block.text or block.grid is not None or block.code) or ends
        if apart and said:
            out.write("\n")
        apart = apart and not said
        if block.says or block.prose or ends:
            _write_prose(console, block, out)
            apart = apart or said
            continue
        if block.title:
            console.print(Text(printable(block.title), style="bold"), soft_wrap=True)
        if block.text:
            console.print(Text(printable(block.text)), soft_wrap=True)
        if block.grid is not None:
            made, room = build_table(block.grid), console.width
            if out.isatty():
                break_heads(made, console.width)
            else:
                console.width = set_widths(made, console.width)
            console.print(made)
            if block.grid.note:
                console.print(Text(printable(block.grid.note), style="dim"))
            console.width = room
        out.writelines(printable(code) + "\n" for code in block.code)
        apart = apart or bool(block.title or block.grid is not None or block.code)
        out.flush()


SHORTEST = 6
"""Columns that a bar keeps however narrow the terminal is."""
APART = 3
"""Blanks between the columns of a table with heads."""
MANY = 5
"""A table of more columns has less room between them where it does not fit; no number is broken then."""
NUMBER = re.compile(r"([<>] )?[\d,.]*(( to |/)[\d,]+)?( %|x)?|-|\.\.\.")
"""A cell that is aligned to the right if all cells of its column are such."""
MARK_STYLES = dict(zip(MARKS.values(), ("bold green", "bold red", "bold yellow"), strict=True))


def _write_prose(console: Console, block: Block, out: TextIO) -> None:
    """Write what is laid out for reading, nothing of which but the code is wider than the console."""
    room = console.width
    if block.says:
        mark = Text(f"{WORDS[block.mark]}  " if block.mark else "", MARK_STYLES.get(block.mark, ""))
        _write_wrapped(console, mark, Text(one_line(block.says), "bold"), room)
    if block.title:
        _write_wrapped(console, Text(), Text(one_line(block.title), "bold"), room)
    for line in block.text.split("\n") if block.text else ():
        told = printable(line.lstrip(" "))
        _write_wrapped(console, Text(" " * (len(line) - len(line.lstrip(" ")))), Text(told), room)
    if block.grid is not None:
        wide = block.wider is not None and _measure_width(block.wider) <= console.width
        _write_grid(console, block.wider if wide and block.wider is not None else block.grid)
    out.writelines(printable(code) + "\n" for code in block.code)
    if block.caveats:
        _write_wrapped(console, Text(), Text("Caveats"), room)
    for caveat in block.caveats:
        _write_wrapped(console, Text("  "), Text(printable(caveat)), room)
    several = len(block.commands) > 1
    widest = max((len(command) for command, _ in block.commands), default=0)
    out.write("Next\n" * several)
    for command, purpose in block.commands:
        line = f"{'  ' if several else 'Next: '}{printable(command)}"
        # A purpose that does not fit would make the line hard to copy.
        fits = purpose and len(line) + widest - len(command) + 4 + len(purpose) <= room
        out.write(f"{line}{' ' * (widest - len(command) + 4)}{printable(purpose)}\n" if fits else f"{line}\n")
    if block.status:
        _write_wrapped(console, Text(), Text(printable(block.status)), room)
    out.flush()


def _write_wrapped(console: Console, first: Text, text: Text, room: int) -> None:
    """Write a text in as many lines as it needs, the later ones as far to the right as the first one."""
    for n, line in enumerate(text.wrap(console, max(room - first.cell_len, 1)) or [Text()]):
        line.rstrip()
        console.print((first if not n else Text(" " * first.cell_len)) + line, soft_wrap=True)


def _write_grid(console: Console, grid: TextTable) -> None:
    """Write a table without rules; without names of its columns it is a list, and indented."""
    headed = any(grid.columns)
    grid = _draw_bars(grid, console)
    apart = 2 if not headed or _measure_width(grid) > console.width else APART
    made = build_table(grid)
    made.header_style = ""
    for column in made.columns:
        cells = [str(cell) for cell in column.cells]
        if not all(map(NUMBER.fullmatch, cells)) or not any(cell.strip("-.") for cell in cells):
            column.justify = "left"
    if _measure_width(grid, apart) > console.width and len(made.columns) > MANY:
        apart = 1
        for n, column in enumerate(made.columns[1:], 1):
            column.no_wrap = not any(
                " " in text for text in (grid.columns[n], *(row[n] for row in grid.rows))
            )
    made.box, made.show_header, made.padding = None, headed, (0, apart, 0, 0)
    shown = console.render_lines(
        Padding(made, (0, 0, 0, 0 if headed else 2)), console.options.update(width=console.width), pad=False
    )
    for line in shown:
        whole = Text.assemble(*((part.text, part.style or "") for part in line))
        whole.rstrip()
        console.print(whole, soft_wrap=True)
    if grid.note:
        note = draw_bar(grid.note, console.encoding) if isinstance(grid.note, Bar) else printable(grid.note)
        fitting = note if len(note) <= console.width else note.strip()
        _write_wrapped(console, Text(), Text(fitting, "dim"), console.width)


def _measure_width(grid: TextTable, apart: int = APART) -> int:
    """Return how many columns of the terminal a table takes where no cell of it is broken."""
    return sum(_measure_columns(grid)) + apart * (len(grid.columns) - 1)


def _measure_columns(grid: TextTable) -> list[int]:
    cells = zip(grid.columns, *grid.rows, strict=True)
    return [max(len(line) for cell in column for line in cell.split("\n")) for column in cells]


def _draw_bars(grid: TextTable, console: Console) -> TextTable:
    """Draw the bars of a table as the terminal can, and no longer than it has room for."""
    if not any(isinstance(cell, Bar) for row in grid.rows for cell in row):
        return grid
    widths = _measure_columns(grid)
    longest = [
        max((len(row[n]) for row in grid.rows if isinstance(row[n], Bar)), default=0)
        for n in range(len(widths))
    ]
    over = max(0, _measure_width(grid, 2) - console.width)
    room = [
        max(min(most, SHORTEST), most - over * most // max(sum(longest), 1) - (over > 0)) for most in longest
    ]
    rows = [
        [
            draw_bar(scale_bar(cell, longest[n], room[n]), console.encoding)
            if isinstance(cell, Bar)
            else cell
            for n, cell in enumerate(row)
        ]
        for row in grid.rows
    ]
    return TextTable(grid.columns, rows, grid.note)


def break_heads(made: Table, room: int) -> None:
    """Let the names of targets go on in a new line behind ``/``, ``:``, ``@`` or ``-`` where a table has not room enough."""
    widest = [max(len(str(cell)) for cell in (column.header, *column.cells)) for column in made.columns]
    if sum(widest) + 3 * len(widest) > room:
        for column in made.columns[1:]:
            column.header = Text(re.sub(r"(?<=[/:@-])(?=\w)", "\n", str(column.header)))


def set_widths(made: Table, room: int) -> int:
    """Set the widths of columns so that no word is broken, and return the width of the table, at least `room`.

    The columns share the rest of the room in proportion to what they lack.
    """
    texts = [[str(cell) for cell in (column.header, *column.cells)] for column in made.columns]
    whole = [max(map(len, cells)) for cells in texts]
    words = [max((len(word) for cell in cells for word in cell.split()), default=1) for cells in texts]
    least = [most if most <= NAME_WIDTH else word for most, word in zip(whole, words, strict=True)]
    apart = 3 * len(whole)
    if sum(whole) + apart <= room:
        return room
    spare = max(0, room - apart - sum(least))
    lacking = sum(whole) - sum(least)
    for column, most, word in zip(made.columns, whole, least, strict=True):
        column.width = word + spare * (most - word) // max(lacking, 1)
    return max(room, sum(least) + apart)


def build_table(grid: TextTable) -> Table:
    """Make a table of a grid; numbers stand to the right, outcomes have their colour."""
    made = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for n, column in enumerate(grid.columns):
        cells = [row[n] for row in grid.rows]
        numeric = all(cell[:1].isdigit() or cell in {"", "-"} for cell in cells) and any(cells)
        short = all(len(cell) <= NAME_WIDTH for cell in cells)
        justify: Literal["left", "right"] = "right" if numeric else "left"
        made.add_column(Text(printable(column)), justify=justify, overflow="fold", no_wrap=short and n == 0)
    for row in grid.rows:
        made.add_row(*(Text(one_line(shorten(cell)), style=STYLES.get(cell, "")) for cell in row))
    return made
