"""Small problems of active and standby copies as flat arrays for machine code, with the cost of each copy in each level.

All levels are digits of one number, and equal members are groups.
"""

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from kassay.oracles.assignment.active_standby.problem import BALANCES, RoleProblem
from kassay.oracles.assignment.own_levels import SPREAD
from kassay.oracles.assignment.problem import Ints, build_gain_matrix, list_starts
from kassay.oracles.compiled import compile_function

ITEMS, MEMBERS, STANDBYS = 128, 24, 2
"""The limits of items, members, and standbys of an item in a small problem."""
WIDTH = 1 + STANDBYS
BARRED = 2**62
"""The length of an arc that does not exist."""
GREATEST = 2.0**50
"""The limit of the weighted costs of all copies together, so that floats are exact and 64 bits hold small multiples."""
Asked: TypeAlias = tuple[RoleProblem, tuple[str, ...]]
"""A problem and the levels of a question."""


class Small(NamedTuple):
    """One problem: the costs of active copies and of standbys (levels x items x members), and the columns of members and items.

    `weight` is the weight of each member's squared load, `zones` are tags x members. Level `spread` (-1 for none)
    counts collisions, in addition to its costs. If it is `even`, the loads of active copies, then the loads of all
    copies, come before all levels.
    """

    active: Ints
    standby: Ints
    weight: Ints
    zones: Ints
    standbys: Ints
    spread: int
    even: bool


class Batch(NamedTuple):
    """Consecutive problems.

    A row of `sizes` has the numbers of items, members, levels and tags of a problem, its level of spread, and whether
    it is even. A row of `first` has the starts of its costs, members, zones and items.
    """

    sizes: Ints
    first: Ints
    costs: Ints
    weight: Ints
    zones: Ints
    standbys: Ints


class Solution(NamedTuple):
    """Owners (items x WIDTH, -1 for none), prices of each member for active copies and for all copies, and the prices' unit.

    `weight` has a row for each problem: the weights of balance, total-balance and each level. The unit is 0 if no
    solution is found.
    """

    owners: Ints
    active: Ints
    every: Ints
    weight: Ints
    unit: Ints


def is_small(problem: RoleProblem, levels: tuple[str, ...]) -> bool:
    """Return True if machine code can solve a question.

    Both balances come first or are missing, there are no other squares, no fixed loads or caps, and few copies.
    """
    bound = (problem.loads, problem.active_loads, problem.active_at, problem.caps)
    return (
        all(each is None for each in bound)
        and (levels[:2] == BALANCES or not {*levels} & {*BALANCES})
        and not any(any(problem.squares(level)) for level in levels if level not in BALANCES)
        and 0 < problem.items <= ITEMS
        and problem.members <= MEMBERS
        and int(problem.standbys.max()) <= STANDBYS
    )


def build_batch(asked: Sequence[Asked]) -> Batch:
    """Return problems with their questions as a batch; each must be small, and fit (see ``refuse_unfit``)."""
    rows, levels_of = [], []
    for problem, levels in asked:
        even = levels[:2] == BALANCES
        rest = levels[2 * even :]
        spread = rest.index(SPREAD) if SPREAD in rest else -1
        tags = len(problem.zones) if spread >= 0 else 0
        rows.append((problem.items, problem.members, len(rest), tags, spread, even))
        levels_of.append(rest)
    lengths = [
        (2 * levels * items * members, members, tags * members, items)
        for items, members, levels, tags, *_ in rows
    ]
    return Batch(
        np.array(rows, np.int64).reshape(-1, 6),
        np.array([list_starts(np.array(column, np.int64)) for column in zip(*lengths, strict=True)], np.int64).reshape(4, -1).T.copy(),
        _join_columns([
            _list_costs(problem, level, role)
            for (problem, _), rest in zip(asked, levels_of, strict=True) for role in (0, 1) for level in rest
        ]),
        _join_columns([problem.weights for problem, _ in asked]),
        _join_columns([problem.zones.reshape(-1) for problem, levels in asked if SPREAD in levels]),
        _join_columns([problem.standbys for problem, _ in asked]),
    )  # fmt: skip


def _join_columns(columns: Sequence[Ints]) -> Ints:
    return np.concatenate([np.empty(0, np.int64), *columns])


def _list_costs(problem: RoleProblem, name: str, role: int) -> Ints:
    """Return the costs of copies of a role in a level, items x members in one row."""
    nothing = np.zeros((problem.items, problem.members), np.int64)
    if name == SPREAD:
        return nothing.reshape(-1)
    level = problem.level(name)
    table, gain = (level.active, level.standby)[role], (level.active_gain, level.standby_gain)[role]
    cost = nothing if table is None else table[problem.profile_of[:, None], problem.kind_of]
    if gain is not None and len(gain):
        saved = build_gain_matrix(problem.claim_start, problem.claim_member, problem.members, gain)
        cost = cost - saved[problem.claims]
    return cost.reshape(-1)


