"""What a placement in roles is worth, level by level, counted on the items and their owners alone."""

import numpy as np

from kassay.oracles.assignment.level import Ints
from kassay.oracles.assignment.own_levels import SPREAD
from kassay.oracles.assignment.roles.problem import BALANCES, RoleProblem
from kassay.oracles.assignment.values import saved


def legal(problem: RoleProblem, owners: Ints) -> bool:
    """Return whether every item has all its copies, on different members, and all counts and caps are kept."""
    width = 1 + int(problem.standbys.max(initial=0))
    if owners.shape != (problem.items, width):
        return False
    if not problem.items:
        return True
    placed = np.arange(width) <= problem.standbys[:, None]
    if (owners[placed] < 0).any() or (owners >= problem.members).any() or (owners[~placed] != -1).any():
        return False
    rows = np.sort(owners, axis=1)
    if ((rows[:, 1:] == rows[:, :-1]) & (rows[:, 1:] >= 0)).any():
        return False
    given = problem.given
    if ((given >= 0) & (given != owners[:, 0])).any():
        return False
    for asked, held in ((problem.active_loads, owners[:, 0]), (problem.loads, owners[placed])):
        if asked is not None and not np.array_equal(np.bincount(held, minlength=problem.members), asked):
            return False
    return _caps_kept(problem, owners[:, 0])


def _caps_kept(problem: RoleProblem, actives: Ints) -> bool:
    rows = problem.rows
    if not len(rows):
        return True
    number = max(int(problem.classes.max()), int(rows[:, 0].max())) + 1
    held = np.bincount(actives * number + problem.classes, minlength=problem.members * number)
    there = held[rows[:, 1] * number + rows[:, 0]]
    return bool(((rows[:, 2] <= there) & (there <= rows[:, 3])).all())


def values(problem: RoleProblem, levels: tuple[str, ...], owners: Ints) -> tuple[int, ...]:
    """Return the value of each level."""
    return tuple(_value(problem, level, owners) for level in levels)


def _value(problem: RoleProblem, level: str, owners: Ints) -> int:
    if level == SPREAD:
        return sum(_collisions(zone, owners) for zone in problem.zones)
    total = 0 if level in BALANCES else _cost(problem, level, owners)
    for factor, held in zip(problem.squares(level), (owners[:, :1], owners), strict=True):
        if factor:
            load = np.bincount(held[held >= 0], minlength=problem.members).tolist()
            total += factor * sum(w * n * n for n, w in zip(load, problem.weights.tolist(), strict=True))
    return total


def _collisions(zone: Ints, owners: Ints) -> int:
    """Count each item's copies in a known zone beyond the first there."""
    held = np.sort(np.where(owners >= 0, zone[owners], -1), axis=1)
    return int(((held[:, 1:] == held[:, :-1]) & (held[:, 1:] >= 0)).sum())


def _cost(problem: RoleProblem, name: str, owners: Ints) -> int:
    level, total = problem.level(name), problem.constant(name)
    item, place = np.nonzero(owners >= 0)
    member, active = owners[item, place], place == 0
    for table, which in ((level.active, active), (level.standby, ~active)):
        if table is not None:
            total += int(table[problem.profile_of[item[which]], problem.kind_of[member[which]]].sum())
    for gain, own in ((level.active_gain, owners[:, :1]), (level.standby_gain, owners[:, 1:])):
        if gain is not None:
            total -= saved(problem, problem.claims, gain, own)
    return total
