"""The five formats of output, and the endings of their files.

- github: workflow commands of GitHub Actions, an annotation for each broken promise, the rest folded into groups.
- junit: JUnit XML, as Jenkins and GitLab read it, one test case for each thing that was tested.
- markdown: as code hosts show it in summaries and comments.
"""

import io
import re
from collections.abc import Callable, Iterable
from typing import TextIO

from junitparser import Error, Failure, JUnitXml, Skipped, TestCase, TestSuite

from kassay.output.block import (
    BASELINE,
    BROKEN,
    ERRORED,
    KNOWN_DEFECT,
    NOT_EXERCISED,
    NOT_PROMISED,
    PASSES,
    SKIPPED,
    WORDS,
    Block,
    JUnitCase,
    json_line,
    one_line,
    printable,
)
from kassay.output.pretty import Bar, draw_bar, write_pretty

LEVELS = {
    BROKEN: "error", PASSES: "error", KNOWN_DEFECT: "notice", BASELINE: "notice", ERRORED: "warning", SKIPPED: "warning",
}  # fmt: skip


def write_github(blocks: Iterable[Block], out: TextIO) -> None:
    """Write annotations, and what people read inside groups."""
    for block in blocks:
        for case in block.cases:
            if case.outcome in LEVELS:
                title = (
                    _escape(f"{case.suite} {case.name} {case.outcome}")
                    .replace(":", "%3A")
                    .replace(",", "%2C")
                )
                at = ""
                if case.source is not None:
                    file, line = case.source
                    at = f"file={_escape(file).replace(':', '%3A').replace(',', '%2C')},line={line},"
                out.write(f"::{LEVELS[case.outcome]} {at}title={title}::{_escape(case.message)}\n")
        text = io.StringIO()
        write_pretty([block], text)
        shown = _defuse_commands(text.getvalue().rstrip("\n").replace("::", ": :"))
        if shown:
            title, _, body = shown.partition("\n") if block.title else ("", "", shown)
            out.write(f"::group::{title}\n{body}\n::endgroup::\n" if body and title else f"{shown}\n")
        out.flush()


def _escape(text: str) -> str:
    return _defuse_commands(printable(text)).replace("%", "%25").replace("\n", "%0A")


def _defuse_commands(text: str) -> str:
    """Break what looks like a command: names in what we say come from outside."""
    return text.replace("##[", "# #[")


RESULTS = {
    BROKEN: Failure, PASSES: Failure, ERRORED: Error, SKIPPED: Skipped, KNOWN_DEFECT: Skipped, BASELINE: Skipped, NOT_PROMISED: Skipped,
    NOT_EXERCISED: Skipped,
}  # fmt: skip
"""Outcome -> the JUnit result; an outcome without one is passed."""


def write_junit(blocks: Iterable[Block], out: TextIO) -> None:
    """Write all cases at the end, one suite for each target, and with each the sentence that the answer begins with."""
    suites: dict[str, TestSuite] = {}
    said = []
    for block in blocks:
        said += [one_line(block.says)] * bool(block.says)
        for case in block.cases:
            suite = suites.setdefault(case.suite, TestSuite(one_line(case.suite)))
            suite.add_testcase(_build_case(case))
    document = JUnitXml("kassay")
    for suite in suites.values():
        if said:
            suite.add_property("says", said[0])
        document.add_testsuite(suite)
    document.update_statistics()  # type: ignore[no-untyped-call]
    out.write(document.tostring().decode() + "\n")  # type: ignore[no-untyped-call]
    out.flush()


def _build_case(case: JUnitCase) -> TestCase:
    made = TestCase(one_line(case.name), classname=one_line(case.suite))
    if case.source is not None:
        made._elem.set("file", one_line(case.source[0]))  # noqa: SLF001 - GitLab reads it; the library has no name for it
        made._elem.set("line", str(case.source[1]))  # noqa: SLF001
    kind = RESULTS.get(case.outcome)
    if kind is not None:
        said = ": ".join(part for part in (case.outcome, printable(case.message)) if part)
        result = kind(said, case.outcome)
        result.text = printable(case.body or case.message)
        made.result = [result]
    return made


def write_markdown(blocks: Iterable[Block], out: TextIO) -> None:
    """Write titles as headings, grids as tables and code as fenced blocks."""
    for block in blocks:
        if block.says:
            out.write(
                f"**kassay: {WORDS[block.mark]}.** {_escape_markdown(block.says)}\n\n"
                if block.mark
                else f"**{_escape_markdown(block.says)}**\n\n"
            )
        if block.fold:
            out.write(f"<details><summary>{_escape_markdown(block.fold)}</summary>\n\n")
        if block.title:
            out.write(f"### {_escape_markdown(block.title)}\n\n")
        if block.text:
            out.write("  \n".join(_escape_markdown(line) for line in block.text.split("\n")) + "\n\n")
        if block.grid is not None:
            out.write(
                _write_row(name.replace("\n", " ") for name in block.grid.columns)
                + _write_row(["---"] * len(block.grid.columns))
            )
            out.writelines(_write_row(row) for row in block.grid.rows)
            out.write(f"\n{_write_cell(block.grid.note).strip()}\n\n" if block.grid.note else "\n")
        for code in block.code:
            _write_code(code, out)
        out.write("</details>\n\n" if block.fold else "")
        if block.caveats:
            out.write(
                "".join(
                    ["Caveats:\n\n", *(f"- {_escape_markdown(caveat)}\n" for caveat in block.caveats), "\n"]
                )
            )
        for command, purpose in block.commands:
            out.write(f"Next{purpose and f' ({_escape_markdown(purpose)})'}:\n\n")
            _write_code(command, out)
        out.write(f"{_escape_markdown(block.status)}\n\n" if block.status else "")
        out.flush()


def _write_code(code: str, out: TextIO) -> None:
    fence = "`" * (max([2, *map(len, re.findall("`+", code))]) + 1)
    out.write(f"{fence}\n{printable(code)}\n{fence}\n\n")


def _write_row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(map(_write_cell, cells))} |\n"


def _write_cell(text: str) -> str:
    return draw_bar(text, "utf-8") if isinstance(text, Bar) else _escape_markdown(text)


def _escape_markdown(text: str) -> str:
    return re.sub(r"([\\`*_{}\[\]<>|#])", r"\\\1", one_line(text)) if text != "---" else text


def write_json(blocks: Iterable[Block], out: TextIO) -> None:
    """Write one JSON value a line, of every record; the first of a block that says something has that sentence, too."""
    for block in blocks:
        records = [*block.records]
        if block.says and records:
            records[0] = {**records[0], "says": block.says}
        for record in records:
            out.write(json_line(record))
            out.write("\n")  # apart, as the line of a large group is long
        out.flush()


FORMATS: dict[str, Callable[[Iterable[Block], TextIO], None]] = {
    "pretty": write_pretty,
    "json": write_json,
    "markdown": write_markdown,
    "junit": write_junit,
    "github": write_github,
}
ENDINGS = {"pretty": "txt", "json": "jsonl", "markdown": "md", "junit": "xml", "github": "txt"}
