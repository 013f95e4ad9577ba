"""Integer programs as data, solved by HiGHS and by CP-SAT, which have to agree: they share nothing but the rows."""

import math
import time
from dataclasses import dataclass, field
from typing import TypeAlias

from kassay.oracles.assignment.flow.or_tools import or_tools
from kassay.oracles.failures import ImpossibleError, UnsolvedError
from kassay.oracles.solving import Model, Objective

Terms: TypeAlias = list[tuple[int, int]]
"""Variables by number, each times a whole number."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Whole variables between 0 and `most`; rows (terms, low, high) that are equal or at most `high`; objectives in order.

    Low and high of a row are equal, or low is below all that its terms can be.
    """

    most: list[int] = field(default_factory=list)
    rows: list[tuple[Terms, int, int]] = field(default_factory=list)
    objectives: list[Objective] = field(default_factory=list)

    def variable(self, most: int) -> int:
        """Add a variable and return its number."""
        self.most.append(most)
        return len(self.most) - 1

    def equal(self, terms: Terms, number: int) -> None:
        """Add the row that the terms are this number."""
        if terms or number:
            self.rows.append((terms, number, number))

    def at_most(self, terms: Terms, number: int) -> None:
        """Add the row that the terms are this number or less, where they could be more or none could be less."""
        least = sum(min(0, factor * self.most[variable]) for variable, factor in terms)
        if sum(max(0, factor * self.most[variable]) for variable, factor in terms) > number:
            self.rows.append((terms, min(least, number) - 1, number))


def least_by_cp_sat(program: Rows, deadline: float = math.inf) -> tuple[int, ...]:
    """Return the least value of each objective, every one asked among the optima of those before it.

    Raises ImpossibleError where nothing fits the rows, UnsolvedError where OR-tools is missing or an optimum is not
    proved before `deadline` (of time.monotonic).
    """
    cp_model = or_tools("sat.python.cp_model")
    model = cp_model.CpModel()
    x = [model.new_int_var(0, most, f"x{n}") for n, most in enumerate(program.most)]
    for terms, low, high in program.rows:
        total = sum(factor * x[variable] for variable, factor in terms)
        model.add(total == high if low == high else total <= high)
    values: list[int] = []
    for objective in program.objectives:
        total = sum(factor * x[variable] for variable, factor in objective.terms)
        if objective.terms:
            model.minimize(total)
        solver = cp_model.CpSolver()
        solver.parameters.num_workers, solver.parameters.random_seed = 1, 0
        left = deadline - time.monotonic()
        if left <= 0:
            raise UnsolvedError("the time was over before CP-SAT had its turn")
        if not math.isinf(left):
            solver.parameters.max_time_in_seconds = left
        status = solver.solve(model)
        if status == cp_model.INFEASIBLE and not values:
            raise ImpossibleError("roles: no assignment meets all that is asked of the copies")
        if status != cp_model.OPTIMAL:
            raise UnsolvedError(f"CP-SAT stopped without a proof: {solver.status_name(status)}")
        least = int(solver.value(total)) if objective.terms else 0
        values.append(least + objective.constant)
        if objective.terms:
            model.add(total <= least)
    return tuple(values)


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
