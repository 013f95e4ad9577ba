"""Every way to place copies in roles, counted out with nothing but the definitions."""

from fractions import Fraction
from itertools import combinations, product
from math import lcm


def every_placing(problem):
    """Yield each item's members, the active's first, for every legal placement."""
    members = range(problem.members)
    rows = []
    for standbys, given in zip(problem.standbys.tolist(), problem.given.tolist(), strict=True):
        actives = members if given < 0 else [given]
        rows.append(
            [(a, *rest) for a in actives for rest in combinations([m for m in members if m != a], standbys)]
        )
    for placing in product(*rows):
        if kept(problem, placing):
            yield placing


def kept(problem, placing):
    """Whether counts and caps are kept."""
    active = [row[0] for row in placing]
    every = [m for row in placing for m in row]
    for asked, held in ((problem.active_loads, active), (problem.loads, every)):
        if asked is not None and any(held.count(m) != n for m, n in enumerate(asked.tolist())):
            return False
    classes = problem.classes.tolist()
    for number, member, least, most in problem.rows.tolist():
        there = sum(m == member and of == number for m, of in zip(active, classes, strict=True))
        if not least <= there <= most:
            return False
    return True


def worth(problem, level, placing):
    """What a placement is worth in one level."""
    if level in ("balance", "total-balance"):
        return squares(problem, [m for row in placing for m in (row[:1] if level == "balance" else row)])
    if level == "spread":
        zones = [[z[m] for m in row if z[m] >= 0] for z in problem.zones.tolist() for row in placing]
        return sum(len(each) - len(set(each)) for each in zones)
    total = sum(cost(problem, problem.level(level), item, row) for item, row in enumerate(placing))
    for factor, balance in zip(problem.level(level).squares, ("balance", "total-balance"), strict=True):
        total += factor * worth(problem, balance, placing) if factor else 0
    return total


def squares(problem, held):
    """The sum over members of the squared load by slots, times the least number that makes all of them whole."""
    whole = lcm(*problem.slots.tolist())
    total = sum(Fraction(held.count(m) ** 2, slots) for m, slots in enumerate(problem.slots.tolist()))
    return int(total * whole)


def cost(problem, level, item, row):
    """What one item costs."""
    profile, claim = int(problem.profile_of[item]), int(problem.claims[item])
    total = 0 if level.loss is None else int(level.loss[claim])
    entries = range(problem.claim_start[claim], problem.claim_start[claim + 1])
    for place, m in enumerate(row):
        table, gain = (level.standby, level.standby_gain) if place else (level.active, level.active_gain)
        if table is not None:
            total += int(table[profile, problem.kind_of[m]])
        if gain is not None:
            total -= sum(int(gain[entry]) for entry in entries if problem.claim_member[entry] == m)
    return total
