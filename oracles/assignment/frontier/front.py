"""The frontier of a problem: at the most even loads, or with balance as an objective."""

import math
import time

import numpy as np

from kassay.oracles.assignment.frontier.check import point_holds
from kassay.oracles.assignment.frontier.flows import all_ways, cheapest, even_ways
from kassay.oracles.assignment.frontier.point import Found, Proof
from kassay.oracles.assignment.frontier.program import program
from kassay.oracles.assignment.frontier.search import Front, Ground, Point, searched
from kassay.oracles.assignment.frontier.weights import Row
from kassay.oracles.assignment.level import Ints
from kassay.oracles.assignment.own_levels import BALANCE
from kassay.oracles.assignment.problem import Problem, refuse_impossible
from kassay.oracles.assignment.values import values
from kassay.oracles.failures import UnsolvedError


def front(problem: Problem, levels: tuple[str, ...], *, even: bool, deadline: float = math.inf) -> Front:
    """Return the frontier of levels at the most even loads, or of balance and them.

    What is not proved before `deadline` (of time.monotonic) is left out and said to be. Raises ImpossibleError where there is no assignment,
    TooLargeError where costs leave 64 bits (where only weighted ones do, points are left open), UnsolvedError where a solver fails or what it finds does not hold.
    """
    refuse_impossible(problem)
    problem = problem.asked(levels)
    if not problem.items:
        none = Proof((1,) * (len(levels) + 1), (0,) * problem.members, 0)
        point = Point((0,) * (len(levels) + 1), np.empty((0, problem.copies), np.int64), none)
        return Front((point,), (none,), True, True)
    ways = even_ways(problem, levels, deadline) if even else all_ways(problem, levels)

    def proved(weights: Row) -> Found | None:
        found = cheapest(ways, weights, deadline) if time.monotonic() < deadline else None
        if found is not None and not point_holds(problem, levels, found):
            raise UnsolvedError(f"the prices do not prove the least sum by the weights {weights}")
        return found

    def worth(owners: Ints) -> Row:
        return values(problem, (BALANCE, *levels), owners)

    return searched(Ground(ways.objectives, proved, worth, lambda: program(ways), deadline))
