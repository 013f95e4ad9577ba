"""Workflow commands of GitHub Actions: an annotation for each broken promise, the rest folded into groups."""

import io
from collections.abc import Iterable
from typing import TextIO

from kassay.engine.verdict import BASELINE, BROKEN, ERRORED, KNOWN_DEFECT, PASSES, SKIPPED
from kassay.output.block import Block, printable
from kassay.output.pretty import write_pretty

LEVELS = {
    BROKEN: "error", PASSES: "error", KNOWN_DEFECT: "notice", BASELINE: "notice", ERRORED: "warning", SKIPPED: "warning",
}  # fmt: skip


def write_github(blocks: Iterable[Block], out: TextIO) -> None:
    """Write annotations, and what people read inside groups."""
    for block in blocks:
        for case in block.cases:
            if case.outcome in LEVELS:
                title = (
                    _escaped(f"{case.suite} {case.name} {case.outcome}")
                    .replace(":", "%3A")
                    .replace(",", "%2C")
                )
                out.write(f"::{LEVELS[case.outcome]} title={title}::{_escaped(case.message)}\n")
        text = io.StringIO()
        write_pretty([block], text)
        shown = _no_command(text.getvalue().rstrip("\n").replace("::", ": :"))
        if shown:
            title, _, body = shown.partition("\n") if block.title else ("", "", shown)
            out.write(f"::group::{title}\n{body}\n::endgroup::\n" if body and title else f"{shown}\n")
        out.flush()


def _escaped(text: str) -> str:
    return _no_command(printable(text)).replace("%", "%25").replace("\n", "%0A")


def _no_command(text: str) -> str:
    """Break what looks like a command: names in what we say come from outside."""
    return text.replace("##[", "# #[")
