"""The frontier of levels of copies in roles, at the most even loads of active copies and of all copies, or at any loads.

A weighted sum of levels, squared loads among them, is a level itself, so its optimum and its certificate are those of
:mod:`kassay.oracles.assignment.active_standby`. They need not be whole where the program is not, but the least weighted sum is
concave in the weights all the same, so recursive weighting misses no extreme point.
"""

import math
import time
from collections.abc import Iterable
from dataclasses import replace

from kassay.oracles.assignment.active_standby.check import proves, values
from kassay.oracles.assignment.active_standby.optimum import by_item, joint_optimum
from kassay.oracles.assignment.active_standby.problem import BALANCES, RoleLevel, RoleProblem
from kassay.oracles.assignment.frontier.flows import Program
from kassay.oracles.assignment.frontier.pareto import Front, Ground, searched
from kassay.oracles.assignment.frontier.recursive_weighting import ParetoPoint, Proof, Row, dot
from kassay.oracles.assignment.problem import Ints
from kassay.oracles.errors import UnsolvedError

WEIGHTED, SUM = "weighted", "sum"
"""The names of the level that is the weighted sum of others, and of their plain sum, which decides where a weight is 0."""


def role_front(
    problem: RoleProblem, levels: tuple[str, ...], *, even: bool, deadline: float = math.inf
) -> Front:
    """Return the frontier of two or three levels, at the most `even` loads or any; what is not proved before `deadline` is left out and said to be.

    Raises what :func:`.active_standby.optimum.joint_optimum` raises.
    """
    before = BALANCES if even else ()

    def cheapest(weights: Row) -> ParetoPoint | None:
        try:
            return _cheapest(problem, before, levels, weights, deadline)
        except UnsolvedError:
            if time.monotonic() < deadline:
                raise
            return None

    def worth(owners: Ints) -> Row:
        return values(problem, levels, owners)

    def program() -> Program:
        rows, owners = by_item(problem, (*before, *levels))
        if before:
            found = cheapest((1,) * len(levels))
            if found is None:
                raise UnsolvedError("the time was over before the program was made")
            for objective, most in zip(rows.objectives, values(problem, before, found.owners), strict=False):
                rows.at_most(list(objective.terms), most - objective.constant)
        return Program(rows, tuple(rows.objectives[len(before) :]), owners)

    return searched(Ground(len(levels), cheapest, worth, program, deadline))


def weighted(problem: RoleProblem, levels: tuple[str, ...], weights: Row, name: str) -> RoleLevel:
    """Return the weighted sum of some levels as one level."""
    some = [problem.level(level) for level in levels]

    def total(columns: Iterable[Ints | None]) -> Ints | None:
        known = [w * column for w, column in zip(weights, columns, strict=True) if column is not None]
        return sum(known[1:], known[0]) if known else None

    active, every = (dot(weights, each) for each in zip(*(each.squares for each in some), strict=True))
    return RoleLevel(
        name,
        total(each.active for each in some),
        total(each.standby for each in some),
        total(each.loss for each in some),
        total(each.active_gain for each in some),
        total(each.standby_gain for each in some),
        squares=(active, every),
    )


def _cheapest(
    problem: RoleProblem, before: tuple[str, ...], levels: tuple[str, ...], weights: Row, deadline: float
) -> ParetoPoint | None:
    """Return a placement of least weighted sum that none dominates; None where that is not proved in time."""
    asked = (*before, WEIGHTED, *([] if min(weights) else [SUM]))
    sums = weighted(problem, levels, weights, WEIGHTED), weighted(problem, levels, (1,) * len(levels), SUM)
    known = replace(problem, levels=sums)
    found = joint_optimum(known, asked, deadline)
    if not proves(known, asked, found.owners, found.certificate):
        if time.monotonic() < deadline:
            raise UnsolvedError(f"the certificate does not prove the least sum by the weights {weights}")
        return None
    value = values(problem, levels, found.owners)
    return ParetoPoint(found.owners, value, Proof(weights, found.certificate, dot(weights, value)))
