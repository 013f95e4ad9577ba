"""Active tasks alone as a minimum-cost flow: clients are members, and those with as many threads have one subscription.

Where no task has standbys nothing is NP-hard: the problem is that of :mod:`kassay.oracles.assignment.flow.exact`, at any size and
with who ran what. Its prices come in rows, one number per level, compared like words in a dictionary; a proof of the joint core
weighs levels by numbers, so each level before gets a factor beyond all that those after it can reach.
"""

import math

import numpy as np

from kassay.oracles.assignment.active_standby.check import Certificate, Prices
from kassay.oracles.assignment.active_standby.problem import RoleLevel, RoleProblem
from kassay.oracles.assignment.flow.exact import Solution, solve
from kassay.oracles.assignment.own_levels import BALANCE, SPREAD, TOTAL_BALANCE
from kassay.oracles.assignment.problem import Ints, Level, Problem


def is_flow(problem: RoleProblem, levels: tuple[str, ...]) -> bool:
    """Return whether only active tasks are placed, with nothing fixed or capped: then the optimum is a minimum-cost flow."""
    bound = (problem.loads, problem.active_loads, problem.active_at, problem.caps)
    active = problem.items > 0 and not problem.standbys.any() and SPREAD not in levels
    return active and all(each is None for each in bound) and (BALANCE in levels) == (TOTAL_BALANCE in levels)


def flow_optimum(
    problem: RoleProblem, levels: tuple[str, ...], deadline: float = math.inf
) -> tuple[Ints, Certificate]:
    """Return owners and a certificate; where the deadline passes they may be short of an optimum. Raises what ``solve`` raises."""
    asked = tuple(level for level in levels if level != TOTAL_BALANCE)  # without standbys the same as balance
    of = _clients(problem, [level for level in asked if level != BALANCE])
    found = solve(of, asked, deadline)
    return found.owners, _certificate(of, levels, asked, found)


def _clients(problem: RoleProblem, names: list[str]) -> Problem:
    """Return the problem whose members are clients, all of which may run every task."""
    weight_of, subscription_of = np.unique(problem.weights, return_inverse=True)

    def level(of: RoleLevel) -> Level:
        return Level(of.name, of.active, of.active_gain, of.loss)

    every = np.arange(len(weight_of))
    return Problem(
        subscription_of.reshape(-1), problem.kind_of, np.array([0, len(every)]), every, np.zeros(problem.items, np.int64),
        problem.profile_of, problem.claims, problem.claim_start, problem.claim_member,
        tuple(level(problem.level(name)) for name in names), weight_of=weight_of,
    )  # fmt: skip


def _certificate(
    of: Problem, levels: tuple[str, ...], asked: tuple[str, ...], found: Solution
) -> Certificate:
    """Return the proof of each level: prices and costs of the levels up to it, as digits of one number."""
    prices: list[list[int]] = found.prices.rows.T.tolist()
    square = of.items * int(of.weights.max())
    reach = [
        2 * of.items * (square + of.greatest_cost + max(abs(row[n]) for row in prices)) + 1
        for n in range(len(asked))
    ]
    proofs, nothing = [], (0,) * len(prices)
    for place, level in enumerate(levels):
        last = asked.index(BALANCE if level == TOTAL_BALANCE else level)
        factor = [math.prod(reach[n + 1 : last + 1]) for n in range(last + 1)]
        before = tuple(
            0 if each == TOTAL_BALANCE or asked.index(each) == last else factor[asked.index(each)]
            for each in levels[:place]
        )
        paid = tuple(sum(n * own for n, own in zip(factor, row, strict=False)) for row in prices)
        active, every = (nothing, paid) if level == TOTAL_BALANCE else (paid, nothing)
        proofs.append(Prices(1, before, active, every, ()))
    return Certificate(tuple(proofs))
