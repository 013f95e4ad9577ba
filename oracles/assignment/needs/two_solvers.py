"""Integer programs solved by HiGHS, and by HiGHS and CP-SAT, which have to agree: they share nothing but the rows."""

import math

from kassay.oracles.assignment.needs.cp_sat import least_by_cp_sat
from kassay.oracles.assignment.needs.rows import Rows
from kassay.oracles.failures import UnsolvedError
from kassay.oracles.solving import Model


def least_by_highs(program: Rows, deadline: float = math.inf) -> tuple[tuple[int, ...], list[int]]:
    """Return the least value of each objective, every one asked among the optima of those before it, and the variables in an optimum.

    Raises UnsolvedError where an optimum is not proved before `deadline` (of time.monotonic).
    """
    model = Model()
    variables = [model.variable(most, whole=True) for most in program.most]
    for terms, low, high in program.rows:
        total = model.total(terms)
        model.require(total == low) if low == high else model.require(total <= high)
    return model.minimise(program.objectives, deadline), model.taken(variables)


def least_by_both(
    program: Rows, levels: tuple[str, ...], deadline: float = math.inf
) -> tuple[tuple[int, ...], list[int]]:
    """Return what :func:`least_by_highs` does; `levels` name the objectives.

    Raises ImpossibleError where nothing fits the rows, UnsolvedError where a solver does not prove every level before
    `deadline` (of time.monotonic), or the two differ.
    """
    least = least_by_cp_sat(program, deadline)
    found, taken = least_by_highs(program, deadline)
    if found != least:
        raise UnsolvedError(f"{','.join(levels)}: HiGHS finds {found}, but CP-SAT {least}")
    return found, taken
