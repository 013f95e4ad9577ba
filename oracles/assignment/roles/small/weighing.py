"""All levels as digits of one number, and members that are alike as groups."""

from typing import NamedTuple

import numpy as np

from kassay.oracles.assignment.level import Ints
from kassay.oracles.assignment.roles.small.batch import Small
from kassay.oracles.compiled import compiled

BARRED = 2**62
"""The length of an arc that is not there."""
GREATEST = 2.0**50
"""Weighed costs of all copies together stay below this, so that floating-point numbers hold each, and 64 bits some times as much."""


class Grouped(NamedTuple):
    """What an item's active and standbys `cost` in a group (2 x items x groups), weighed; groups have `size` members.

    `zones` are tags x groups, `same` is what a collision costs, `square` what the square of a member's load costs, by actives and by
    all copies (2 x groups).
    """

    cost: Ints
    standbys: Ints
    size: Ints
    zones: Ints
    same: int
    square: Ints


@compiled
def weights(of: Small) -> Ints:
    """Return what a unit of balance, of total-balance and of each level weighs; nothing where sums pass GREATEST.

    A unit weighs more than all that the levels after it can differ by, so the least sum is the least level by level.
    """
    levels = len(of.active)
    weight = np.zeros(levels + 2, np.int64)
    reach, greatest = 0, 0.0
    for level in range(levels - 1, -1, -1):
        differ, most = _range(of, level)
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


@compiled
def _range(of: Small, level: int) -> tuple[int, float]:
    """Return by how much a level can differ at most, and what its sum cannot pass."""
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


@compiled
def group_members(of: Small, group_of: Ints) -> int:
    """Fill in each member's group and return how many there are: members that cost, hold and collide alike."""
    members = len(of.weight)
    first = np.empty(members, np.int64)
    number = 0
    for m in range(members):
        g = 0
        while g < number and not _alike(of, m, first[g]):
            g += 1
        if g == number:
            first[g] = m
            number += 1
        group_of[m] = g
    return number


@compiled
def _alike(of: Small, a: int, b: int) -> bool:
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


@compiled
def grouped(of: Small, weight: Ints, group_of: Ints, number: int) -> Grouped:
    """Return the problem on groups, weighed."""
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
