"""Active tasks alone as a minimum-cost flow: every thread is a member, so that even loads of threads are even loads of members.

Where no task has standbys nothing is NP-hard: the problem is that of :mod:`kassay.oracles.assignment.flow.exact`, at any size and
with who ran what. Its prices come in rows, one number per level, compared like words in a dictionary; a proof of the joint core
weighs levels by numbers, so each level before gets a factor beyond all that those after it can reach.
"""

import math

import numpy as np

from kassay.oracles.assignment.flow.exact import Solution, solve
from kassay.oracles.assignment.level import Ints, Level
from kassay.oracles.assignment.problem import Problem, starts
from kassay.oracles.assignment.roles.certificate import Certificate, Prices
from kassay.oracles.assignment.roles.problem import BALANCE, SPREAD, TOTAL_BALANCE, RoleLevel, RoleProblem
from kassay.oracles.failures import TooLargeError

MOST_ENTRIES = 5 * 10**7
"""How many threads, and threads for each claim, are looked at; each takes some 100 bytes."""


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
    of, client = _threads(problem, [level for level in asked if level != BALANCE])
    found = solve(of, asked, deadline)
    return client[found.owners], _certificate(of, levels, asked, _prices(found, client))


def _threads(problem: RoleProblem, names: list[str]) -> tuple[Problem, Ints]:
    """Return the problem whose members are threads, and each thread's client.

    Of a client with more threads than there are tasks, one thread that has none stands for all of these. Raises TooLargeError.
    """
    slots = np.minimum(problem.slots, problem.items + 1)
    if (size := int(slots.sum()) + int(slots[problem.claim_member].sum())) > MOST_ENTRIES:
        raise TooLargeError(
            f"threads: with what they had before they come to {size} entries; {MOST_ENTRIES} are taken at most"
        )
    client = np.repeat(np.arange(problem.members), slots)
    first = starts(slots)
    entries = np.repeat(np.arange(len(problem.claim_member)), slots[problem.claim_member])
    rank = np.arange(len(entries)) - starts(slots[problem.claim_member])[:-1][entries]
    ends = starts(slots[problem.claim_member])[problem.claim_start]

    def level(of: RoleLevel) -> Level:
        gain = None if of.active_gain is None else of.active_gain[entries]
        return Level(of.name, of.active, gain, of.loss)

    nobody = np.zeros(problem.items, np.int64)
    return Problem(
        np.zeros(len(client), np.int64), problem.kind_of[client], np.array([0, 1]), np.array([0]), nobody,
        problem.profile_of, problem.claims, ends, first[problem.claim_member[entries]] + rank,
        tuple(level(problem.level(name)) for name in names),
    ), client  # fmt: skip


def _prices(found: Solution, client: Ints) -> list[tuple[int, ...]]:
    """Return what each client asks, the least of its threads: that of threads which are alike proves as much."""
    least: dict[int, tuple[int, ...]] = {}
    for c, row in zip(client.tolist(), map(tuple, found.prices.rows.T.tolist()), strict=True):
        least[c] = min(least.get(c, row), row)
    return [least[c] for c in range(len(least))]


def _certificate(
    of: Problem, levels: tuple[str, ...], asked: tuple[str, ...], prices: list[tuple[int, ...]]
) -> Certificate:
    """Return the proof of each level: prices and costs of the levels up to it, as digits of one number."""
    reach = [
        2 * of.items * (of.items + of.greatest_cost + max(abs(row[n]) for row in prices)) + 1
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
