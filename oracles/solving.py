"""Linear programs in PuLP, solved by HiGHS: the only module that imports these.

An optimum is accepted on three conditions:

- The solver claims the proof. A time-out reads "Optimal" in PuLP.
- The relative gap is 0. The default of 10^-4 has given wrong optima.
- All values are whole.

HiGHS runs with one thread, because it hangs with several in forked processes, and without presolve, which takes longer than it saves.
"""

import math
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeAlias

from kassay.oracles.errors import UnsolvedError

try:
    import highspy
    import numpy as np
    import pulp
    from numpy.typing import ArrayLike
except ImportError as missing:
    raise UnsolvedError(
        f"the solver is missing ({missing}). kassay depends on it, so install kassay again"
    ) from missing

Variable: TypeAlias = int
"""A variable's number in its model."""
Expression: TypeAlias = Any
"""A sum in PuLP; its operators ``==``, ``<=`` and ``>=`` make rows."""
WHOLE = 1e-5
"""The greatest distance of a solver's value from a whole number; the solver's own tolerance is 10^-7."""
WEIGHTS = 2**24
"""The greatest coefficient of an objective; rounded by 2^-53 it stays far below the tolerance of 10^-7."""
NEW = hasattr(pulp.LpProblem, "add_variable")
"""True if a problem makes its variables, as since PuLP 3.3.1."""


@dataclass(frozen=True, slots=True)
class Objective:
    """A sum to minimize: variables times whole numbers, and a constant. It is between `low` and `most`."""

    terms: Sequence[tuple[Variable, int]]
    most: int
    constant: int = 0
    low: int = 0


