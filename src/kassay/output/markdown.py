"""Markdown, as code hosts show it in summaries and comments."""

import re
from collections.abc import Iterable
from typing import TextIO

from kassay.output.bars import Bar, drawn
from kassay.output.block import Block, one_line, printable


def write_markdown(blocks: Iterable[Block], out: TextIO) -> None:
    """Write titles as headings, grids as tables and code as fenced blocks."""
    for block in blocks:
        if block.says:
            out.write(
                f"**kassay: {_plain(block.mark)}.** {_plain(block.says)}\n\n"
                if block.mark
                else f"**{_plain(block.says)}**\n\n"
            )
        if block.fold:
            out.write(f"<details><summary>{_plain(block.fold)}</summary>\n\n")
        if block.title:
            out.write(f"### {_plain(block.title)}\n\n")
        if block.text:
            out.write("  \n".join(_plain(line) for line in block.text.split("\n")) + "\n\n")
        if block.grid is not None:
            out.write(
                _row(name.replace("\n", " ") for name in block.grid.columns)
                + _row(["---"] * len(block.grid.columns))
            )
            out.writelines(_row(row) for row in block.grid.rows)
            out.write(f"\n{_cell(block.grid.note).strip()}\n\n" if block.grid.note else "\n")
        for code in block.code:
            fence = "`" * (max([2, *map(len, re.findall("`+", code))]) + 1)
            out.write(f"{fence}\n{printable(code)}\n{fence}\n\n")
        out.write("</details>\n\n" if block.fold else "")
        out.flush()


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(map(_cell, cells))} |\n"


def _cell(text: str) -> str:
    return drawn(text, "utf-8") if isinstance(text, Bar) else _plain(text)


def _plain(text: str) -> str:
    return re.sub(r"([\\`*_{}\[\]<>|#])", r"\\\1", one_line(text)) if text != "---" else text
