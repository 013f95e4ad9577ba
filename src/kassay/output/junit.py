"""JUnit XML, as Jenkins and GitLab read it: one test case for each thing that was judged."""

from collections.abc import Iterable
from typing import TextIO

from junitparser import Error, Failure, JUnitXml, Skipped, TestCase, TestSuite

from kassay.engine.verdict import (
    BASELINE,
    BROKEN,
    ERRORED,
    KNOWN_DEFECT,
    NOT_PROMISED,
    PASSES,
    SKIPPED,
)  # fmt: skip
from kassay.output.block import Block, JUnitCase, one_line, printable

RESULTS = {
    BROKEN: Failure, PASSES: Failure, ERRORED: Error, SKIPPED: Skipped, KNOWN_DEFECT: Skipped, BASELINE: Skipped, NOT_PROMISED: Skipped,
}  # fmt: skip
"""What is neither kept nor broken is never passed; a result's type is its outcome."""


def write_junit(blocks: Iterable[Block], out: TextIO) -> None:
    """Write all cases at the end, one suite for each target, and with each the sentence that the answer begins with."""
    suites: dict[str, TestSuite] = {}
    said = []
    for block in blocks:
        said += [one_line(block.says)] * bool(block.says)
        for case in block.cases:
            suite = suites.setdefault(case.suite, TestSuite(one_line(case.suite)))
            suite.add_testcase(_case(case))
    document = JUnitXml("kassay")
    for suite in suites.values():
        if said:
            suite.add_property("says", said[0])
        document.add_testsuite(suite)
    document.update_statistics()  # type: ignore[no-untyped-call]
    out.write(document.tostring().decode() + "\n")  # type: ignore[no-untyped-call]
    out.flush()


def _case(case: JUnitCase) -> TestCase:
    made = TestCase(one_line(case.name), classname=one_line(case.suite))
    kind = RESULTS.get(case.outcome)
    if kind is not None:
        said = ": ".join(part for part in (case.outcome, printable(case.message)) if part)
        result = kind(said, case.outcome)
        result.text = printable(case.body or case.message)
        made.result = [result]
    return made
