"""Messages on standard error: sentences as wide as the terminal, and lines to copy as they are."""

import os
import sys
import textwrap
from collections.abc import Sequence

from kassay.output.block import clamp_width, one_line
from kassay.output.redaction import redact

INDENT = " " * len("kassay: ")


def tell(sentence: str, copy: Sequence[str] = ()) -> None:
    """Print a sentence, wrapped if standard error is a terminal, then lines to copy, which are never broken."""
    lines = _wrap(f"kassay: {one_line(redact(sentence))}", INDENT)
    print("\n".join([*lines, *(INDENT + one_line(redact(line)) for line in copy)]), file=sys.stderr)


def tell_rows(first: str, rows: Sequence[tuple[str, str]]) -> None:
    """Print a first line and, below an empty one, rows of a word and a sentence."""
    begun = _wrap(one_line(redact(first)), "  ")
    lines = []
    for word, sentence in rows:
        lines += _wrap(f"{word}  {one_line(redact(sentence))}", " " * (len(word) + 2))
    print("\n".join([*begun, *[""] * bool(rows), *lines]), file=sys.stderr)


def _wrap(text: str, indent: str) -> list[str]:
    if not (sys.stderr.isatty() or "COLUMNS" in os.environ):
        return [text]
    from rich.console import Console  # noqa: PLC0415 - a browser has no terminal

    width = clamp_width(Console(stderr=True).width)
    return textwrap.wrap(
        text, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
