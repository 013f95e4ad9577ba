"""A block of output: text for people, records for programs, cases for CI systems."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from kassay.families.shape import TextTable
from kassay.output.redaction import redact, redact_value

KEPT, BROKEN, KNOWN_DEFECT, LIMIT = "kept", "broken", "known defect", "limit"
NOT_PROMISED, SKIPPED, ERRORED = "not promised", "skipped", "errored"
NOT_EXERCISED = "not exercised"
"""Of an invariant whose condition no run met, so that it was not tested."""
BASELINE, PASSES = "in the baseline", "passes now"
"""Of a promise that is broken as a baseline says, and of one that it says is broken and is not."""
OUTCOMES = (
    KEPT,
    BROKEN,
    KNOWN_DEFECT,
    LIMIT,
    NOT_PROMISED,
    NOT_EXERCISED,
    SKIPPED,
    ERRORED,
    BASELINE,
    PASSES,
)
MARKS = {0: "ok", 1: "FAIL", 3: "open"}
"""Exit status -> the mark of an answer, as JSON has it."""
WORDS = {"ok": "PASS", "FAIL": "FAIL", "open": "INCONCLUSIVE"}
"""Mark of an answer -> the word in front of its sentence."""


@dataclass(frozen=True, slots=True)
class JUnitCase:
    """One thing that was judged, as CI systems count them; `outcome` is one of OUTCOMES.

    `body` is all there is to say of it: sentences, the smallest group, and the command that shows it again.
    """

    suite: str
    name: str
    outcome: str
    message: str = ""
    body: str = ""
    source: tuple[str, int] | None = None
    """The file and the line that it is about, None if they are not known."""


@dataclass(frozen=True, slots=True)
class Block:
    """A part of the output of a command.

    Blocks come in this order: the result (`says`), evidence (titles, texts, tables, code), `caveats`, then `commands` and `status`.
    """

    title: str = ""
    text: str = ""
    grid: TextTable | None = None
    code: Sequence[str] = ()
    """Lines to copy, which are never wrapped."""
    records: Sequence[Mapping[str, Any]] = ()
    """The block for programs: one line of JSON each."""
    cases: Sequence[JUnitCase] = ()
    """The block for CI systems."""
    says: str = ""
    """The result in one sentence: the first line at a terminal, and a field of the first record in JSON."""
    mark: str = ""
    """One of MARKS, whose word is printed before the result."""
    prose: bool = False
    """True if the text is wrapped to the terminal and the table has no rules."""
    wider: TextTable | None = None
    """The same table with more columns, for a terminal that has room for it."""
    fold: str = ""
    """The summary of the block in a document that can fold it away."""
    caveats: Sequence[str] = ()
    """Problems of the input, assumptions, and what was not considered: one sentence or more each."""
    commands: Sequence[tuple[str, str]] = ()
    """The commands to run next, each with its purpose ("" if it is plain)."""
    status: str = ""
    """The exit status in words: the last line."""


def redact_block(block: Block) -> Block:
    """Return a block in which every known password is masked, in its texts, its table, its records and its cases."""
    return replace(
        block,
        title=redact(block.title), text=redact(block.text), says=redact(block.says), fold=redact(block.fold),
        grid=redact_value(block.grid), wider=redact_value(block.wider), code=redact_value(block.code),
        records=redact_value(block.records), cases=redact_value(block.cases),
        caveats=redact_value(block.caveats), commands=redact_value(block.commands), status=redact(block.status),
    )  # fmt: skip


LAYOUT = "\n\t\u00a0"
"""Signs that stand in documents as they are."""


def printable(text: str, kept: str = "\n") -> str:
    """Escape what would disturb a terminal or a document: controls, signs that turn or hide text, lone surrogates."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in kept else c.encode("unicode_escape").decode() for c in text)


WIDTHS = (20, 500)
"""The smallest and the largest width of output, in columns; COLUMNS is clamped to it."""


def clamp_width(columns: int) -> int:
    """Return a width of a terminal within the limits."""
    return min(max(columns, WIDTHS[0]), WIDTHS[1])


def one_line(text: str) -> str:
    """Escape as :func:`printable` does, line ends too."""
    return printable(text, "")


def json_line(value: Any) -> str:
    """Write a value as JSON in one line, with escapes for what :func:`printable` escapes."""
    try:
        text = msgspec.json.encode(value).decode()
    except UnicodeEncodeError:  # a lone surrogate, as in the name of a file that is no UTF-8
        text = json.dumps(msgspec.to_builtins(value), separators=(",", ":"))
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in text)
