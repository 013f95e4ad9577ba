"""The matrix of properties and assignors: which promises hold, and how far each is from the optimum."""

from collections.abc import Iterable, Sequence

from kassay.engine.promises import AND
from kassay.engine.verdict import Distance, Verdict
from kassay.output.block import BROKEN, NOT_PROMISED
from kassay.shape import TextTable


def matrix(verdicts: Sequence[Verdict], distances: Sequence[Distance] = ()) -> TextTable:
    """Arrange verdicts, and distances below, with a row for each property or level and a column for each target."""
    limited = [verdict.except_in for verdict in verdicts if verdict.except_in]
    numbers = {scope: f" ({number})" for number, scope in enumerate(dict.fromkeys(limited), 1)}
    cells = {
        (verdict.property, verdict.target): mark(verdict) + numbers.get(verdict.except_in, "")
        for verdict in verdicts
    }
    cells |= {
        (f"above the best possible in {distance.level}", distance.target): far(distance)
        for distance in distances
    }
    targets = dict.fromkeys(verdict.target for verdict in verdicts)
    names = dict.fromkeys(name for name, _ in cells)
    rows = [[name, *(cells.get((name, target), "") for target in targets)] for name in names]
    notes = [f"({number}) when {words(scope)}" for number, scope in enumerate(numbers, 1)]
    return TextTable(["promise", *targets], rows, "; ".join(notes))


def words(except_in: Iterable[str]) -> str:
    """Write the situations in which a breach of a promise is a known defect, or a limit."""
    return ", ".join(term.replace(AND, f" {AND} ") for term in sorted(except_in))


def mark(verdict: Verdict) -> str:
    """Say in a word or two what became of a property; what is not promised is never kept."""
    if verdict.outcome == NOT_PROMISED:
        return "no" if verdict.message else "not broken"
    return "BROKEN" if verdict.outcome == BROKEN else verdict.outcome


def far(distance: Distance) -> str:
    """Say in what share of its right answers a target is above the optimum, with value and optimum of the worst.

    Where not all groups have one, or not all have a proved optimum, say which share has: ``41.0 % of the 97.7 % right (41, best 17)``.
    """
    if not distance.compared:
        return ("none proved" if distance.unproved else "none right") if distance.groups else "-"
    above = -(-1000 * distance.above // distance.compared)  # rounded up: what is above is never shown as 0
    said = _percent(above) if above else "0 %"
    if distance.compared < distance.groups:  # rounded down: what is missing is never shown as nothing
        share = _percent(max(1, 1000 * distance.compared // distance.groups))
        said += f" of the {share} {'right and proved' if distance.unproved else 'right'}"
    value, optimum = distance.worst
    return f"{said} ({value}, best {optimum})" if above else said


def _percent(permille: int) -> str:
    return f"{permille // 10}.{permille % 10} %"
