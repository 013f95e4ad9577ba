"""The one place that knows CP-SAT, OR-tools' solver of integer programs: it reckons in whole numbers and shares nothing with HiGHS."""

import math
import time

from kassay.oracles.assignment.flow.or_tools import or_tools
from kassay.oracles.assignment.needs.rows import Rows
from kassay.oracles.failures import ImpossibleError, UnsolvedError


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
