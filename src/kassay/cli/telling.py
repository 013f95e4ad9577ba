"""What is said on standard error: sentences as wide as the terminal, and lines to copy as they are."""

import os
import sys
import textwrap
from collections.abc import Sequence

INDENT = " " * len("kassay: ")


def tell(sentence: str, copy: Sequence[str] = ()) -> None:
    """Say a sentence, in as many lines as the terminal needs, and one where it is none; then lines to copy, which are never broken."""
    from kassay.output.block import one_line

    known = sys.stderr.isatty() or "COLUMNS" in os.environ
    said = f"kassay: {one_line(sentence)}"
    lines = _wrapped(said) if known else [said]
    print("\n".join([*lines, *(INDENT + one_line(line) for line in copy)]), file=sys.stderr)


def _wrapped(text: str) -> list[str]:
    from rich.console import Console

    width = max(Console(stderr=True).width, 2 * len(INDENT))
    return textwrap.wrap(
        text, width, subsequent_indent=INDENT, break_long_words=False, break_on_hyphens=False
    )