@compile_function
def read_problem(of: Batch, number: int) -> Small:
    """Return one of the problems."""
    items, members, levels, tags, spread, even = of.sizes[number]
    costs, weight, zones, standbys = of.first[number]
    size = 2 * levels * items * members
    table = of.costs[costs : costs + size].reshape((2, levels, items, members))
    return Small(
        table[0], table[1],
        of.weight[weight : weight + members],
        of.zones[zones : zones + tags * members].reshape((tags, members)),
        of.standbys[standbys : standbys + items],
        spread, even != 0,
    )  # fmt: skip


class Grouped(NamedTuple):
    """The problem on groups: `cost` is the weighted cost of an item's active copy and of a standby (2 x items x groups).

    Groups have `size` members. `zones` are tags x groups, `same` is the cost of a collision, `square` the cost of the
    square of a member's load, of active copies and of all copies (2 x groups).
    """

    cost: Ints
    standbys: Ints
    size: Ints
    zones: Ints
    same: int
    square: Ints


@compile_function
def compute_weights(of: Small) -> Ints:
    """Return the weights of balance, total-balance and each level; empty if sums pass GREATEST.

    A unit weighs more than the greatest total difference of the levels after it, so the least sum is the
    lexicographic optimum.
    """
    levels = len(of.active)
    weight = np.zeros(levels + 2, np.int64)
    reach, greatest = 0, 0.0
    for level in range(levels - 1, -1, -1):
        differ, most = _find_range(of, level)
        greatest += float(reach + 1) * most
        if greatest >= GREATEST:
            return weight[:0]
        weight[level + 2] = reach + 1
        reach += (reach + 1) * differ
    if of.even:
        copies = len(of.standbys) + of.standbys.sum()
        squares = copies * copies * of.weight.max()
        if (float(reach) + 1) * (float(squares) + 1) * (float(squares) + 1) * 2 >= GREATEST:
            return weight[:0]
        weight[1] = reach + 1
        weight[0] = reach + weight[1] * squares + 1
    return weight


@compile_function
def _find_range(of: Small, level: int) -> tuple[int, float]:
    """Return the greatest difference between values of a level, and an upper limit of its sums."""
    _, items, members = of.active.shape
    differ, most = 0, 0.0
    for i in range(items):
        for role in range(2):
            cost, copies = (of.active[level, i], 1) if role == 0 else (of.standby[level, i], of.standbys[i])
            low, high = cost[0], cost[0]
            for m in range(1, members):
                low, high = min(low, cost[m]), max(high, cost[m])
            most += float(copies) * max(abs(float(low)), abs(float(high)))
            if most >= GREATEST:
                return 0, most
            differ += copies * (high - low)
        if level == of.spread:
            differ += of.standbys[i] * len(of.zones)
            most += float(of.standbys[i] * len(of.zones))
    return differ, most


@compile_function
def find_groups(of: Small, group_of: Ints) -> int:
    """Fill in each member's group and return the number of groups; members of a group have equal costs, weights and zones."""
    members = len(of.weight)
    first = np.empty(members, np.int64)
    number = 0
    for m in range(members):
        g = 0
        while g < number and not _has_equal_columns(of, m, first[g]):
            g += 1
        if g == number:
            first[g] = m
            number += 1
        group_of[m] = g
    return number


@compile_function
def _has_equal_columns(of: Small, a: int, b: int) -> bool:
    levels, items, _ = of.active.shape
    if of.weight[a] != of.weight[b]:
        return False
    for tag in range(len(of.zones)):
        if of.zones[tag, a] != of.zones[tag, b]:
            return False
    for level in range(levels):
        for i in range(items):
            if of.active[level, i, a] != of.active[level, i, b]:
                return False
            if of.standbys[i] and of.standby[level, i, a] != of.standby[level, i, b]:
                return False
    return True


@compile_function
def build_groups(of: Small, weight: Ints, group_of: Ints, number: int) -> Grouped:
    """Return the weighted problem on groups."""
    levels, items, members = of.active.shape
    cost = np.zeros((2, items, number), np.int64)
    size, square = np.zeros(number, np.int64), np.zeros((2, number), np.int64)
    zones = np.empty((len(of.zones), number), np.int64)
    for m in range(members):
        g = group_of[m]
        size[g] += 1
        if size[g] > 1:
            continue
        square[0, g], square[1, g] = weight[0] * of.weight[m], weight[1] * of.weight[m]
        for tag in range(len(of.zones)):
            zones[tag, g] = of.zones[tag, m]
        for level in range(levels):
            unit = weight[level + 2]
            for i in range(items):
                cost[0, i, g] += unit * of.active[level, i, m]
                cost[1, i, g] += unit * of.standby[level, i, m]
    same = weight[of.spread + 2] if of.spread >= 0 else 0
    return Grouped(cost, of.standbys, size, zones, same, square)