class Model:
    """A linear program that grows by variables and rows."""

    def __init__(self) -> None:
        self.problem = pulp.LpProblem("kassay", pulp.LpMinimize)
        self.variables: list[Any] = []

    def variable(self, most: int | None = None, *, whole: bool = False) -> Variable:
        """Add a variable between 0 and `most`; a `whole` one makes the program an integer program."""
        name = f"x{len(self.variables):08}"
        add = self.problem.add_variable if NEW else pulp.LpVariable
        self.variables.append(add(name, 0, most, pulp.LpInteger if whole else pulp.LpContinuous))
        return len(self.variables) - 1

    def total(self, terms: Iterable[tuple[Variable, int]]) -> Expression:
        """Return the sum of variables, each times its number; a variable may come twice."""
        numbers: dict[Variable, int] = {}
        for variable, number in terms:
            numbers[variable] = numbers.get(variable, 0) + number
        pairs = [(self.variables[variable], number) for variable, number in numbers.items()]
        return pulp.LpAffineExpression(pairs)

    def require(self, row: Expression) -> None:
        """Add a row that must hold."""
        self.problem.addConstraint(row)

    def minimise(self, objectives: Sequence[Objective], deadline: float = math.inf) -> tuple[int, ...]:
        """Return the least value of each objective among the optima of the objectives before it.

        Objectives that fit into WEIGHTS together are minimized at once, as digits of one number. Raises
        UnsolvedError if an optimum is not proved before `deadline` (of time.monotonic), or not whole.
        """
        values: list[int] = []
        while len(values) < len(objectives):
            together = objectives[len(values) :]
            while True:
                # A unit of each objective weighs more than all that those after it can reach together.
                ranges = [following.most - following.low + 1 for following in together]
                weights = [math.prod(ranges[n + 1 :]) for n in range(len(together))]
                most = [max((abs(number) for _, number in each.terms), default=0) for each in together]
                if len(together) == 1 or max(map(int.__mul__, most, weights)) <= WEIGHTS:
                    break
                together = together[:-1]
            numbers: dict[Variable, int] = {}
            for objective, weight in zip(together, weights, strict=True):
                for variable, number in objective.terms:
                    numbers[variable] = numbers.get(variable, 0) + number * weight
            least = self._least(numbers, deadline)
            rest = least + sum((o.constant - o.low) * w for o, w in zip(together, weights, strict=True))
            for objective, weight in zip(together, weights, strict=True):
                values.append(rest // weight + objective.low)
                rest %= weight
            if len(values) < len(objectives):
                self.require(self.total(numbers.items()) <= least)
        return tuple(values)

    def impossible(self, nodes: int, seconds: float | None) -> bool:
        """Return True if HiGHS proves, within these limits of its search tree and time, that no solution exists."""
        self.problem.setObjective(self.total(()))
        options = {"mip_max_nodes": nodes, "mip_feasibility_tolerance": 1e-9}
        with suppress(KeyError):  # PuLP has no name for a tree that was not looked through
            self._solve(timeLimit=seconds, **options)
        return bool(self.problem.solverModel.getModelStatus() == highspy.HighsModelStatus.kInfeasible)

    def read_values(self, variables: Iterable[Variable]) -> list[int]:
        """Return the variables' values in the last optimum; raises UnsolvedError if one is not whole."""
        values = np.array([self.variables[variable].varValue for variable in variables], float)  # None is NaN
        whole = np.rint(values)
        wrong = np.flatnonzero(~(np.abs(values - whole) <= WHOLE))
        if len(wrong):
            raise UnsolvedError(f"HiGHS gives {values[wrong[0]]} where only whole numbers can be")
        return [int(value) for value in whole.tolist()]

    def _least(self, numbers: dict[Variable, int], deadline: float) -> int:
        left = deadline - time.monotonic()
        if left <= 0:
            raise UnsolvedError("the time was over before HiGHS had its turn")
        self.problem.setObjective(self.total(numbers.items()))
        limit = None if math.isinf(left) else left
        self._solve(gapRel=0.0, timeLimit=limit, presolve="off")
        if self.problem.sol_status != pulp.LpSolutionOptimal:
            raise UnsolvedError(
                f"HiGHS stopped without a proof: {self.problem.solverModel.getModelStatus().name}"
            )
        least = sum(
            number * whole for number, whole in zip(numbers.values(), self.read_values(numbers), strict=True)
        )
        if numbers and abs(self.problem.objective.value() - least) >= 0.5:
            raise UnsolvedError(f"HiGHS gives {self.problem.objective.value()} for an optimum of {least}")
        return least

    def _solve(self, **options: Any) -> None:
        solver = pulp.HiGHS(msg=False, threads=1, **options)
        solver.buildSolverModel = _pass_model
        self.problem.solve(solver)


def _pass_model(lp: Any) -> None:
    """Pass PuLP's model to HiGHS at once: PuLP itself passes it row by row, which takes longer than solving it."""
    variables = lp.variables()
    rows = list(lp.constraints() if callable(lp.constraints) else lp.constraints.values())
    for number, variable in enumerate(variables):
        variable.index = number
    for number, row in enumerate(rows):
        row.index = number
    model = build_highs_model(
        [lp.objective.get(variable, 0.0) for variable in variables],
        [np.inf if v.upBound is None else v.upBound for v in variables],
        [-np.inf if row.sense < 0 else -row.constant for row in rows],
        [np.inf if row.sense > 0 else -row.constant for row in rows],
        np.cumsum([0, *map(len, rows)]),
        [variable.index for row in rows for variable in row],
        [number for row in rows for number in row.values()],
    )
    if any(v.cat == pulp.LpInteger for v in variables):
        kinds = highspy.HighsVarType
        whole, parts = kinds.kInteger, kinds.kContinuous
        model.integrality_ = [whole if v.cat == pulp.LpInteger else parts for v in variables]
    lp.solverModel.passModel(model)


def build_highs_model(
    costs: ArrayLike,
    most: ArrayLike,
    low: ArrayLike,
    high: ArrayLike,
    start: ArrayLike,
    index: ArrayLike,
    value: ArrayLike,
) -> Any:
    """Return a program of HiGHS: variables from 0 to `most` at `costs`, rows from `low` to `high`.

    Row r has the entries ``start[r]`` to ``start[r + 1]``: the variable's `index`, and its `value`.
    """
    model = highspy.HighsLp()
    model.col_cost_, model.col_upper_ = np.array(costs, float), np.array(most, float)
    model.row_lower_, model.row_upper_ = np.array(low, float), np.array(high, float)
    model.num_col_, model.num_row_ = len(model.col_cost_), len(model.row_lower_)
    model.col_lower_ = np.zeros(model.num_col_)
    model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    model.a_matrix_.start_ = start
    model.a_matrix_.index_, model.a_matrix_.value_ = np.array(index, np.int32), np.array(value, float)
    return model


def create_highs() -> Any:
    """Return a solver that prints nothing, and is exact and deterministic."""
    solver = highspy.Highs()
    exact = {"presolve": "off", "mip_rel_gap": 0.0, "mip_abs_gap": 0.0}
    for option, value in ({"output_flag": False, "threads": 1, "random_seed": 0} | exact).items():
        solver.setOptionValue(option, value)
    return solver
