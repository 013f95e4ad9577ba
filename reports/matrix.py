"""The matrix of properties and assignors: what each keeps of what it promises, and what else was seen."""

from collections.abc import Sequence

from kassay.check import BROKEN, KEPT, UNPROMISED, Verdict
from kassay.family import Grid

MARKS = {KEPT: "kept", BROKEN: "BROKEN"}


def matrix(verdicts: Sequence[Verdict]) -> Grid:
    """Arrange verdicts with a row for each property and a column for each target, both in the order they come."""
    marks = {(verdict.property, verdict.target): mark(verdict) for verdict in verdicts}
    targets = dict.fromkeys(verdict.target for verdict in verdicts)
    names = dict.fromkeys(verdict.property for verdict in verdicts)
    return Grid(
        ["property", *targets], [[name, *(marks.get((name, t), "") for t in targets)] for name in names]
    )


def mark(verdict: Verdict) -> str:
    """Say in a word or two what became of a property; what is not promised is refuted or not, never kept."""
    if verdict.outcome == UNPROMISED:
        return "no" if verdict.message else "not refuted"
    return MARKS.get(verdict.outcome, verdict.outcome)
