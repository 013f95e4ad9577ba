"""Tables of pages that stand in records of docs/figures/: rows under the words for them, and in each row figures under the words for these."""

from collections.abc import Mapping
from typing import Any

from figures import record

from kassay.shape import TextTable

TABLES: Mapping[str, tuple[str, str, str]] = {
    "speed_of_spread": ("topic-spread-speed", "solved and proved", "partitions x members, topics, each member reads: question"),
    "million_groups": ("million-groups", "of all groups", "target"),
    "streams_questions": ("million-applications", "questions", "question"),
    "streams_gaps": ("streams-gaps", "answers", "compared"),
}  # fmt: skip
"""A part of a page -> the record, the words for the table in it, and what its rows are."""


def recorded(part: str) -> TextTable:
    """Make the table of a part, with the command and the day under it."""
    name, words, of = TABLES[part]
    kept = record(name)
    rows: Mapping[str, Mapping[str, Any]] = kept.figures[words]
    columns = [*dict.fromkeys(column for row in rows.values() for column in row)]
    cells = [[row, *(_cell(figures.get(column, "")) for column in columns)] for row, figures in rows.items()]
    return TextTable([of, *columns], cells, f"`{kept.command}`, {kept.on}")


def _cell(figure: float | str) -> str:
    """Write a figure with separators of thousands, and words as they are.

    >>> _cell(10240), _cell(0.03), _cell("proved")
    ('10,240', '0.03', 'proved')
    """
    return figure if isinstance(figure, str) else f"{figure:,}"
