"""The matrix of properties and assignors: which promises hold, and how far each is from the optimum."""

from collections.abc import Sequence

from kassay.cli.render.assignors import describe_situations
from kassay.engine.verdict import Distance, Verdict
from kassay.families.shape import TextTable
from kassay.output.block import BROKEN, NOT_PROMISED


def build_matrix(verdicts: Sequence[Verdict], distances: Sequence[Distance] = ()) -> TextTable:
    """Return verdicts, and distances below, with a row for each property or level and a column for each target."""
    limited = [verdict.except_in for verdict in verdicts if verdict.except_in]
    numbers = {scope: f" ({number})" for number, scope in enumerate(dict.fromkeys(limited), 1)}
    cells = {
        (verdict.property, verdict.target): describe_outcome(verdict) + numbers.get(verdict.except_in, "")
        for verdict in verdicts
    }
    cells |= {
        (f"above the best possible in {distance.level}", distance.target): describe_distance(distance)
        for distance in distances
    }
    targets = dict.fromkeys(verdict.target for verdict in verdicts)
    names = dict.fromkeys(name for name, _ in cells)
    rows = [[name, *(cells.get((name, target), "") for target in targets)] for name in names]
    notes = [f"({number}) when {describe_situations(scope)}" for number, scope in enumerate(numbers, 1)]
    return TextTable(["promise", *targets], rows, "; ".join(notes))


def describe_outcome(verdict: Verdict) -> str:
    """Return the outcome of a property in a word or two; only promises can be kept."""
    if verdict.outcome == NOT_PROMISED:
        return "no" if verdict.message else "not broken"
    return "BROKEN" if verdict.outcome == BROKEN else verdict.outcome


def describe_distance(distance: Distance) -> str:
    """Return the share of right answers above the optimum, with value and optimum of the worst.

    If not all groups have a right answer and a proven optimum, add their share: ``41.0 % of the 97.7 % right (41, best 17)``.
    """
    if not distance.compared:
        return ("none proved" if distance.unproved else "none right") if distance.groups else "-"
    above = -(-1000 * distance.above // distance.compared)  # rounded up: only 0 is shown as 0
    said = _format_percent(above) if above else "0 %"
    if distance.compared < distance.groups:  # rounded down: only 100 % is shown as 100 %
        share = _format_percent(max(1, 1000 * distance.compared // distance.groups))
        said += f" of the {share} {'right and proved' if distance.unproved else 'right'}"
    value, optimum = distance.worst
    return f"{said} ({value}, best {optimum})" if above else said


def _format_percent(permille: int) -> str:
    return f"{permille // 10}.{permille % 10} %"
