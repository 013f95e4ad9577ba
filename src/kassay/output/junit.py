"""JUnit XML, as Jenkins and GitLab read it: one test case for each thing that was judged."""

from collections.abc import Iterable
from typing import TextIO

from junitparser import Error, Failure, JUnitXml, Skipped, TestCase, TestSuite

from kassay.output.block import Block, Case, one_line, printable


def write_junit(blocks: Iterable[Block], out: TextIO) -> None:
    """Write all cases at the end; a command that judges nothing has one passed case for each row of its tables."""
    suites: dict[str, TestSuite] = {}
    for block in blocks:
        for case in block.cases or _rows(block):
            suite = suites.setdefault(case.suite, TestSuite(one_line(case.suite)))
            suite.add_testcase(_case(case))
    document = JUnitXml("kassay")
    for suite in suites.values():
        document.add_testsuite(suite)
    document.update_statistics()  # type: ignore[no-untyped-call]
    out.write(document.tostring().decode() + "\n")  # type: ignore[no-untyped-call]
    out.flush()


def _rows(block: Block) -> list[Case]:
    if block.grid is None:
        return []
    rows = [" ".join(cell for cell in row if cell) for row in block.grid.rows]
    return [Case(block.title or "kassay", row, "kept") for row in rows]


def _case(case: Case) -> TestCase:
    made = TestCase(one_line(case.name), classname=one_line(case.suite))
    message = printable(case.message)
    match case.outcome:
        case "broken":
            made.result = [Failure(message)]
        case "errored":
            made.result = [Error(message)]
        case "skipped" | "unpromised":
            made.result = [
                Skipped(
                    f"not promised{': ' * bool(message)}{message}"
                    if case.outcome == "unpromised"
                    else message
                )
            ]
        case _:
            pass
    return made
