"""Small problems solved one after the other: a placement of each, and prices that prove it where the bound is reached."""

from typing import NamedTuple

import numpy as np

from kassay.oracles.assignment.active_standby.small.batch import (
    WIDTH,
    Batch,
    Small,
    group_members,
    grouped,
    problem_at,
    weights,
)
from kassay.oracles.assignment.active_standby.small.exchange import (
    begun,
    bound,
    dealt,
    exchange_all,
    nothing_gains,
    place_all,
    whole,
    worth,
)
from kassay.oracles.assignment.active_standby.small.simplex import begun_basis, relaxed, rounded
from kassay.oracles.assignment.problem import Ints
from kassay.oracles.compiled import compiled

TURNS = 6
"""So many times a placement is looked for in the linear program's solutions."""


class Solution(NamedTuple):
    """Owners (items x WIDTH, -1 for none), prices of each member for actives and for all copies, and the prices' unit.

    `weight` is a row for each problem: what balance, total-balance and each level weigh. The unit is 0 where nothing is found.
    """

    owners: Ints
    active: Ints
    every: Ints
    weight: Ints
    unit: Ints


@compiled
def solve_batch(of: Batch) -> Solution:
    """Solve all problems of a batch."""
    count = len(of.sizes)
    found = Solution(
        np.full((len(of.standbys), WIDTH), -1), np.zeros_like(of.weight), np.zeros_like(of.weight),
        np.zeros((count, 2 + of.sizes[:, 2].max() if count else 2), np.int64), np.zeros(count, np.int64),
    )  # fmt: skip
    for number in range(count):
        one = problem_at(of, number)
        _, member, _, item = of.first[number]
        last = member + len(one.weight)
        found.unit[number] = solve(
            one, found.owners[item : item + len(one.standbys)], found.active[member:last], found.every[member:last],
            found.weight[number, : 2 + len(one.active)],
        )  # fmt: skip
    return found


@compiled
def solve(of: Small, owners: Ints, active: Ints, every: Ints, weight: Ints) -> int:
    """Fill in owners, prices and weights, and return the prices' unit; 0 where they prove no optimum."""
    weighed = weights(of)
    if not len(weighed):
        return 0
    weight[:] = weighed
    members = len(of.weight)
    group_of = np.empty(members, np.int64)
    number = group_members(of, group_of)
    groups = grouped(of, weight, group_of, number)
    state, arcs = begun(groups)
    price, other = np.empty(2 * number, np.int64), np.empty(2 * number, np.int64)
    unit = 1
    place_all(groups, state)
    if not (exchange_all(groups, state, arcs, price) and nothing_gains(groups, state, price)):
        exact, reached = np.empty(2 * number), False
        for turn in range(TURNS):
            key, basis = state.place.copy(), begun_basis(groups, state, turn)
            if not relaxed(groups, key, basis, exact):
                return 0
            unit = whole(exact, price)
            least = bound(groups, unit, price)
            if least < worth(groups, state):
                rounded(groups, key, basis, state)
                arcs.stale[:] = True
                exchange_all(groups, state, arcs, other)
            reached = least == worth(groups, state)
            if reached:
                break
        if not reached:
            return 0
    for m in range(members):
        active[m], every[m] = price[group_of[m]], price[number + group_of[m]]
    return unit if dealt(of.standbys, state, group_of, owners) else 0
