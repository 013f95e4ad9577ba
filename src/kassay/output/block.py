"""A block of what a command says: text for people, records for programs, cases for CI systems."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kassay.family import Grid


@dataclass(frozen=True, slots=True)
class Case:
    """One thing that was judged, as CI systems count them; `outcome` is one of kassay.verdict.OUTCOMES.

    `body` is all there is to say of it: sentences, the smallest group, and the command that shows it again.
    """

    suite: str
    name: str
    outcome: str
    message: str = ""
    body: str = ""


@dataclass(frozen=True, slots=True)
class Block:
    """A part of what a command says.

    People see the title, the text, the table and the code (which is to be pasted); programs the records, one JSON line
    each; CI systems the cases.
    """

    title: str = ""
    text: str = ""
    grid: Grid | None = None
    code: Sequence[str] = ()
    records: Sequence[Mapping[str, Any]] = ()
    cases: Sequence[Case] = ()


def printable(text: str) -> str:
    """Escape what would disturb a terminal or a document: control characters and lone surrogates."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c == "\n" else c.encode("unicode_escape").decode() for c in text)


def one_line(text: str) -> str:
    """Escape as :func:`printable` does, line ends too."""
    return printable(text).replace("\n", "\\n")
