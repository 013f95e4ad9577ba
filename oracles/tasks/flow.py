"""Active tasks alone as a minimum-cost flow: clients are members, and clients with equally many threads have one subscription.

Without standbys no question is NP-hard. :mod:`kassay.oracles.assignment.flow.exact` solves the problem, at any size and with previous
owners, or :mod:`kassay.oracles.assignment.flow.topic_spread`, with subtopologies for topics. Its prices are rows, one number per
level, compared lexicographically. A proof of the joint core weighs levels by numbers, so each level before gets a factor above the
greatest sum of the levels after it.
"""

import math
from collections.abc import Sequence
from itertools import chain

import numpy as np

from kassay.oracles.assignment.active_standby.check import Certificate, Prices
from kassay.oracles.assignment.active_standby.problem import NO_COSTS, RoleProblem
from kassay.oracles.assignment.certificates import place_prices
from kassay.oracles.assignment.flow.exact import solve
from kassay.oracles.assignment.own_levels import (
    BALANCE,
    SPREAD,
    SUBTOPOLOGY_SPREAD,
    TOPIC_SPREAD,
    TOTAL_BALANCE,
)
from kassay.oracles.assignment.problem import Ints, Level, Problem


def is_flow(problem: RoleProblem, levels: tuple[str, ...]) -> bool:
    """Return True if only active tasks are placed, with nothing fixed or capped: then the optimum is a minimum-cost flow."""
    bound = (problem.loads, problem.active_loads, problem.active_at, problem.caps)
    active = problem.items > 0 and not problem.standbys.any() and SPREAD not in levels
    return active and all(each is None for each in bound) and (BALANCE in levels) == (TOTAL_BALANCE in levels)


def flow_optimum(
    problem: RoleProblem, levels: tuple[str, ...], deadline: float = math.inf
) -> tuple[Ints, Certificate]:
    """Return owners and a certificate; if the deadline passes they may be short of an optimum. Raises what ``solve`` raises."""
    asked = tuple(level for level in levels if level != TOTAL_BALANCE)  # without standbys the same as balance
    of = build_problem(problem, asked)
    # in the flow, subtopologies are topics
    names = tuple(TOPIC_SPREAD if level == SUBTOPOLOGY_SPREAD else level for level in asked)
    found = solve(of, names, deadline)
    places: list[list[int]] = []
    if SUBTOPOLOGY_SPREAD in asked:
        own = place_prices(of, names, found.prices) - found.prices.rows[:, None]
        places = own.reshape(len(asked), -1).T.tolist()
    return found.owners, _build_certificate(of, levels, asked, found.prices.rows.T.tolist(), places)


def build_problem(problem: RoleProblem, levels: Sequence[str]) -> Problem:
    """Return the problem whose members are clients, all of which may run every task, and whose topics are subtopologies."""
    weight_of, subscription_of = np.unique(problem.weights, return_inverse=True)
    costs = [problem.level(name) for name in levels if name not in NO_COSTS]
    every = np.arange(len(weight_of))
    return Problem(
        subscription_of.reshape(-1), problem.kind_of, np.array([0, len(every)]), every, np.zeros(problem.items, np.int64),
        problem.profile_of, problem.claims, problem.claim_start, problem.claim_member,
        tuple(Level(of.name, of.active, of.active_gain, of.loss) for of in costs), weight_of=weight_of,
        topic_of=problem.classes if SUBTOPOLOGY_SPREAD in levels else None,
    )  # fmt: skip


def _build_certificate(
    of: Problem,
    levels: tuple[str, ...],
    asked: tuple[str, ...],
    prices: list[list[int]],
    places: list[list[int]],
) -> Certificate:
    """Return the proof of each level: prices and costs of the levels up to it, as digits of one number."""
    square = of.items * int(of.weights.max())
    reach = [
        2 * of.items * (square + of.greatest_cost + 2 * max(abs(row[n]) for row in chain(prices, places))) + 1
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
        paid, there = (
            tuple(sum(n * own for n, own in zip(factor, row, strict=False)) for row in rows)
            for rows in (prices, places)
        )
        active, every = (nothing, paid) if level == TOTAL_BALANCE else (paid, nothing)
        proofs.append(Prices(1, before, active, every, there))
    return Certificate(tuple(proofs))
